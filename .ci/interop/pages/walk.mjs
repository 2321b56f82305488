// Walks over a site in a real browser, and keeps what the browser says of its pages: each document
// that a tab has shown, with its title, and for which of them each request was made.
//
//   node walk.mjs BROWSER SITE PROXY PROFILE FILE
//
// BROWSER is chromium, which playwright drives, or firefox, which puppeteer does. SITE is a module of
// ../replay/sites/. FILE gets {pages: [{url, title}], requests: [{url, method, at, page}]}; page is a
// number in pages, or null.
import fs from 'node:fs';
import { createRequire } from 'node:module';

process.env.PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS = '1';
const [kind, name, proxy, profile, file] = process.argv.slice(2);
const site = await import(`../replay/sites/${name}.mjs`);
const bare = (url) => url.split('#')[0];

const pages = [];
const requests = [];
const shown = new Map(); // the number of the page that a tab shows

const madeOf = (request, page = null) => (
  { url: bare(request.url()), method: request.method(), at: Date.now(), page });

// watch notes what a tab shows, and for what it asks.
function watch(tab) {
  let going = null; // the requests of the navigation that has begun
  tab.on('request', (request) => {
    const main = request.isNavigationRequest() && request.frame() === tab.mainFrame();
    const made = madeOf(request, shown.get(tab));
    requests.push(made);
    if (!main) return;
    const from = request.redirectedFrom?.() ?? request.redirectChain?.().length;
    going = from && going ? { url: made.url, all: [...going.all, made] } : { url: made.url, all: [made] };
  });
  const begin = () => {
    const number = pages.push({ url: going.url, title: null }) - 1;
    for (const request of going.all) request.page = number;
    going = null;
    shown.set(tab, number);
  };
  tab.on('framenavigated', (frame) => {
    if (frame === tab.mainFrame() && going?.url === bare(frame.url())) begin(); // else a script has made the URL
  });
  // In Firefox that comes after what the page asks for.
  if (kind === 'firefox') {
    tab.on('response', (response) => {
      const [status, headers] = [response.status(), response.headers()];
      const isDocument = status !== 204 && (status < 300 || status >= 400) && !headers['content-disposition'];
      if (going && going.url === bare(response.url()) && isDocument) begin();
    });
  }
  tab.on('console', (message) => {
    const [url, title] = message.text().startsWith(mark) ? JSON.parse(message.text().slice(mark.length)) : [];
    const page = pages.findLast((one) => one.url === url);
    if (page) page.title = title;
  });
}

// Each document tells its title as it was sent, before a script changes it.
const mark = 'the title: ';
const tell = (said) => {
  const say = () => console.debug(said + JSON.stringify([location.href.split('#')[0], document.title]));
  if (window !== window.top) return;
  new MutationObserver((_, watcher) => {
    const title = document.querySelector('head > title');
    if (!title?.nextSibling && document.readyState === 'loading' && !document.body) return;
    watcher.disconnect();
    say();
  }).observe(document, { childList: true, subtree: true });
};

let browser;
let first;
if (kind === 'chromium') {
  const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
  browser = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
      `--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>'],
  });
  first = browser.pages()[0] ?? await browser.newPage();
  browser.on('page', watch);
  await browser.addInitScript(tell, mark);
  browser.on('request', (request) => {
    if (!request.serviceWorker()) return;
    const made = madeOf(request);
    // What a tab has asked for, the service worker asks for in its place.
    const isSame = (one) => one.url === made.url && one.method === made.method && made.at - one.at < 2000;
    if (!requests.some(isSame)) requests.push(made);
  });
} else {
  const puppeteer = createRequire(`${process.env.PUPPETEER}/`)('puppeteer-core');
  const [host, port] = [proxy.slice(0, proxy.lastIndexOf(':')), Number(proxy.slice(proxy.lastIndexOf(':') + 1))];
  browser = await puppeteer.launch({
    browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true, userDataDir: profile,
    acceptInsecureCerts: false,
    extraPrefsFirefox: {
      'network.proxy.type': 1, 'network.proxy.http': host, 'network.proxy.http_port': port,
      'network.proxy.ssl': host, 'network.proxy.ssl_port': port, 'network.proxy.allow_hijacking_localhost': true,
      'security.enterprise_roots.enabled': true,
    },
  });
  first = (await browser.pages())[0] ?? await browser.newPage();
  const watched = new Set([first]);
  browser.on('targetcreated', async () => { // of frames and workers, too
    for (const tab of await browser.pages()) {
      if (watched.has(tab)) continue;
      watched.add(tab);
      watch(tab);
      await tab.evaluateOnNewDocument(tell, mark);
    }
  });
}
watch(first);
if (kind === 'firefox') {
  await first.evaluateOnNewDocument(tell, mark);
  const goto = first.goto.bind(first);
  first.goto = (url) => goto(url, { waitUntil: 'domcontentloaded', timeout: 10000 });
}
try {
  await site.walk(first, async () => {});
} finally {
  await new Promise((done) => { setTimeout(done, 500); }); // titles
  fs.writeFileSync(file, JSON.stringify({ pages, requests }, null, 1));
  await browser.close();
}
