// The origin of the whole captures: HTTPS on 127.0.0.1, with Range, conditions and codings.
//
//   node site.mjs CERT KEY MEDIA PLAYERS ASKED PORT
//
// MEDIA is what media.sh has made, PLAYERS the folder of the scripts that play. ASKED gets one line
// for each request, PORT the port once the listener is up.
import { execFileSync } from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import https from 'node:https';
import { pipeline } from 'node:stream';
import zlib from 'node:zlib';

const [cert, key, media, players, asked, port] = process.argv.slice(2);
const own = (name) => fs.readFileSync(new URL(name, import.meta.url), 'utf8');
const shared = (name) => fs.readFileSync(new URL(`../page/${name}`, import.meta.url));
const hash = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');
const digest = (name) => hash(fs.readFileSync(`${media}/${name}`));

const types = {
  '': 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css',
  jpg: 'image/jpeg',
  woff2: 'font/woff2',
  pdf: 'application/pdf',
  bin: 'application/octet-stream',
  json: 'application/json',
  mp4: 'video/mp4',
  m4s: 'video/iso.segment',
  ts: 'video/mp2t',
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
};
const type = (path) => types[/\.(\w+)$/.exec(path)?.[1] ?? ''];

// slowly passes 1 MB a second, as networks do.
async function* slowly(pieces) {
  for await (const piece of pieces) {
    await new Promise((done) => { setTimeout(done, piece.length / 1000); });
    yield piece;
  }
}

let breaks = false; // whether cut.pdf is cut the next time: once after its page

