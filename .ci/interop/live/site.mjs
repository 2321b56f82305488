// The site that is recorded while the live page is looked at: HTTP and HTTPS of *.example.org.
//
//   node site.mjs CERT KEY ASKED    prints `up` once both are there
//
// ASKED gets a line of JSON for each request: method, host, url, its fields and its body.
// /cut.jpg breaks off; /row/N is a small text; what is not known is a 404.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import zlib from 'node:zlib';
import { bodies } from './bodies.mjs';

const [cert, key, asked] = process.argv.slice(2);
const codings = { gzip: zlib.gzipSync, br: zlib.brotliCompressSync };

async function answer(req, res) {
  const kept = [];
  for await (const piece of req) kept.push(piece);
  fs.appendFileSync(asked, `${JSON.stringify({ method: req.method, host: req.headers.host, url: req.url,
    fields: req.rawHeaders, body: Buffer.concat(kept).toString('base64') })}\n`);
  const [path] = req.url.split('?');
  if (path === '/cut.jpg') {
    res.writeHead(200, { 'Content-Type': 'image/jpeg', 'Content-Length': 50000 });
    return res.write(Buffer.alloc(1000), () => setImmediate(() => res.destroy()));
  }
  const row = /^\/row\/(\d+)$/.exec(path);
  const found = row ? { type: 'text/plain', body: Buffer.from(`row ${row[1]}`) } : bodies[path];
  const { type, body, coding } = found ?? { type: 'text/html', body: Buffer.from('<h1>Not here</h1>') };
  const sent = coding ? codings[coding](body) : body;
  const fields = { 'Content-Type': type, 'Content-Length': sent.length, 'X-Binary': 'f\xfcr',
    'Cache-Control': 'no-store' };
  if (coding) fields['Content-Encoding'] = coding;
  res.writeHead(found ? 200 : 404, fields);
  return res.end(sent);
}

const servers = [[http.createServer(answer), 80],
  [https.createServer({ cert: fs.readFileSync(cert), key: fs.readFileSync(key) }, answer), 443]];
await Promise.all(servers.map(([server, port]) => new Promise((done) => {
  server.listen(port, '127.0.0.1', done);
})));
console.log('up');
