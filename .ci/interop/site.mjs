// The origin of the interop run: HTTP and HTTPS on 127.0.0.1, on raw sockets,
// so that its log holds the very bytes that it was sent and that it sent.
// check.py holds those against the WARC records: what the recorder keeps must
// be equal to them, byte for byte, in every exchange.
//
//   node site.mjs CERT KEY LOG PORTS
//
// LOG gets one JSON line for each exchange (bytes in base64; paths below
// /load and /big excepted, their bodies follow from the path). PORTS is
// written once both listeners are up: {"http": 1234, "https": 1235}.
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import tls from 'node:tls';
import zlib from 'node:zlib';

const [cert, key, log, ports] = process.argv.slice(2);
const page = (name) => fs.readFileSync(new URL(`page/${name}`, import.meta.url));
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Wire is the receiving side of one connection, read by head, line or length.
class Wire {
  constructor(socket) {
    this.chunks = socket[Symbol.asyncIterator]();
    this.rest = Buffer.alloc(0);
  }

  // until returns the bytes up to and including mark, or null at the end.
  async until(mark) {
    for (;;) {
      const at = this.rest.indexOf(mark);
      if (at >= 0) return this.cut(at + mark.length);
      const { value, done } = await this.chunks.next();
      if (done) return null;
      this.rest = Buffer.concat([this.rest, value]);
    }
  }

  // take passes the next n bytes to sink, piece by piece.
  async take(n, sink) {
    while (n > 0) {
      if (this.rest.length === 0) {
        const { value, done } = await this.chunks.next();
        if (done) throw new Error('the request ended early');
        this.rest = value;
      }
      const piece = this.cut(Math.min(n, this.rest.length));
      n -= piece.length;
      sink(piece);
    }
  }

  cut(n) {
    const head = this.rest.subarray(0, n);
    this.rest = this.rest.subarray(n);
    return head;
  }
}

// Exchange is one request and its response, with every byte of both.
class Exchange {
  constructor(socket, scheme, head) {
    const lines = head.toString('latin1').split('\r\n');
    [this.method, this.target] = lines[0].split(' ');
    this.headers = {};
    for (const line of lines.slice(1)) {
      const colon = line.indexOf(':');
      if (colon > 0) this.headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
    }
    Object.assign(this, { socket, scheme, request: [head], interim: [], response: [], last: false });
    this.path = this.target.split('?')[0];
    this.logged = !/^\/(load|big)(\/|$)/.test(this.path);
    this.body = crypto.createHash('sha1');
    this.bodyLength = 0;
    this.kept = [];
  }

  // receive reads the request's body, by Content-Length or by chunks.
  async receive(wire) {
    const raw = (piece) => { if (this.logged) this.request.push(piece); };
    const entity = (piece) => {
      this.body.update(piece);
      this.bodyLength += piece.length;
      if (this.logged) this.kept.push(piece);
    };
    const both = (piece) => { raw(piece); entity(piece); };
    if (!/chunked/i.test(this.headers['transfer-encoding'] ?? '')) {
      return wire.take(Number(this.headers['content-length'] ?? 0), both);
    }
    for (;;) {
      const size = await wire.until('\r\n');
      raw(size);
      const n = parseInt(size.toString('latin1'), 16);
      if (n === 0) break;
      await wire.take(n, both);
      raw(await wire.until('\r\n'));
    }
    for (let line = ''; line !== '\r\n';) { // the trailer section
      const bytes = await wire.until('\r\n');
      raw(bytes);
      line = bytes.toString('latin1');
    }
  }

  async write(bytes) {
    if (!this.socket.write(bytes)) {
      await new Promise((go) => {
        const on = () => { this.socket.off('drain', on).off('close', on); go(); };
        this.socket.once('drain', on).once('close', on);
      });
      if (this.socket.destroyed) throw new Error('the client went away');
    }
  }

