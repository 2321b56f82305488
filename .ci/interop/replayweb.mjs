// replayweb.page on 127.0.0.1: serves its ui.js and sw.js from the folder that REPLAYWEB names, a
// page that embeds it, and the archive, by ranges.
import fs from 'node:fs';
import http from 'node:http';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';

const attribute = (value) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');

// A headless Chromium that finds no host but 127.0.0.1; with no proxy either, for a replay.
export const local = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'];
export const alone = [...local, '--no-proxy-server'];

// serveReplayweb serves the archive: a WARC, a WACZ, or a JSON that lists WACZs beside it. Returns
// address, which makes a recorded page's URL that of its replay, drop, which breaks off what is still
// being sent and tells how much that was, and close; embed is how much of its own replayweb.page shows
// beside the page.
//
// drop is for when a page has been closed: replayweb.page 2.5.3 goes on with the ranges of a film that
// nobody watches any more, two or three of each, and a browser has six connections to a server. The
// seventh range would wait without end.
export async function serveReplayweb(archive, embed = 'replayonly') {
  const name = `/${basename(archive)}`;
  const files = {
    '/ui.js': ['text/javascript', `${process.env.REPLAYWEB}/ui.js`],
    '/replay/sw.js': ['text/javascript', `${process.env.REPLAYWEB}/sw.js`],
    [name]: [name.endsWith('.json') ? 'application/json' : 'application/octet-stream', archive],
  };
  for (const part of name.endsWith('.json') ? fs.readdirSync(dirname(archive)) : []) {
    if (part.endsWith('.wacz')) files[`/${part}`] = ['application/octet-stream', join(dirname(archive), part)];
  }

  const sending = new Set();
  function serve(request, response) {
    const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
    if (pathname === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      const url = searchParams.get('url');
      return response.end(`<!doctype html><script src="/ui.js"></script>
        <replay-web-page source="${name}" ${url ? `url="${attribute(url)}"` : ''}
          replayBase="/replay/" embed="${embed}"></replay-web-page>`);
    }
    const [type, path] = files[pathname] ?? [];
    if (!path) return response.writeHead(404).end();
    const { size } = fs.statSync(path);
    const [asked, first, last] = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const start = asked ? (first === '' ? Math.max(0, size - Number(last)) : Number(first)) : 0;
    const end = asked && first !== '' && last !== '' ? Math.min(Number(last), size - 1) : size - 1;
    response.writeHead(asked ? 206 : 200, {
      'Content-Type': type,
      'Content-Length': end - start + 1,
      ...asked && { 'Content-Range': `bytes ${start}-${end}/${size}` },
      'Accept-Ranges': 'bytes',
    });
    if (request.method === 'HEAD') return response.end();
    sending.add(response);
    return pipeline(fs.createReadStream(path, { start, end }), response, () => { sending.delete(response); });
  }

  const server = http.createServer(serve);
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  return {
    address: (url) => `http://127.0.0.1:${server.address().port}/?url=${encodeURIComponent(url)}`,
    drop: () => {
      const { size } = sending;
      for (const response of sending) response.destroy();
      return size;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

// recordedFrame is the frame of the recorded page, once the expression holds in it; null if it does
// not within the milliseconds.
export async function recordedFrame(page, url, expression, milliseconds) {
  const pause = () => new Promise((done) => { setTimeout(done, 100); });
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline; await pause()) {
    for (const frame of page.frames().filter((f) => f.url().endsWith(url))) {
      if (await frame.evaluate(expression).catch(() => false)) return frame;
    }
  }
  return null;
}

// textOfFrames tells what the page shows instead, frame by frame.
export async function textOfFrames(page) {
  const texts = await Promise.all(page.frames().map(async (frame) => {
    const text = await frame.evaluate('document.body?.innerText ?? ""').catch(String);
    return `${frame.url()}: ${text.slice(0, 200)}`;
  }));
  return texts.join(' | ');
}