// file serves a file of the disk, in the range that was asked for.
function file(name, request, response) {
  const { size } = fs.statSync(name);
  const [part, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = part ? Number(first) : 0;
  const end = part && last ? Math.min(Number(last), size - 1) : size - 1;
  if (start > end) return response.writeHead(416, { 'Content-Range': `bytes */${size}` }).end();
  response.writeHead(part ? 206 : 200, {
    'Content-Type': type(name),
    'Content-Length': end - start + 1,
    ...part && { 'Content-Range': `bytes ${start}-${end}/${size}` },
    'Accept-Ranges': 'bytes',
    ETag: `"${size.toString(16)}"`,
    'Last-Modified': 'Sun, 01 Nov 2026 10:00:00 GMT',
    'Cache-Control': 'max-age=3600',
  });
  if (request.method === 'HEAD') return response.end();
  if (name.endsWith('/cut.pdf') && breaks) {
    breaks = false;
    response.write(fs.readFileSync(name).subarray(0, size / 2), () => response.destroy());
    return undefined;
  }
  const speed = name.endsWith('/viewer.pdf') ? [slowly] : [];
  return pipeline(fs.createReadStream(name, { start, end }), ...speed, response, () => {});
}

const coders = {
  zstd: (bytes) => execFileSync('zstd', ['--quiet', '--stdout'], { input: bytes }),
  br: zlib.brotliCompressSync,
  gzip: zlib.gzipSync,
};

// send answers in the first of the codings that the client takes, or in the one that is forced.
function send(request, response, { path, body, codings = ['gzip'], forced, headers = {} }) {
  const taken = (request.headers['accept-encoding'] ?? '').split(/[\s,]+/);
  const coding = forced ?? codings.find((name) => taken.includes(name));
  const sent = coding ? coders[coding](body) : Buffer.from(body);
  response.writeHead(200, {
    'Content-Type': type(path),
    'Content-Length': sent.length,
    ...coding && { 'Content-Encoding': coding },
    Vary: 'Accept-Encoding',
    ...headers,
  });
  response.end(sent);
}

function revalidated(request, response, answer) {
  const headers = { ETag: `"${hash(answer.body)}"`, 'Cache-Control': 'no-cache' };
  if (request.headers['if-none-match'] !== headers.ETag) {
    return send(request, response, { ...answer, headers });
  }
  return response.writeHead(304, headers).end();
}

// dictionary sends one.js as the dictionary of what app.js is, in its next version, two.js.
function dictionary(request, response, answer) {
  const { 'accept-encoding': codings, 'available-dictionary': available } = request.headers;
  if (answer.path.endsWith('/one.js')) {
    return send(request, response, {
      ...answer,
      headers: {
        'Use-As-Dictionary': 'match="/dictionary/app.js"',
        'Cache-Control': 'max-age=3600',
      },
    });
  }
  if (!answer.path.endsWith('/app.js')) return send(request, response, answer);
  if (!available || !/\bdcz\b/.test(codings)) {
    return send(request, response, { ...answer, body: fs.readFileSync(`${media}/two.js`) });
  }
  const sent = fs.readFileSync(`${media}/two.js.dcz`);
  response.writeHead(200, {
    'Content-Type': type(answer.path),
    'Content-Length': sent.length,
    'Content-Encoding': 'dcz',
    Vary: 'Accept-Encoding, Available-Dictionary',
  });
  return response.end(sent);
}

// How the pages that are alike, and what belongs to them, are sent.
const ways = {
  zstd: (request, response, answer) => (
    send(request, response, { ...answer, codings: ['zstd', 'br', 'gzip'] })),
  forced: (request, response, answer) => send(request, response, { ...answer, forced: 'zstd' }),
  warm: revalidated,
  again: revalidated,
  dictionary,
};

const fill = (page, words) => (
  Object.entries(words).reduce((text, [word, by]) => text.replaceAll(word, by), own(page)));

// A page that is asked for with ?first shows the first version of the script as well.
const alike = (name, first) => ({
  '': fill('plain.html', {
    NAME: name, FIRST: first ? `<script src="/${name}/one.js"></script>` : '',
  }),
  'app.js': own('plain.js'),
  'one.js': fs.readFileSync(`${media}/one.js`),
  'style.css': shared('style.css'),
  'photo.jpg': shared('photo.jpg'),
});

const film = (words) => fill('play.html', {
  PLAYER: words.player ? `<script src="/${words.player}.js"></script>` : '',
  FILM: JSON.stringify(words),
});
const mp4 = (name, words) => film({
  url: `/media/${name}.mp4`, sha256: digest(`${name}.mp4`), ...words,
});
const minute = { seconds: 60, visits: [0.5, 0.8, 0.2] };
const short = { seconds: 24, visits: [0.8] };

const counted = JSON.stringify(Array.from({ length: 5000 }, (_, n) => `part ${n}`));
const parts = (name) => {
  fs.writeFileSync(`${media}/${name}`, counted);
  const expected = [0, 1000, 40000].map((at) => counted.slice(at, at + 100)).join('\n');
  return fill('parts.html', { FILE: `/media/${name}`, EXPECTED: JSON.stringify(expected) });
};

const answers = {
  '/front': mp4('front', minute),
  '/end': mp4('end', minute),
  '/short': mp4('short', { ...short, wait: true }),
  '/hls': film({ url: '/media/hls/index.m3u8', player: 'hls', ...short, wait: true }),
  '/hls-parts': film({ url: '/media/hls-parts/index.m3u8', player: 'hls', ...short }),
  '/dash': film({ url: '/media/dash/index.mpd', player: 'dash', ...short, wait: true }),
  '/dash-parts': film({ url: '/media/dash-parts/index.mpd', player: 'dash', ...short }),
  '/paper': fill('paper.html', { FILE: '/media/paper.pdf', SHA256: digest('paper.pdf') }),
  '/cut': fill('cut.html', { FILE: '/media/cut.pdf', SHA256: digest('paper.pdf') }),
  '/viewer': own('viewer.html'),
  '/font': own('font.html'),
  '/parts': parts('parts.bin'),
  '/parts-json': parts('parts.json'),
  '/play.js': own('play.js'),
  '/common.js': own('common.js'),
  '/font.woff2': shared('font.woff2'),
  '/hls.js': fs.readFileSync(`${players}/hls.min.js`),
  '/dash.js': fs.readFileSync(`${players}/dash.all.min.js`),
  '/pdf.js': fs.readFileSync(`${players}/pdf.min.js`),
  '/pdf.worker.js': fs.readFileSync(`${players}/pdf.worker.min.js`),
};

function answer(request, response) {
  const [path, query] = request.url.split('?');
  const [, name, below = ''] = path.split('/');
  if (path === '/cut') breaks = true;
  const body = answers[path] ?? (ways[name] && alike(name, query === 'first')[below]);
  if (body !== undefined) return (ways[name] ?? send)(request, response, { path, body });
  const stored = `${media}/${path.slice('/media/'.length)}`;
  if (name === 'media' && fs.existsSync(stored)) return file(stored, request, response);
  return response.writeHead(404, { 'Content-Length': 0 }).end();
}

const secure = { cert: fs.readFileSync(cert), key: fs.readFileSync(key) };
const server = https.createServer(secure, (request, response) => {
  const range = request.headers.range ?? 'without Range';
  fs.appendFileSync(asked, `${request.method} ${request.url} ${range}\n`);
  answer(request, response);
});
server.listen(0, '127.0.0.1', () => {
  fs.writeFileSync(`${port}.new`, String(server.address().port));
  fs.renameSync(`${port}.new`, port);
});
