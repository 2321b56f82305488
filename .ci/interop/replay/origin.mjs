// What the origins of several sites share.
import crypto from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import path from 'node:path';
import { pipeline } from 'node:stream';
import zlib from 'node:zlib';

const types = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  svg: 'image/svg+xml',
  webmanifest: 'application/manifest+json',
};

// send answers with the text, in gzip where that is taken, or with 304 where the client has it.
export function send(request, response, type, text, headers = {}) {
  const tag = `"${crypto.createHash('sha1').update(text).digest('hex').slice(0, 16)}"`;
  const fields = { ETag: tag, Vary: 'Accept-Encoding', 'Cache-Control': 'no-cache', ...headers };
  if (request.headers['if-none-match'] === tag) return response.writeHead(304, fields).end();
  const gzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  const body = gzip ? zlib.gzipSync(text) : Buffer.from(text);
  response.writeHead(200, {
    'Content-Type': types[type] ?? 'application/octet-stream',
    'Content-Length': body.length,
    ...gzip && { 'Content-Encoding': 'gzip' },
    ...fields,
  });
  return response.end(request.method === 'HEAD' ? undefined : body);
}

// files serves a folder; a path that it has not is the application's own, and gets its index.html.
export const files = (folder) => (request, response) => {
  const { pathname } = new URL(request.url, 'https://any');
  const found = path.join(folder, path.posix.normalize(pathname));
  const name = fs.statSync(found, { throwIfNoEntry: false })?.isFile() ? found : `${folder}/index.html`;
  const cached = pathname.startsWith('/assets/') ? 'max-age=31536000, immutable' : 'no-cache';
  return send(request, response, path.extname(name).slice(1), fs.readFileSync(name), {
    'Cache-Control': cached,
  });
};

// behind passes requests on to a server of this machine.
export const behind = (url) => (request, response) => {
  const { request: ask } = url.startsWith('https:') ? https : http;
  const passed = ask(new URL(request.url, url), {
    method: request.method, headers: request.headers, rejectUnauthorized: false,
  }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    pipeline(answer, response, () => {});
  });
  passed.on('error', () => response.destroy());
  response.on('close', () => passed.destroy());
  request.pipe(passed);
};

// bodyOf is the request's body.
export async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}
