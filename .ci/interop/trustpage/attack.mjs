// A page of another site, in a Chromium that goes through the recorder and in one that does not. It
// must read nothing at the recorder's own name, and in both all that it tries must look the same.
//
//   node attack.mjs PROFILE PROXY
import { createRequire } from 'node:module';

const [profile, proxy] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const report = (what, problem) => console.log(problem ? `not ok - ${what}: ${problem}` : `ok - ${what}`);

const pages = ['/', '/here', '/trust', '/ca.pem', '/proxy.pac', '/healthz', '/status', '/nothing'];
const urls = pages.flatMap((path) => [`http://warcorder.internal${path}`])
  .concat(['http://trust.warcorder.internal/here', 'http://a.warcorder.internal/',
    'http://warcorder.internal:8080/', 'http://warcorder.internal/?token=x']);

// attack runs in the page, and returns what came of each way, but for the time that it took.
async function attack(all) {
  const outcomes = [];
  const within = (promise) => Promise.race([promise,
    new Promise((done) => setTimeout(() => done('nothing in 5 s'), 5000))]);
  const element = (name, set) => within(new Promise((done) => {
    const e = document.createElement(name);
    e.onload = () => done('load');
    e.onerror = () => done('error');
    e.oncanplay = () => done('canplay');
    set(e);
    document.body.append(e);
  }));
  await Promise.all(all.map(async (url, n) => {
    let i = 0;
    const at = () => `${url}${url.includes('?') ? '&' : '?'}n=${n}-${i++}`;
    const asked = (init) => within(fetch(at(), init)
      .then(async (res) => `${res.type} ${res.status} ${(await res.text()).slice(0, 40)}`, (e) => e.name));
    const seen = {
      cors: await asked({}),
      credentials: await asked({ credentials: 'include' }),
      'no-cors': await asked({ mode: 'no-cors' }),
      manual: await asked({ redirect: 'manual', mode: 'no-cors' }),
      post: await asked({ method: 'POST', mode: 'no-cors', body: 'x' }),
      preflight: await asked({ headers: { 'X-Y': 'z' } }),
      image: await element('img', (e) => { e.src = at(); }),
      hidden: await element('img', (e) => { e.referrerPolicy = 'no-referrer'; e.src = at(); }),
      anonymous: await element('img', (e) => { e.crossOrigin = ''; e.src = at(); }),
      script: await element('script', (e) => { e.src = at(); }),
      module: await element('script', (e) => { e.type = 'module'; e.src = at(); }),
      style: await element('link', (e) => { e.rel = 'stylesheet'; e.href = at(); }),
      preload: await element('link', (e) => { e.rel = 'preload'; e.as = 'fetch'; e.href = at(); }),
      video: await element('video', (e) => { e.src = at(); }),
      object: await element('object', (e) => { e.data = at(); }),
      frame: await element('iframe', (e) => { e.src = at(); }),
      socket: await within(new Promise((done) => {
        const socket = new WebSocket(at().replace('http', 'ws'));
        socket.onopen = () => done('open');
        socket.onclose = ({ code, reason, wasClean }) => done(`${code} ${reason} ${wasClean}`);
      })),
      events: await within(new Promise((done) => {
        const events = new EventSource(at());
        events.onopen = () => done('open');
        events.onerror = () => { done(`error ${events.readyState}`); events.close(); };
      })),
      worker: await within(new Promise((done) => {
        try {
          new Worker(at()).onerror = () => done('error');
        } catch (e) {
          done(e.name);
        }
      })),
    };
    const timed = performance.getEntriesByType('resource').filter(({ name }) => name.includes(`n=${n}-`))
      .map((e) => [e.initiatorType, e.responseStatus, e.transferSize, e.encodedBodySize,
        e.decodedBodySize, e.nextHopProtocol, e.contentType, e.redirectCount].join(' ')).sort();
    for (const [way, what] of Object.entries(seen)) outcomes.push(`${url} ${way}: ${what}`);
    outcomes.push(`${url} timing: ${timed.join(', ')}`);
  }));
  return outcomes.sort();
}

async function outcomes(through) {
  const browser = await chromium.launchPersistentContext(`${profile}-${through}`, {
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
      through ? `--proxy-server=${proxy}` : '--no-proxy-server',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  try {
    const page = await browser.newPage();
    await page.route('http://evil.example/', (route) => route.fulfill(
      { contentType: 'text/html', body: '<!doctype html><title>evil</title><body>' }));
    await page.goto('http://evil.example/');
    return await page.evaluate(attack, urls);
  } finally {
    await browser.close();
  }
}

const through = await outcomes(true);
const past = await outcomes(false);
const reads = through.filter((one) => /"recorder"|<h1>|FindProxy|BEGIN CERT|ok$|: (load|open|canplay)/.test(one)
  && !/ frame: load/.test(one));
report(`a page of another site reads nothing of ${through.length} ways`, reads.join('; '));
const differs = through.filter((one, i) => one !== past[i]).map((one) => `${one} <> ${
  past.find((other) => other.split(': ')[0] === one.split(': ')[0])}`);
report('and sees no difference to a browser that does not go through', differs.join('\n#   '));