  // send writes a part of the final response.
  async send(bytes) {
    bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes, 'latin1');
    if (this.logged) this.response.push(bytes);
    await this.write(bytes);
  }

  // hint writes a 1xx head, which goes to the client and not into the record.
  async hint(head) {
    this.interim.push(Buffer.from(head, 'latin1'));
    await this.write(head);
  }

  head(status, ...headers) {
    return this.send([`HTTP/1.1 ${status}`, 'X-Origin: interop', ...headers, '', ''].join('\r\n'));
  }

  // reply sends a whole response; the page checks the body by its digest.
  async reply(type, content, ...headers) {
    const entity = Buffer.from(content);
    const body = headers.includes('Content-Encoding: br') ? zlib.brotliCompressSync(entity)
      : headers.includes('Content-Encoding: gzip') ? zlib.gzipSync(entity)
        : headers.includes('Content-Encoding: deflate') ? zlib.deflateSync(entity) : entity;
    await this.head('200 OK', `Content-Type: ${type}`, `Content-Length: ${body.length}`,
      `X-SHA256: ${sha256(entity)}`, ...headers);
    if (this.method !== 'HEAD') await this.send(body);
  }

  async chunk(bytes, extension = '') {
    const size = Buffer.from(`${bytes.length.toString(16)}${extension}\r\n`);
    await this.send(Buffer.concat([size, Buffer.from(bytes), Buffer.from('\r\n')]));
  }

  writeLog() {
    if (!this.logged) return;
    const base64 = (pieces) => Buffer.concat(pieces).toString('base64');
    fs.appendFileSync(log, JSON.stringify({
      name: this.headers['x-interop'] ?? '',
      scheme: this.scheme,
      target: this.target,
      request: base64(this.request),
      interim: base64(this.interim),
      response: base64(this.response),
    }) + '\n');
  }
}

// png makes a picture of random pixels, so that nothing compresses it.
function png(side) {
  const crc = (bytes) => {
    let c = ~0;
    for (const b of bytes) {
      c ^= b;
      for (let k = 0; k < 8; k++) c = (c >>> 1) ^ (c & 1 ? 0xedb88320 : 0);
    }
    return ~c >>> 0;
  };
  const part = (type, data) => {
    const out = Buffer.alloc(data.length + 12);
    out.writeUInt32BE(data.length, 0);
    out.write(type, 4, 'latin1');
    data.copy(out, 8);
    out.writeUInt32BE(crc(out.subarray(4, data.length + 8)), data.length + 8);
    return out;
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 2], 8); // 8 bits, RGB
  const rows = Buffer.alloc(side * (1 + 3 * side));
  for (let y = 0; y < side; y++) crypto.randomFillSync(rows, y * (1 + 3 * side) + 1, 3 * side);
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), part('IHDR', header),
    part('IDAT', zlib.deflateSync(rows)), part('IEND', Buffer.alloc(0))]);
}

const logo = png(64);
const big = png(800); // 1.9 MB: beyond what the recorder keeps in memory
const block = crypto.randomBytes(1 << 20);
const text = (n) => JSON.stringify({ text: 'the quick brown fox, größer als größer. '.repeat(n) });
const json = 'application/json';
const sameText = Buffer.from(`the same at every address, größer. ${crypto.randomBytes(6000).toString('base64')}`);
const clip = Buffer.from(`<!doctype html><p>${crypto.randomBytes(6000).toString('hex')}<p>the end of the clip
  <script>window.results = []; window.done = true</script>`);
let release = {}; // answers of /slow that wait for /release

