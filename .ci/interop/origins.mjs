// Attacks the recorder's own pages from pages of other origins, in Chromium.
// The browser is that of a person who may read, by address and by cookie. What
// counts is what the recorder has answered, read between the two, and what the
// page got to see.
//
//   node origins.mjs PORT TOKENFILE PROFILE [ADDRESS]    (ADDRESS: of this machine, beyond loopback)
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { createRequire } from 'node:module';

const [port, tokenFile, profile, beyond] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const token = fs.readFileSync(tokenFile, 'utf8').trim();

function report(name, problem) {
  console.log(problem ? `not ok - ${name}: ${problem}` : `ok - ${name}`);
}

const listen = (server, host) => new Promise((up) => server.listen(0, host, () => up(server.address().port)));

// tap passes connections on to the recorder, and keeps the first line of both sides of each.
let seen = [];
function tap(host) {
  return net.createServer((client) => {
    const one = { request: '', answer: '' };
    seen.push(one);
    const recorder = net.connect({ port: Number(port), host, localAddress: host });
    const note = (side) => (bytes) => { if (one[side].length < 200) one[side] += bytes.toString('latin1'); };
    client.on('data', note('request')).on('error', () => recorder.destroy());
    recorder.on('data', note('answer')).on('error', () => client.destroy());
    client.pipe(recorder).pipe(client);
  });
}

// attack runs in the page. It tries each way to each path, and returns what it got to see.
async function attack(base, paths) {
  const got = [];
  const soon = (ms) => new Promise((done) => setTimeout(done, ms));
  const within = (promise) => Promise.race([promise, soon(3000)]);
  const saw = (way, path, what) => got.push(`${way} ${path}: ${String(what).slice(0, 80)}`);
  const element = (name, set) => within(new Promise((done) => {
    const e = document.createElement(name);
    e.onload = () => done(e);
    e.onerror = () => done(null);
    e.oncanplay = () => done(e);
    set(e);
    document.body.append(e);
  }));
  let way = 0; // so that no two ask for the same: the browser would ask once
  await Promise.all(paths.map(async (path) => {
    const at = () => base + path + (path.includes('?') ? '' : `?way=${way++}`);
    const ask = async (way, init) => {
      const res = await within(fetch(at(), init).catch(() => null));
      if (res?.ok) saw(way, path, await res.text().catch(() => 'a status'));
    };
    const secret = { Authorization: 'Bearer x' };
    const ways = [
      ask('fetch', {}), ask('fetch with cookies', { credentials: 'include' }),
      ask('fetch no-cors', { mode: 'no-cors', credentials: 'include' }),
      ask('fetch no-cors, no referrer', { mode: 'no-cors', credentials: 'include', referrerPolicy: 'no-referrer' }),
      ask('HEAD', { method: 'HEAD', credentials: 'include' }), ask('OPTIONS', { method: 'OPTIONS' }),
      ask('PUT', { method: 'PUT', body: 'x' }), ask('with a token', { headers: secret, credentials: 'include' }),
      ask('POST', { method: 'POST', body: 'x', credentials: 'include' }),
      ask('POST no-cors', { method: 'POST', mode: 'no-cors', body: 'x', credentials: 'include' }),
      ask('POST JSON', { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }),
      ask('POST with a token', { method: 'POST', body: 'x', headers: secret, credentials: 'include' }),
    ];
    const embeds = { img: 'src', script: 'src', link: 'href', video: 'src', embed: 'src' };
    for (const [name, property] of Object.entries(embeds)) {
      for (const referrer of ['', 'no-referrer']) {
        ways.push(element(name, (e) => {
          e.referrerPolicy = referrer;
          if (name === 'link') e.rel = 'stylesheet';
          e[property] = at();
        }).then((e) => { if (e && name !== 'embed') saw(name, path, 'it loads'); }));
      }
    }
    const readable = (way, view) => {
      try {
        const text = view.document.documentElement.outerHTML;
        const [navigation] = view.performance.getEntriesByType('navigation');
        const refused = (navigation?.responseStatus ?? 0) >= 400;
        if (view.location.href !== 'about:blank' && !refused) saw(way, path, text);
      } catch { /* as it should be */ }
    };
    for (const referrer of ['', 'no-referrer']) {
      ways.push(element('iframe', (e) => { e.referrerPolicy = referrer; e.src = at(); })
        .then((e) => { if (e) readable('iframe', e.contentWindow); }));
    }
    for (const method of ['GET', 'POST']) {
      const frame = document.createElement('iframe');
      frame.name = `form-${method}-${path}`;
      const form = Object.assign(document.createElement('form'), { method, action: at(), target: frame.name });
      document.body.append(frame, form);
      form.submit();
      ways.push(soon(500).then(() => readable(`form ${method}`, frame.contentWindow)));
    }
    const popup = window.open(at());
    ways.push(soon(1000).then(() => { if (popup) { readable('popup', popup); popup.close(); } }));
    const post = Object.assign(document.createElement('form'), { method: 'POST', action: at(), target: '_blank' });
    document.body.append(post);
    post.submit();
    ways.push(within(new Promise((done) => {
      const socket = new WebSocket(at().replace('http', 'ws'));
      socket.onopen = () => { saw('WebSocket', path, 'it opens'); done(); };
      socket.onerror = done;
    })), within(new Promise((done) => {
      const events = new EventSource(at(), { withCredentials: true });
      events.onopen = () => { saw('EventSource', path, 'it opens'); done(); };
      events.onerror = () => { events.close(); done(); };
    })));
    navigator.sendBeacon?.(at(), 'x');
    const quiet = (f) => { try { return f(); } catch { return null; } };
    ways.push(within(new Promise((done) => {
      const worker = quiet(() => new Worker(at()));
      if (!worker) done();
      else worker.onerror = done;
    })));
    if (quiet(() => navigator.serviceWorker)) {
      ways.push(within(navigator.serviceWorker.register(at())
        .then(() => saw('service worker', path, 'it registers'), () => {})));
    }
    await Promise.all(ways);
  }));
  return got;
}

