// What the site of the live page sends: by path, its type, its bytes before any coding, and the coding.
import fs from 'node:fs';

const photo = fs.readFileSync(new URL('../page/photo.jpg', import.meta.url));
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAGUlEQVR42mP4z8BAEmIgTfmohlENQ0oDAF8s'
  + '/wE9MjAxAAAAAElFTkSuQmCC', 'base64');
const drawing = '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><circle cx="40" cy="40" r="30"/></svg>';

const script = `
const all = [fetch('/tides.json'), fetch('/search', { method: 'POST',
  headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ query: 'größer', page: 2 }) })];
addEventListener('load', () => Promise.allSettled(all).then(() => { window.done = true; }));`;

/** page is a document with a title and what belongs to it. */
const page = (title, body) => `<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>${title}</title><link rel="icon" href="/icon.png">
<link rel="stylesheet" href="https://static.example.org/style.css"><h1>${title}</h1>${body}
<script src="https://static.example.org/app.js"></script></html>`;
const image = (source) => `<img src="${source}" alt="">`;

export const pages = {
  '/': page('Harbour museum', `${image('/photo.jpg')}<p><a href="/birds">Birds of the marsh</a></p>`),
  '/birds': page('Birds of the marsh', `${image('https://static.example.org/photo.jpg')}${image('/drawing.svg')}`),
  // Three of its resources are not to be had: one is cut, one refused, and of one there is a 404 to keep.
  '/tides': page('Tide tables', `${image('/photo.jpg?tides')}${image('/cut.jpg')}${image('/nowhere.png')}
    ${image('https://gone.example.net/map.png')}`),
};

const text = (type, body) => ({ type, body: Buffer.from(body) });
export const bodies = {
  '/style.css': text('text/css', 'body { font: 1rem/1.5 system-ui; max-width: 40rem; margin: 2rem auto }\n'
    + '/* so long that it is deduplicated */\n'.repeat(300)),
  '/app.js': text('text/javascript', script),
  '/tides.json': { ...text('application/json', JSON.stringify({ harbour: 'Größe', tides: [1.5, 2.25, { low: null }] })),
    coding: 'gzip' },
  '/search': text('application/json', '{"found":[{"title":"<b>none</b>"}]}'),
  '/old.txt': { type: 'text/plain; charset=windows-1252', body: Buffer.from('Gr\xfc\xdfe \x96 from K\xf6ln', 'latin1'),
    shown: 'Grüße – from Köln' },
  '/long.html': { ...text('text/html; charset=utf-8', `<p>${'a line of a long text\n'.repeat(9000)}`), coding: 'br' },
  '/bytes.bin': { type: 'application/octet-stream', body: Buffer.from(Array.from({ length: 600 }, (_, i) => i & 255)) },
  '/empty': text('text/plain', ''),
  '/drawing.svg': text('image/svg+xml', drawing),
  '/photo.jpg': { type: 'image/jpeg', body: photo },
  '/icon.png': { type: 'image/png', body: png },
};
for (const [path, body] of Object.entries(pages)) bodies[path] = text('text/html; charset=utf-8', body);