const routes = {
  '/': (x) => x.reply('text/html; charset=utf-8', page('index.html')),
  '/style.css': (x) => x.reply('text/css', page('style.css'), 'Content-Encoding: gzip'),
  '/app.js': (x) => x.reply('text/javascript', page('app.js'), 'Content-Encoding: br', 'Vary: Accept-Encoding'),
  '/font.woff2': (x) => x.reply('font/woff2', page('font.woff2')),
  '/photo.jpg': (x) => x.reply('image/jpeg', page('photo.jpg')),
  '/logo.png': (x) => x.reply('image/png', logo, 'Access-Control-Allow-Origin: *'),
  '/favicon.ico': (x) => x.head('404 Not Found', 'Content-Length: 0'),
  '/big.png': async (x) => {
    await x.head('200 OK', 'Content-Type: image/png', 'Transfer-Encoding: chunked');
    for (let at = 0; at < big.length; at += 65521) await x.chunk(big.subarray(at, at + 65521));
    await x.send('0\r\n\r\n');
  },
  '/plain.json': (x) => x.reply(json, text(10)),
  '/gzip.json': (x) => x.reply(json, text(500), 'Content-Encoding: gzip'),
  '/br.json': (x) => x.reply(json, text(500), 'Content-Encoding: br'),
  '/deflate.json': (x) => x.reply(json, text(500), 'Content-Encoding: deflate'),
  '/search': (x) => x.reply(json, JSON.stringify({ target: x.target })),
  '/echo': (x) => x.reply(x.headers['content-type'] ?? json, Buffer.concat(x.kept)),
  '/form': (x) => x.reply(json, JSON.stringify({ method: x.method, length: x.bodyLength, sha1: x.body.digest('hex') })),
  '/posts': (x) => x.reply('text/html; charset=utf-8', page('posts.html')),
  '/posts.js': (x) => x.reply('text/javascript', page('posts.js')),
  // A page and what it shows: for each page=N the same bodies at URLs of its own. Asked again, the
  // page has not changed.
  '/revisits': (x) => {
    const n = x.target.split('page=')[1];
    if (x.headers['if-none-match'] === `"page-${n}"`) return x.head('304 Not Modified', `ETag: "page-${n}"`);
    const html = page('revisits.html').toString().replaceAll('NUMBER', n);
    return x.reply('text/html; charset=utf-8', html, `ETag: "page-${n}"`, 'Cache-Control: no-cache');
  },
  '/same': async (x) => { // /same/N/NAME
    const name = x.path.split('/')[3];
    const chunked = async (type, content, size, ...headers) => {
      await x.head('200 OK', `Content-Type: ${type}`, 'Transfer-Encoding: chunked',
        `X-SHA256: ${sha256(sameText)}`, ...headers);
      for (let at = 0; at < content.length; at += size) await x.chunk(content.subarray(at, at + size));
      await x.send('0\r\n\r\n');
    };
    if (name === 'logo.png') return x.reply('image/png', logo);
    if (name === 'style.css') return x.reply('text/css', page('style.css'), 'Content-Encoding: gzip');
    if (name === 'script.js') return chunked('text/javascript', page('revisits.js'), 100);
    if (name === 'chunked') return chunked('text/plain; charset=utf-8', sameText, 1000);
    if (name === 'other-chunks') { // the text of /chunked, other bytes on the wire
      return chunked('text/plain; charset=utf-8', sameText, 999);
    }
    if (name === 'gzip-chunked') {
      return chunked('text/plain; charset=utf-8', zlib.gzipSync(sameText), 100, 'Content-Encoding: gzip');
    }
    if (name === 'plain') return x.reply('text/plain; charset=utf-8', sameText);
    if (name === 'gzip') return x.reply('text/plain; charset=utf-8', sameText, 'Content-Encoding: gzip');
    return x.head('404 Not Found', 'Content-Length: 0');
  },
  '/redirect': (x) => x.head('302 Found', 'Location: /landed?from=redirect', 'Content-Length: 0'),
  '/landed': (x) => x.reply('text/plain; charset=utf-8', 'gelandet'),
  '/empty': (x) => x.head('204 No Content'),
  '/tagged': (x) => (x.headers['if-none-match'] === '"one"'
    ? x.head('304 Not Modified', 'ETag: "one"')
    : x.reply(json, text(3), 'ETag: "one"', 'Cache-Control: no-cache')),
  '/range': async (x) => {
    const [first, last] = (x.headers.range ?? 'bytes=0-9').slice(6).split('-').map(Number);
    const part = logo.subarray(first, last + 1);
    await x.head('206 Partial Content', 'Content-Type: image/png', `Content-Length: ${part.length}`,
      `Content-Range: bytes ${first}-${last}/${logo.length}`, `X-SHA256: ${sha256(part)}`);
    await x.send(part);
  },
  '/clip': async (x) => { // a page in parts, of which only the last one has its end
    const range = /^bytes=(\d+)-(\d+)$/.exec(x.headers.range ?? '');
    if (!range) return x.reply('text/html; charset=utf-8', clip, 'ETag: "clip"');
    const [first, last] = range.slice(1).map(Number);
    await x.head('206 Partial Content', 'Content-Type: text/html; charset=utf-8', 'ETag: "clip"',
      `Content-Length: ${last - first + 1}`, `Content-Range: bytes ${first}-${last}/${clip.length}`);
    return x.send(clip.subarray(first, last + 1));
  },
  '/chunked': async (x) => {
    await x.head('200 OK', 'content-type: TEXT/plain', 'Trailer: X-Checksum', 'TRANSFER-encoding:  chunked');
    await x.chunk('one, ', ';name="value"');
    await x.chunk('two, ');
    await x.chunk('three', ' ; flag');
    await x.send('0\r\nX-Checksum: abc\r\n\r\n');
  },
  '/odd': async (x) => { // lawful, and lost by whoever parses and prints again
    await x.send('HTTP/1.1 200 Alles klar, gr\xfc\xdfe\r\nset-COOKIE: a=1\r\nX-Same:1\r\n'
      + 'Set-Cookie:   b=2\r\nx-same: \t2 \r\nX-8bit: \xe9\xff\r\nX-Empty:\r\nContent-Length: 3\r\n\r\nodd');
  },
  '/close': async (x) => { // a body that ends with the connection
    x.last = true;
    await x.send('HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\n');
    await x.send('until the end');
  },
  '/early': async (x) => {
    await x.hint('HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload; as=style\r\n\r\n');
    await x.reply('text/plain', 'after 103');
  },
  '/slow': async (x) => { // the second half waits until the client has told that it has the first
    const id = x.target.split('?')[1];
    const told = new Promise((done) => { release[id] = done; });
    await x.head('200 OK', 'Content-Type: text/plain', 'Transfer-Encoding: chunked');
    await x.chunk('first');
    await told;
    await x.chunk('last');
    await x.send('0\r\n\r\n');
  },
  '/release': async (x) => {
    release[x.target.split('?')[1]]?.();
    await x.head('204 No Content');
  },
  '/events': async (x) => {
    await x.head('200 OK', 'Content-Type: text/event-stream', 'Cache-Control: no-store', 'Transfer-Encoding: chunked');
    for (let n = 1; n <= 5; n++) {
      await x.chunk(`id: ${n}\ndata: event ${n}\n\n`);
      await sleep(400); // a busy browser may see two at once that come sooner
    }
    await x.send('0\r\n\r\n');
  },
  '/load': async (x) => { // /load/N: a body that follows from N
    const n = Number(x.target.split('/')[2]);
    const body = `${n} `.repeat(500 + (n % 1000));
    await x.head('200 OK', 'Content-Type: text/plain', `Content-Length: ${body.length}`);
    await x.send(body);
  },
  '/big': async (x) => { // GET /big/N: N incompressible bytes; PUT: how many came, and their SHA-1
    if (x.method !== 'GET') return x.reply(json, JSON.stringify({ length: x.bodyLength, sha1: x.body.digest('hex') }));
    let left = Number(x.target.split('/')[2]);
    await x.head('200 OK', 'Content-Type: application/octet-stream', `Content-Length: ${left}`);
    for (; left > 0; left -= block.length) await x.send(left < block.length ? block.subarray(0, left) : block);
  },
};

