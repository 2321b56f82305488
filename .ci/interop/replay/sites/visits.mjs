// Pages in all the ways in which people come to them, with all the ways in which a page asks for
// what it shows: redirects, forms, scripts, windows, tabs side by side; frames, workers, styles and
// modules that ask for more; policies that keep where a request comes from to themselves.
import { bodyOf, send } from '../origin.mjs';

export const start = 'https://visits.example.org/';
const elsewhere = 'https://elsewhere.example.org';
const third = 'https://third.example.org';

// text waits until a page has said so much.
const says = (page, text) => page.waitForFunction(
  (wanted) => document.querySelector('p')?.textContent === wanted, ...argument(page, text));

// argument is where playwright and puppeteer take the argument of a function.
const argument = (page, value) => (page.context ? [value] : [{}, value]);

// tab opens another page beside one.
const tab = (page) => (page.context ? page.context().newPage() : page.browser().newPage());
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });

export async function walk(page, step) {
  for (const path of ['', 'moved', 'secret', 'origin', 'made', 'again', 'latin1', 'sjis', 'xhtml', 'missing']) {
    await page.goto(start + path);
    await says(page, 'all there');
    await step(path);
  }
  await page.goto(`${start}refresh`); // leads to /refreshed
  await says(page, 'refreshed');
  await page.goto(`${start}form`); // posts itself
  await says(page, 'got one');
  await page.goto(`${start}stay`); // goes to what is no page, and stays
  await says(page, 'all there');
  await page.evaluate(() => { location.href = '/empty'; });
  await sleep(300);
  await page.evaluate(() => { location.href = '/download'; });
  await sleep(300);
  await page.evaluate(() => { location.href = '/left'; });
  await says(page, 'left');
  if (!page.context) return; // nor of what a service worker fetches
  await page.goto(`${start}worker`); // a service worker fetches what it asks for
  await says(page, 'controlled');
  await page.goto(`${start}worker?2`);
  await says(page, 'controlled');

  // Two tabs at once, each of which tells its whole URL; and one that another opens.
  const other = await tab(page);
  await Promise.all([page.goto(`${start}left?side`), other.goto(`${start}right?side`)]);
  await Promise.all([page, other].map((one) => one.evaluate(async () => {
    for (let n = 0; n < 10; n++) await fetch(`/data?${location.pathname}${n}`);
  })));
  await sleep(3100); // as a person would: what is asked for sooner may be a frame
  await other.evaluate(() => { window.open('/opened'); });
  await sleep(1000);
  await other.close();

  // Nothing of all this is told to plain http.
  for (const path of ['', 'moved', 'xhtml']) {
    await sleep(3100);
    await page.goto(`http://visits.example.org/${path}`);
    await says(page, 'all there');
  }
}

const html = (title, body, head = '') => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

// done says what a page has to say once it is loaded, and what its script asks for is there.
const done = (script = '', says = 'all there') => `<p></p><script type="module">
const image = (src) => new Promise((end) => { const i = new Image(); i.onload = i.onerror = end; i.src = src; });
await new Promise((end) => { if (document.readyState === 'complete') end(); else addEventListener('load', end); });
${script}
document.querySelector('p').textContent = '${says}';
</script>`;

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><title>no page</title></svg>';

const all = html('Visits &amp; &ldquo;all&rdquo;\n of them', `<svg><title>no title</title></svg>
<img src="/near.svg"><img src="${elsewhere}/far.svg"><iframe src="${elsewhere}/frame"></iframe>
<iframe src="/inner"></iframe>
<script>// with an object puppeteer sees no end of a page in Firefox
if (!/Firefox/.test(navigator.userAgent)) document.write('<object data="/object" type="text/html"></object>');</script>
<script type="module" src="/module.js"></script>${done(`
await document.fonts.load('20px Near').catch(() => {}); // it is no font
await fetch('/data', { method: 'POST', body: 'one' });
await fetch('${elsewhere}/data');
const worker = new Worker('/work.js');
await new Promise((end) => { worker.onmessage = end; });
await fetch('/turned');
`)}`, `<link rel="stylesheet" href="/style.css"><link rel="stylesheet" href="${elsewhere}/style.css">
<link rel="prefetch" href="/ahead"><link rel="manifest" href="/manifest.webmanifest">`);

