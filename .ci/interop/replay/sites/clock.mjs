// Pages that show their clock and their dice, which are never the same again, but where a replay
// gives them those of the capture (--inject): one plain page, one that allows only scripts with its
// nonce.
import crypto from 'node:crypto';
import { send } from '../origin.mjs';

export const start = 'https://clock.example.org/';

// shows is what the texts of some steps hold, if the site works.
export const shows = Object.fromEntries(['plain', 'nonce'].map((step) => [
  step, 'the clock is that of the capture: yes\nit counts whole milliseconds: yes\n']));

export async function walk(page, step) {
  for (const name of ['plain', 'nonce']) {
    await page.goto(`${start}${name}`);
    await page.waitForSelector('body[data-done]');
    await step(name);
  }
}

const html = (nonce) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>clock</title><link rel="icon" href="data:,">
<pre></pre>
<script nonce="${nonce}">
const late = Math.abs(Date.now() - ${Date.now()}) / 1000;
document.querySelector('pre').textContent = [
  'the clock is that of the capture: ' + (late < 20 ? 'yes' : 'no, but ' + late + ' s later'),
  'it counts whole milliseconds: ' + (performance.now() % 1 ? 'no' : 'yes'),
  'it began at ' + performance.timeOrigin,
  Math.random(), Math.random(), crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(8)).join(),
].join('\\n');
document.body.dataset.done = true;
</script>`;

export const serve = () => ({
  'clock.example.org': (request, response) => {
    const nonce = crypto.randomBytes(16).toString('base64');
    const policy = `default-src 'none'; img-src data:; script-src 'nonce-${nonce}'`;
    send(request, response, 'html', html(nonce), {
      ...request.url === '/nonce' && { 'Content-Security-Policy': policy },
    });
  },
});
