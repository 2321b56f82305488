// A page whose origin says what it may do: a Content-Security-Policy with a nonce and a hash, digests
// of what comes from another host (Subresource Integrity), and answers that may be read from there
// (CORS). What is not allowed fails at the origin, and has to fail again.
import crypto from 'node:crypto';
import { bodyOf, send } from '../origin.mjs';

export const start = 'https://policy.example.org/';
const elsewhere = 'https://assets.example.org';

// shows is what the texts of some steps hold, if the site works.
export const shows = {
  policy: [
    'a script with the nonce', 'a script that the policy has the hash of', 'a script with its digest',
    'what may be read, 200, X-Told so, "GET /open "', 'what may not: TypeError: Failed to fetch',
    'after a preflight, 200, X-Told so, "PUT /open \\"Ghent\\""',
    'after a preflight, 200, X-Told so, "PUT /open \\"Bruges\\""',
    'with cookies, 200, X-Told null, "GET /own "',
    'what the policy does not allow: TypeError: Failed to fetch',
  ].join('\n'),
};

export async function walk(page, step) {
  await page.goto(start);
  await page.waitForSelector('body[data-done]');
  await step('policy');
}

const hash = (text, how) => `${how}-${crypto.createHash(how).update(text).digest('base64')}`;
const say = (text) => `document.querySelector('ul').append(
  Object.assign(document.createElement('li'), { textContent: ${JSON.stringify(text)} }));`;
const scripts = {
  '/whole.js': say('a script with its digest'),
  '/another.js': say('a script with the digest of another'),
};
const hashed = say('a script that the policy has the hash of');

const page = (nonce) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>policy</title><link rel="icon" href="data:,">
<ul></ul>
<script nonce="${nonce}">${say('a script with the nonce')}</script>
<script>${hashed}</script>
<script>${say('a script that the policy does not allow')}</script>
<script src="${elsewhere}/whole.js" integrity="${hash(scripts['/whole.js'], 'sha384')}" crossorigin></script>
<script src="${elsewhere}/another.js" integrity="${hash('another', 'sha384')}" crossorigin></script>
<script nonce="${nonce}">
const say = (text) => {
  document.querySelector('ul').append(Object.assign(document.createElement('li'), { textContent: text }));
};
const read = async (name, url, options) => {
  try {
    const answer = await fetch(url, options);
    const told = answer.headers.get('X-Told');
    say([name, answer.status, 'X-Told ' + told, await answer.text()].join(', '));
  } catch (problem) {
    say(name + ': ' + problem);
  }
};
(async () => {
  await read('what may be read', '${elsewhere}/open');
  await read('what may not', '${elsewhere}/closed');
  for (const city of ['Ghent', 'Bruges']) { // the second has no preflight: the browser knows
    await read('after a preflight', '${elsewhere}/open', {
      method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(city),
    });
  }
  await read('with cookies', '${elsewhere}/own', { credentials: 'include' });
  await read('what the policy does not allow', 'https://books.example.org/');
  document.body.dataset.done = true;
})();
</script>`;

export const serve = () => ({
  'policy.example.org': (request, response) => {
    const nonce = crypto.randomBytes(16).toString('base64');
    send(request, response, 'html', page(nonce), {
      'Content-Security-Policy': `default-src 'none'; img-src data:; script-src 'nonce-${nonce}' `
        + `'${hash(hashed, 'sha256')}' ${elsewhere}; connect-src ${elsewhere}`,
      'Cross-Origin-Opener-Policy': 'same-origin',
    });
  },
  'assets.example.org': async (request, response) => {
    const script = scripts[request.url];
    const anybody = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'X-Told' };
    if (script) return send(request, response, 'js', script, anybody);
    if (request.method === 'OPTIONS') {
      return response.writeHead(204, {
        ...anybody,
        'Access-Control-Allow-Methods': 'PUT',
        'Access-Control-Allow-Headers': 'Content-Type',
        'Access-Control-Max-Age': '600',
      }).end();
    }
    const told = `${request.method} ${request.url} ${await bodyOf(request)}`;
    const allowed = {
      '/open': anybody,
      '/closed': {},
      '/own': {
        'Access-Control-Allow-Origin': new URL(start).origin,
        'Access-Control-Allow-Credentials': 'true',
      },
    }[request.url];
    return send(request, response, 'json', JSON.stringify(told), { 'X-Told': 'so', ...allowed });
  },
});
