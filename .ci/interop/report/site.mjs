// A site on which much goes wrong.
//
//   node site.mjs PORTS    writes the ports of two servers: the pages, and others' images
//
// /whole has nothing wrong. /wrong and /other ask for one thing of each kind, by names of their own.
// Of what is asked of the second server, by either address, the Referer is a mere origin.
import fs from 'node:fs';
import http from 'node:http';
import zlib from 'node:zlib';

const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwC'
  + 'AAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=', 'base64');
const kinds = ['forbidden', 'busy', 'unavailable', 'challenge', 'none', 'cut', 'fine'];
let images;
const pageOf = (name) => `<!DOCTYPE html><meta charset=utf-8><title>${name}</title><link rel=icon href="data:,">
${kinds.map((kind) => `<img src="/${kind}?${name}">`).join('')}
<img src="http://127.0.0.1:${images}/busy?${name}">
<img src="http://127.0.0.2:${images}/?${name}">
<script>
  addEventListener('load', async () => {
    await fetch('/part?${name}', { headers: { Range: 'bytes=0-9' } }).catch(() => {});
    await fetch('/zstd?${name}').catch(() => {});
    window.done = true;
  });
</script>`;

function answer(req, res) {
  const { pathname } = new URL(req.url, 'http://site/');
  const send = (status, fields = {}, body = png) => {
    res.writeHead(status, { 'Content-Type': 'image/png', 'Content-Length': body.length, ...fields });
    res.end(body);
  };
  switch (pathname) {
    case '/forbidden': return send(403);
    case '/busy': return send(429, { 'Retry-After': '60' });
    case '/unavailable': return send(503);
    case '/challenge': return send(403, { 'CF-Mitigated': 'challenge' });
    case '/none': return req.socket.destroy();
    case '/cut':
      res.writeHead(200, { 'Content-Type': 'image/png', 'Content-Length': 5000 });
      return res.write(png, () => setTimeout(() => res.destroy(), 50));
    case '/part': return send(206, { 'Content-Range': 'bytes 0-9/100' }, png.subarray(0, 10));
    case '/zstd': return send(200, { 'Content-Encoding': 'zstd' }, zlib.gzipSync(png));
    case '/fine': case '/favicon.ico': return send(200);
    case '/whole': return send(200, { 'Content-Type': 'text/html' }, Buffer.from(
      '<!DOCTYPE html><title>whole</title><link rel=icon href="data:,"><img src=/fine>'
      + '<script>onload = () => { done = true }</script>'));
    default: return send(200, { 'Content-Type': 'text/html' }, Buffer.from(pageOf(pathname.slice(1))));
  }
}

const listen = () => new Promise((resolve) => {
  const server = http.createServer(answer).listen(0, '127.0.0.1', () => resolve(server.address().port));
});
images = await listen();
const pages = await listen();
fs.writeFileSync(`${process.argv[2]}.new`, JSON.stringify({ pages, images }));
fs.renameSync(`${process.argv[2]}.new`, process.argv[2]);
