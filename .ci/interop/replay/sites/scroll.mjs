// A list without an end, whose page asks for each part with something that is never the same again:
// the clock's or the dice's, in the query of a GET, in the body of a POST, in the address of a
// picture.
import { bodyOf, send } from '../origin.mjs';

export const start = 'https://scroll.example.org/';
const parts = 8; // the first half by GET

// shows is what the texts of some steps hold, if the site works.
export const shows = { 'part-3': 'part 3, text 6', end: 'part 8, text 6' };

export async function walk(page, step) {
  await page.goto(start);
  for (let part = 1; part <= parts; part++) {
    await page.waitForFunction((n) => document.body.dataset.parts === String(n), part);
    if (part % 3 === 0) await step(`part-${part}`);
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  }
  await page.waitForFunction('document.body.dataset.ended');
  await step('end');
}

const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>without an end</title><link rel="icon" href="data:,">
<style>article { height: 120px; margin: 8px; border: 1px solid } img { float: right }</style>
<main></main>
<script>
const main = document.querySelector('main');
const half = ${parts / 2};
let part = 0;
const ask = () => {
  if (part <= half) return fetch('/feed?part=' + part + '&_=' + Date.now() + '&rnd=' + Math.random());
  return fetch('/feed', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      part, limit: 6, nonce: Math.random(), timestamp: Date.now(), requestId: crypto.randomUUID(),
    }),
  });
};
async function more() {
  part++;
  const { texts, last } = await (await ask()).json();
  await Promise.all(texts.map(async (text) => {
    const article = document.createElement('article');
    const picture = new Image(100, 100);
    picture.src = '/picture.svg?of=' + encodeURIComponent(text) + '&cb=' + Math.random();
    article.append(picture, text);
    main.append(article);
    await picture.decode();
  }));
  document.body.dataset.parts = part;
  if (last) document.body.dataset.ended = true;
}
let busy = false;
async function next() {
  if (busy || document.body.dataset.ended) return;
  busy = true;
  await more();
  busy = false;
}
addEventListener('scroll', () => {
  if (innerHeight + scrollY > document.body.scrollHeight - 200) next();
});
next();
</script>`;

const texts = (part) => Array.from({ length: 6 }, (_, n) => `part ${part}, text ${n + 1}`);
const picture = (of) => {
  const hue = [...of].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100">
<rect width="100" height="100" fill="hsl(${hue} 80% 60%)"/></svg>`;
};

export const serve = () => ({
  'scroll.example.org': async (request, response) => {
    const { pathname, searchParams } = new URL(request.url, start);
    if (pathname === '/') return send(request, response, 'html', html);
    if (pathname === '/picture.svg') return send(request, response, 'svg', picture(searchParams.get('of')));
    if (pathname !== '/feed') return response.writeHead(404, { 'Content-Length': 0 }).end();
    const body = await bodyOf(request);
    const part = body.length ? JSON.parse(body).part : Number(searchParams.get('part'));
    return send(request, response, 'json', JSON.stringify({ texts: texts(part), last: part === parts }));
  },
});