const pages = {
  '/': all,
  '/moved2': all,
  '/secret': html('Secret', `<img src="/near.svg?s"><img src="${elsewhere}/far.svg?s">
<iframe src="/inner?s"></iframe>${done(`await fetch('/data?s'); await fetch('${elsewhere}/data?s');`)}`),
  '/origin': html('Origin', `<img src="/near.svg?o"><img src="${elsewhere}/far.svg?o">${done()}`),
  '/made': html('Made', done(`history.pushState({}, '', '/made/up');
await fetch('/data?up'); await image('relative.svg'); await image('${elsewhere}/far.svg?up');`)),
  '/again': html('Again', `<img src="/near.svg?a">${done()}`),
  '/missing': html('Missing', done()),
  '/refresh': html('Refresh', '<img src="/near.svg?r">', '<meta http-equiv="refresh" content="0; url=/refreshed">'),
  '/refreshed': html('Refreshed', `<img src="/near.svg?q">${done('', 'refreshed')}`),
  '/form': html('Form', `<form method="post" action="/answer"><input name="n" value="one"></form>
<script>onload = () => document.forms[0].submit();</script>`),
  '/stay': html('Stay', done()),
  '/left': html('Left', `<img src="/near.svg?l">${done('', 'left')}`),
  '/right': html('Right', `<img src="/near.svg?t">${done('', 'right')}`),
  '/opened': html('Opened', `<img src="/near.svg?w">${done()}`),
  '/worker': html('Worker', `<img src="/near.svg?k">${done(`await navigator.serviceWorker.register('/service.js');
await navigator.serviceWorker.ready;
if (!navigator.serviceWorker.controller) {
  await new Promise((end) => { navigator.serviceWorker.oncontrollerchange = end; });
}
await fetch('/data?k'); await image('/near.svg?kk'); await image('${elsewhere}/far.svg?kk');`, 'controlled')}`),
  '/inner': html('Inner', `<img src="/near.svg?i"><img src="${third}/deep.svg">`),
  '/object': html('Object', '<img src="/near.svg?j">'),
  '/frame': html('Frame', `<img src="/mine.svg"><img src="${third}/deep.svg?f">
<iframe src="${third}/deeper"></iframe>`),
  '/deeper': html('Deeper', '<img src="/own.svg">'),
  '/ahead': html('Ahead', ''),
};

const policies = { '/secret': 'no-referrer', '/origin': 'origin' };
const scripts = {
  '/module.js': 'import "/imported.js";',
  '/imported.js': 'export default 1;',
  '/work.js': 'fetch("/data?work").then(() => importScripts("/work2.js")).then(() => postMessage(1));',
  '/work2.js': '',
  '/service.js': `addEventListener('install', () => skipWaiting());
addEventListener('activate', (e) => e.waitUntil(clients.claim()));
addEventListener('fetch', (e) => e.respondWith(fetch(e.request)));`,
};
const styles = {
  '/style.css': `@import "/more.css"; @font-face { font-family: Near; src: url(/near.woff2) }
body { background: url(${third}/from-style.svg) }`,
  '/more.css': '@font-face { font-family: More; src: url(/more.woff2) }',
};
const moved = { '/moved': `${elsewhere}/moved1`, '/moved1': `${start}moved2`, '/turned': `${elsewhere}/data?turned` };

const answer = async (request, response) => {
  const { pathname } = new URL(request.url, start);
  const fresh = { 'Cache-Control': 'no-store', 'Access-Control-Allow-Origin': '*' };
  const body = (await bodyOf(request)).toString();
  const say = (type, text) => send(request, response, type, text, fresh);
  if (moved[pathname]) {
    return response.writeHead(302, { Location: moved[pathname], 'Content-Length': 0, ...fresh }).end();
  }
  if (pathname === '/empty') return response.writeHead(204).end();
  if (pathname === '/answer') {
    return say('html', html(`Answer ${body}`, `<img src="/near.svg?p">${done('', 'got one')}`));
  }
  if (pathname === '/again') return send(request, response, 'html', pages[pathname]);
  if (pathname === '/missing') {
    return response.writeHead(404, { 'Content-Type': 'text/html' }).end(pages[pathname]);
  }
  if (pathname === '/download') {
    return response.writeHead(200, {
      'Content-Type': 'text/html', 'Content-Disposition': 'attachment; filename=a.html',
    }).end('<title>no page</title>');
  }
  if (pathname === '/latin1') {
    const text = Buffer.from(`<title>Gr\u00fc\u00dfe</title>${done()}`, 'latin1');
    return response.writeHead(200, { 'Content-Type': 'text/html; charset=iso-8859-1' }).end(text);
  }
  if (pathname === '/sjis') {
    const title = Buffer.from([0x93, 0xfa, 0x96, 0x7b]); // two characters
    return response.writeHead(200, { 'Content-Type': 'text/html' })
      .end(Buffer.concat([Buffer.from('<meta charset="shift_jis"><title>'), title, Buffer.from(`</title>${done()}`)]));
  }
  if (pathname === '/xhtml') {
    return response.writeHead(200, { 'Content-Type': 'application/xhtml+xml' }).end(
      '<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head>'
      + '<title>X &#233; &lt;b&gt;</title></head><body><p>all there</p><img src="/near.svg?x" alt=""/></body></html>');
  }
  const policy = policies[pathname] && { 'Referrer-Policy': policies[pathname] };
  if (pages[pathname]) return send(request, response, 'html', pages[pathname], { ...fresh, ...policy });
  if (pathname in scripts) return say('js', scripts[pathname]);
  if (pathname in styles) return say('css', styles[pathname]);
  if (pathname.endsWith('.svg')) return say('svg', picture);
  return say('json', '{}');
};

export const serve = () => Object.fromEntries(
  [start, elsewhere, third].map((url) => [new URL(url).hostname, answer]));
