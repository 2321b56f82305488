// Renders a recorded page in replayweb.page, in a headless Chromium that finds
// no host but the server of this script: the page must come from the WARC
// alone. Then asks the page, as drive.mjs does, what it has found.
//
//   node render.mjs WARC URL TEXT PROFILE
//
// TEXT must be on the page. playwright-core is taken from the folder that
// PLAYWRIGHT names, replayweb.page's ui.js and sw.js from REPLAYWEB.
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const [warc, url, text, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');

function report(name, problem) {
  console.log(problem ? `not ok - ${name}: ${problem}` : `ok - ${name}`);
}

const attribute = (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
const files = {
  '/': ['text/html', Buffer.from(`<!doctype html><script src="/ui.js"></script>
    <replay-web-page source="/recorded.warc.gz" url="${attribute(url)}"
      replayBase="/replay/" embed="replayonly"></replay-web-page>`)],
  '/ui.js': ['text/javascript', fs.readFileSync(`${process.env.REPLAYWEB}/ui.js`)],
  '/replay/sw.js': ['text/javascript', fs.readFileSync(`${process.env.REPLAYWEB}/sw.js`)],
  '/recorded.warc.gz': ['application/gzip', fs.readFileSync(warc)],
};

function serve(request, response) {
  const [type, content] = files[request.url.split('?')[0]] ?? [];
  if (!content) return response.writeHead(404).end();
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const headers = { 'Content-Type': type, 'Accept-Ranges': 'bytes' };
  if (first === undefined) {
    response.writeHead(200, { ...headers, 'Content-Length': content.length });
    return response.end(request.method === 'HEAD' ? undefined : content);
  }
  const start = first === '' ? content.length - Number(last) : Number(first);
  const end = first === '' || last === '' ? content.length - 1 : Math.min(Number(last), content.length - 1);
  const range = `bytes ${start}-${end}/${content.length}`;
  response.writeHead(206, { ...headers, 'Content-Length': end - start + 1, 'Content-Range': range });
  return response.end(content.subarray(start, end + 1));
}

const server = http.createServer(serve);
await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--no-proxy-server', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args });
try {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (problem) => said.push(String(problem)));
  // rendered waits until the recorded page is done, at most 20 seconds.
  const rendered = async () => {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    const pause = () => new Promise((done) => { setTimeout(done, 100); });
    for (const deadline = Date.now() + 20000; Date.now() < deadline; await pause()) {
      for (const frame of page.frames()) {
        if (frame.url().endsWith(url) && await frame.evaluate('window.done === true').catch(() => false)) return frame;
      }
    }
    const frames = await Promise.all(page.frames().map(async (f) => {
      const text = await f.evaluate('document.body?.innerText ?? ""').catch(String);
      return `${f.url()}: ${text.slice(0, 200)}`;
    }));
    console.log(`# replayweb.page has not rendered ${url}: ${[...frames, ...said].join(' | ').slice(0, 3000)}`);
    return null;
  };
  // On a busy machine the first load now and then stays empty.
  const shown = await rendered() ?? await rendered() ?? await rendered();
  if (shown) {
    for (const { name, problem } of await shown.evaluate('window.results')) {
      report(`replayweb.page: ${url}: ${name}`, problem);
    }
    const all = await shown.evaluate('document.body.innerText');
    report(`replayweb.page: ${url}: shows "${text}"`, all.includes(text) ? '' : `it shows ${all.slice(0, 300)}`);
  } else {
    report(`replayweb.page renders ${url}`, 'not in three loads');
  }
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