const open = ['/trust', '/proxy.pac', '/ca.pem', '/ca.crt', '/ca.p12', '/ca.mobileconfig', '/healthz',
  '/readyz'];
const paths = [...open, '/status', '/gaps', '/export', '/nothing', '/pause', '/resume',
  '/record?type=resource&uri=urn:attack'];

const attackers = http.createServer((request, response) => {
  const headers = { 'Content-Type': 'text/html' };
  if (request.url === '/opaque') {
    headers['Content-Security-Policy'] = 'sandbox allow-scripts allow-popups allow-forms';
  }
  response.writeHead(200, headers);
  response.end('<!doctype html><title>attack</title><body>');
});
const theirs = await listen(attackers, '127.0.0.1');
const near = await listen(tap('127.0.0.1'), '127.0.0.1');
const far = beyond ? await listen(tap(beyond), beyond) : 0;

const browser = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--no-proxy-server',
    '--disable-features=LocalNetworkAccessChecks', // that asks the person first: here they agree
    '--host-resolver-rules=MAP foreign.test 127.0.0.1, MAP rebound.test 127.0.0.1, '
      + `MAP farbound.test ${beyond ?? '127.0.0.1'}`],
});

// state is all that an attack could have changed.
async function state() {
  const res = await fetch(`http://127.0.0.1:${port}/status`, { headers: { Authorization: `Bearer ${token}` } });
  const { paused, exchanges, bytes } = await res.json();
  return JSON.stringify({ paused, exchanges, bytes });
}

// answered is what the recorder has given: `METHOD path` of what was not refused, beyond what may be.
function answered(mayOpen) {
  const lines = seen.map(({ request, answer }) => [request.split('\r\n')[0], answer.split('\r\n')[0]]);
  return lines.filter(([request, answer]) => {
    const [method, target = ''] = request.split(' ');
    const path = target.split('?')[0];
    if (!/^HTTP\/1\.1 2/.test(answer)) return false;
    return !(mayOpen && open.includes(path) && ['GET', 'HEAD'].includes(method));
  }).map((pair) => pair.join(' -> '));
}