// webSocket answers a WebSocket handshake and echoes every frame (RFC 6455).
async function webSocket(x, wire) {
  const key = `${x.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`; // RFC 6455
  const accept = crypto.createHash('sha1').update(key).digest('base64');
  await x.send('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
    + `Sec-WebSocket-Accept: ${accept}\r\n\r\n`);
  x.writeLog();
  const bytes = async (n) => {
    const pieces = [];
    await wire.take(n, (piece) => pieces.push(piece));
    return Buffer.concat(pieces);
  };
  for (let open = true; open;) {
    const [first, second] = await bytes(2);
    let length = second & 0x7f;
    if (length === 126) length = (await bytes(2)).readUInt16BE();
    else if (length === 127) length = Number((await bytes(8)).readBigUInt64BE());
    const mask = await bytes(4);
    const data = (await bytes(length)).map((b, i) => b ^ mask[i % 4]);
    const head = length < 126 ? Buffer.from([first, length]) : Buffer.from([first, 127, 0, 0, 0, 0, 0, 0, 0, 0]);
    if (length >= 126) head.writeBigUInt64BE(BigInt(length), 2);
    await x.write(Buffer.concat([head, data]));
    open = (first & 0x0f) !== 8; // a close frame is echoed, too
  }
}

async function serve(socket, scheme) {
  const wire = new Wire(socket);
  for (let last = false; !last;) {
    const head = await wire.until('\r\n\r\n');
    if (!head) break;
    const x = new Exchange(socket, scheme, head);
    if (/100-continue/i.test(x.headers.expect ?? '')) await x.hint('HTTP/1.1 100 Continue\r\n\r\n');
    await x.receive(wire);
    if (x.headers.upgrade) {
      await webSocket(x, wire);
      break;
    }
    const route = routes[x.path] ?? routes[`/${x.path.split('/')[1]}`];
    await (route ? route(x) : x.head('404 Not Found', 'Content-Length: 0'));
    x.writeLog();
    last = x.last;
  }
  socket.end();
}

const listen = (server, scheme) => new Promise((done) => {
  server.on(scheme === 'https' ? 'secureConnection' : 'connection', (socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    serve(socket, scheme).catch((problem) => {
      if (!socket.destroyed) console.error(`site: ${problem.stack}`);
      socket.destroy();
    });
  });
  server.listen(0, '127.0.0.1', () => done(server.address().port));
});

const http = await listen(net.createServer(), 'http');
const secure = { cert: fs.readFileSync(cert), key: fs.readFileSync(key), ALPNProtocols: ['http/1.1'] };
const https = await listen(tls.createServer(secure), 'https');
fs.writeFileSync(`${ports}.new`, JSON.stringify({ http, https }));
fs.renameSync(`${ports}.new`, ports);
