// Pages of other sites, and what was recorded, against the recorder itself: to read what it tells, and
// to have it do something. The browser has the cookie of the live page all the while.
import { exchange } from './site.mjs';

/** reading are what a page must not read; changing what it must not have done, with forms. */
const reading = ({ page, place, url }) => [
  '/events?since=0',
  '/live/pages',
  '/live/overview',
  '/status',
  '/gaps',
  '/export',
  `/live/page?id=${encodeURIComponent(page)}`,
  `/live/exchange?${place}`,
  `/live/body?${place}&of=response&as=text`,
  `/live/record?${place}`,
  `/live/image?${place}`,
  '/live/captures',
  `/cdx?output=json&matchType=prefix&url=${url}`,
  `/live/download?format=warc&url=${url}`,
  `/web/2id_/${decodeURIComponent(url)}`,
  '/',
  '/live/app.js',
];

const changing = ({ page, url }) => [
  ['/pause'],
  ['/rotate'],
  ['/settle'],
  ['/hold'],
  ['/resume'],
  ['/remove', { page }],
  ['/remove', { page, 'dry-run': 'true' }],
  ['/live/note', { page, text: 'hostile' }],
  ['/live/capture', { url: decodeURIComponent(url) }],
  ['/live/capture/stop', { job: '1' }],
  ['/live/replay', { url: decodeURIComponent(url), ts: '20260101000000' }],
  ['/record', { url: 'urn:hostile:x' }],
];

// inPage runs in a page of the attacker: it returns what it could read, in words.
async function inPage([own, gets, posts]) {
  const got = [];
  const within = (promise) =>
    Promise.race([
      promise,
      new Promise((done) => {
        setTimeout(() => done(''), 3000);
      }),
    ]);
  const note = (how, what) => what && got.push(`${how}: ${String(what).slice(0, 60)}`);
  const read = (path, options) =>
    within(
      fetch(own + path, options).then(
        async (r) => (r.ok ? `${r.status} ${(await r.body?.getReader().read())?.value?.length} bytes` : ''),
        () => '',
      ),
    );
  const element = (name, set) =>
    within(
      new Promise((done) => {
        const e = document.createElement(name);
        e.onload = () => done('load');
        e.onerror = () => done('');
        set(e);
        document.documentElement.append(e);
      }),
    );
  await Promise.all(
    gets.map(async (path) => {
      for (const credentials of ['include', 'omit']) note(`fetch ${path}`, await read(path, { credentials }));
      note(`no-cors ${path}`, await read(path, { mode: 'no-cors', credentials: 'include' }));
      note(
        `script ${path}`,
        await element('script', (e) => {
          e.src = own + path;
        }),
      );
      note(
        `module ${path}`,
        await element('script', (e) => {
          e.type = 'module';
          e.src = own + path;
        }),
      );
      note(
        `style ${path}`,
        await element('link', (e) => {
          e.rel = 'stylesheet';
          e.href = own + path;
        }),
      );
      note(
        `image ${path}`,
        await element('img', (e) => {
          e.src = own + path;
        }),
      );
      note(
        `frame ${path}`,
        await within(
          new Promise((done) => {
            const frame = document.createElement('iframe');
            frame.onload = () => {
              try {
                done(frame.contentDocument?.body?.textContent);
              } catch {
                done(frame.contentWindow.length ? 'frames in it' : '');
              }
            };
            frame.src = own + path;
            document.documentElement.append(frame);
          }),
        ),
      );
    }),
  );
  note(
    'EventSource',
    await within(
      new Promise((done) => {
        const source = new EventSource(`${own}/events?since=0`, { withCredentials: true });
        source.onopen = () => done('open');
        source.onmessage = () => done('a message');
        source.onerror = () => {
          source.close();
          done('');
        };
      }),
    ),
  );
  note(
    'WebSocket',
    await within(
      new Promise((done) => {
        const socket = new WebSocket(`${own.replace('http', 'ws')}/events`);
        socket.onopen = () => done('open');
        socket.onerror = () => done('');
      }),
    ),
  );
  for (const [path, form = {}] of posts) {
    const body = new URLSearchParams(form);
    note(`post ${path}`, await read(path, { method: 'POST', body, credentials: 'include' }));
    note(
      `post, no-cors, ${path}`,
      await read(path, { method: 'POST', body, mode: 'no-cors', credentials: 'include' }),
    );
    note(
      `json ${path}`,
      await read(path, {
        method: 'POST',
        body: JSON.stringify(form),
        credentials: 'include',
        headers: { 'Content-Type': 'application/json', Authorization: 'Bearer x' },
      }),
    );
    navigator.sendBeacon(own + path, body);
    const fields = Object.entries(form)
      .map(([name, value]) => `<input name="${name}" value="${value}">`)
      .join('');
    const sends =
      `<form method=post action="${own}${path}">${fields}</form><script>document.forms[0].submit()</` +
      'script>';
    for (const sandbox of [null, 'allow-scripts allow-forms', 'allow-scripts allow-forms allow-same-origin']) {
      const frame = document.createElement('iframe'); // without allow-same-origin its Origin is null
      if (sandbox !== null) frame.sandbox = sandbox;
      frame.srcdoc = sends;
      document.documentElement.append(frame);
    }
  }
  await new Promise((done) => {
    setTimeout(done, 1500);
  });
  return got;
}