// login is how a person comes by the cookie: the URL with the token leads to the one without.
async function login(base) {
  const page = await browser.newPage();
  await page.goto(`${base}/?token=${token}`);
  await page.waitForURL(`${base}/trust`);
  const { referrer, cookie } = await page.evaluate(() => ({ referrer: document.referrer, cookie: document.cookie }));
  report(`${base}: the token becomes a cookie, and is nowhere in the page`,
    referrer.includes('token') || cookie ? `${referrer} ${cookie}` : '');
  await page.goBack().catch(() => null);
  report(`${base}: nor in the history`, page.url().includes('token') ? page.url() : '');
  await page.close();
}

// ours is what a page of our own may do.
async function ours(base) {
  const page = await browser.newPage();
  await page.goto(`${base}/trust`);
  await page.click('a[href="/status"]'); // that page may ask for more than the trust page may
  await page.waitForURL(`${base}/status`);
  const said = await page.evaluate(async () => {
    const all = [];
    for (const [method, path] of [['GET', '/status'], ['GET', '/export'], ['POST', '/pause'], ['POST', '/resume'],
      ['POST', '/record?type=resource&uri=urn:ours']]) {
      const body = method === 'POST' ? 'x' : undefined;
      const res = await fetch(path, { method, body, headers: { 'Content-Type': 'text/plain' } });
      all.push(`${path} ${res.status} ${(await res.text()).includes('the-secret')}`);
    }
    return all.join(', ');
  });
  const want = '/status 200 false, /export 200 true, /pause 200 false, /resume 200 false, '
    + '/record?type=resource&uri=urn:ours 201 false';
  report(`${base}: a page of our own reads and changes`, said === want ? '' : said);
  const text = await page.innerText('body');
  report(`${base}: a person follows its links`, text.includes('"recording"') ? '' : text.slice(0, 200));
  await page.close();
}

async function from(origin, target, fulfil) {
  const name = `${origin} against ${target}`;
  const before = await state();
  const page = await browser.newPage();
  if (fulfil) { // the name led to the attacker, and leads to us from now on
    await page.route(`${origin}/attack`,
      (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><body>' }));
  }
  await page.goto(fulfil ? `${origin}/attack` : origin);
  seen = [];
  const got = await page.evaluate(`(${attack})(${JSON.stringify(target)}, ${JSON.stringify(paths)})`);
  await page.close();
  for (const other of browser.pages().slice(1)) await other.close();
  const asked = new Set(seen.map(({ request }) => request.split(' ')[0]));
  report(`${name}: sees nothing`, got.join('; '));
  report(`${name}: nothing is worked out`, answered(!fulfil).join('; '));
  report(`${name}: nothing is changed`, before === await state() ? '' : `${before} is ${await state()}`);
  report(`${name}: it was tried`, asked.has('GET') && asked.has('POST') && seen.length > 100 ? ''
    : `${seen.length} requests, ${[...asked]}`);
  console.log(`# ${seen.length} requests`);
}

try {
  console.log(`# Chromium ${browser.browser()?.version() ?? ''}`);
  const targets = [`http://127.0.0.1:${near}`, `http://localhost:${near}`];
  if (beyond) targets.push(`http://${beyond}:${far}`);
  for (const target of targets) {
    await login(target);
    await ours(target);
    for (const origin of [`http://127.0.0.1:${theirs}`, `http://foreign.test:${theirs}`,
      `http://foreign.test:${theirs}/opaque`]) await from(origin, target);
  }
  await from(`http://rebound.test:${near}`, `http://rebound.test:${near}`, true);
  if (beyond) await from(`http://farbound.test:${far}`, `http://farbound.test:${far}`, true);
} finally {
  await browser.close();
  process.exit();
}
