// Lets a real Chromium look at each odd answer, from one page: at the origin through the proxy, or replayed.
//
//   node look.mjs live PROXY PAGE CASES OUT PROFILE
//   node look.mjs pywb COLLECTION_URL PAGE CASES OUT PROFILE
//   node look.mjs replayweb WARC PAGE CASES OUT PROFILE
//
// OUT gets what the page has seen, as JSON. playwright-core is taken from the folder that PLAYWRIGHT names,
// replayweb.page's ui.js and sw.js from REPLAYWEB.
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const [how, from, url, casesFile, out, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const cases = JSON.parse(fs.readFileSync(casesFile)).filter((one) => how !== 'live' || one.live);
cases.push({ name: 'websocket', path: url.replace('http', 'ws').replace('/page', '/socket') });

// serveReplayweb returns the address of a page that embeds the WARC.
async function serveReplayweb(warc) {
  const files = {
    '/': ['text/html', `<!doctype html><script src="/ui.js"></script><replay-web-page
      source="/recorded.warc.gz" url="${url}" replayBase="/replay/" embed="replayonly"></replay-web-page>`],
    '/ui.js': ['text/javascript', fs.readFileSync(`${process.env.REPLAYWEB}/ui.js`)],
    '/replay/sw.js': ['text/javascript', fs.readFileSync(`${process.env.REPLAYWEB}/sw.js`)],
    '/recorded.warc.gz': ['application/gzip', fs.readFileSync(warc)],
  };
  const server = http.createServer((request, response) => {
    const [type, content] = files[request.url.split('?')[0]] ?? [];
    if (!content) return response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': type, 'Content-Length': content.length });
    return response.end(request.method === 'HEAD' ? undefined : content);
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return `http://127.0.0.1:${server.address().port}/`;
}

const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
const through = [`--proxy-server=${from}`, '--proxy-bypass-list=*;<-loopback>'];
args.push(...how === 'live' ? through : ['--no-proxy-server']);
const start = { live: () => url, pywb: () => `${from}/${url}`, replayweb: () => serveReplayweb(from) };
// A replay has put wombat into the page before its scripts run.
const ready = `typeof window.look === 'function' && (${how === 'live'} || typeof _wb_wombat !== 'undefined')`;

const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args });
const page = await browser.newPage();
const address = await start[how]();
const pause = () => new Promise((done) => { setTimeout(done, 100); });
// shown is the frame of the recorded page, at most 20 seconds later.
const shown = async () => {
  await page.goto(address);
  for (const deadline = Date.now() + 20000; Date.now() < deadline; await pause()) {
    for (const frame of page.frames()) {
      if (await frame.evaluate(ready).catch(() => false)) return frame;
    }
  }
  return null;
};
// On a busy machine the first load now and then stays empty.
const frame = await shown() ?? await shown() ?? await shown();
if (!frame) throw new Error(`${how} does not show the page`);
const seen = await frame.evaluate((all) => window.look(all), cases);
fs.writeFileSync(out, JSON.stringify(seen, null, 1));
console.log(`# ${how}: Chromium ${browser.browser()?.version() ?? ''}, ${Object.keys(seen).length} answers`);
await browser.close();
process.exit(0);