/** The script that the page of a site runs by itself, where scripts run at all: the same by its own. */
export const script = (own, at) =>
  `(${inPage})([${JSON.stringify(own)}, ${JSON.stringify(reading(at))}, ${JSON.stringify(
    changing(at),
  )}]).then((got) => { window.GOT = got; });`;

/** from has a page of that address attack, which is made where there is none, and returns what it got. */
export async function from(context, address, own, at, made = false) {
  const page = await context.newPage();
  if (made)
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html>' }));
  const answer = await page.goto(address, { timeout: 10_000 }).catch(() => null);
  const got = await page
    .evaluate(inPage, [own, reading(at), changing(at)])
    .catch((e) => [`it breaks off: ${e.message}`]);
  await page.close();
  return { got, status: answer?.status() };
}

/** names asks by Host fields of other sites, as a page does whose name was bound anew. */
export async function names(address, cookie, at) {
  const port = address.split(':').at(-1);
  const got = [];
  const hosts = [
    'rebind.test',
    `rebind.test:${port}`,
    `127.0.0.1.rebind.test:${port}`,
    `localhost.rebind.test`,
    '',
    'a@127.0.0.1',
    '0x7f.1.rebind.test',
    `rebind.test#127.0.0.1`,
    'warcorder.internal.rebind.test',
    `[::1].rebind.test:${port}`,
  ];
  const asks = [...reading(at).map((path) => `GET ${path}`), ...changing(at).map(([path]) => `POST ${path}`)];
  for (const host of hosts) {
    for (const ask of asks) {
      const head = (
        await exchange(
          address,
          Buffer.from(
            `${ask} HTTP/1.1\r\nHost: ${host}\r\nCookie: ${cookie}\r\n` +
              `Origin: http://${host}\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
          ),
        ).catch(() => '')
      ).split('\r\n')[0];
      if (/ [23]\d\d /.test(`${head} `)) got.push(`${ask} as ${host}: ${head}`);
    }
  }
  return { got, asked: hosts.length * asks.length };
}

/** keys asks the listener of frames with keys that were not given out, or by another name. */
export async function keys(previews, path) {
  const address = new URL(previews).host;
  const get = async (target, host = address) =>
    (
      await exchange(
        address,
        Buffer.from(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
      ).catch(() => '')
    ).split('\r\n\r\n')[0];
  const flip = (i) => path.slice(0, i) + (path[i] === 'A' ? 'B' : 'A') + path.slice(i + 1);
  const tries = [...path]
    .map((_, i) => i)
    .filter((i) => i > 0 && i % 7 === 0)
    .map(flip);
  const got = [];
  for (const target of [
    ...tries,
    '/',
    '/image',
    '//',
    `${path}/`,
    `${path}?x`,
    `${path}/image/x`,
    path.slice(0, -2),
    `${path}A`,
    `/${'A'.repeat(20_000)}`,
    `/x${path}`,
    '/..%2f..%2fetc/passwd',
  ]) {
    const head = await get(target);
    if (/^HTTP\/1\.1 2/.test(head)) got.push(`${target.slice(0, 60)}: ${head.slice(0, 20)}`);
  }
  for (const host of ['rebind.test', '', 'a@127.0.0.1', `127.0.0.1.rebind.test:${address.split(':').at(-1)}`]) {
    if (/^HTTP\/1\.1 2/.test(await get(path, host))) got.push(`as ${host}`);
  }
  return { got, right: await get(path) };
}
