// The origins of the sites of this folder: HTTPS at port 443 of 127.0.0.1, and HTTP at port 80, each
// host with the handler that its site has for it.
//
//   node serve.mjs CERT KEY SITE...
//
// Prints `up` once all can be asked, then a line for each request.
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const [cert, key, ...names] = process.argv.slice(2);
const hosts = {};
for (const name of names) {
  const { serve } = await import(`./sites/${name}.mjs`);
  if (serve) Object.assign(hosts, await serve());
}

function answer(request, response) {
  const host = request.headers.host?.split(':')[0];
  console.log(`${request.method} ${host}${request.url}`);
  const handler = hosts[host];
  if (handler) return handler(request, response);
  return response.writeHead(421, { 'Content-Length': 0 }).end();
}

const secure = { cert: fs.readFileSync(cert), key: fs.readFileSync(key), maxHeaderSize: 1 << 17 };
const servers = [
  [https.createServer(secure, answer), 443],
  [http.createServer(answer), 80],
];
await Promise.all(servers.map(([server, port]) => (
  new Promise((done) => { server.listen(port, '127.0.0.1', done); }))));
console.log('up');
