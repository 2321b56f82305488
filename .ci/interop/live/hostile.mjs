// A hostile site is recorded, and then looked at in every view of the live page. Nothing of it may run,
// and nothing of it may be fetched: each of its bodies names a listener of its own, and all stay silent
// while it is looked at. That they can speak is shown first, by the same bodies opened as pages.
//
//   node hostile.mjs RECORDER TOKEN WORK
//
// The recorder has been told to ask for nothing by itself (--complete never).
import { createRequire } from 'node:module';
import fs from 'node:fs';
import { answers, breaks, title } from './hostile/bodies.mjs';
import { Beacons } from './hostile/beacons.mjs';
import { Site, recordAll } from './hostile/site.mjs';
import { Views } from './hostile/views.mjs';
import { Watch } from './hostile/watch.mjs';
import { from, keys, names, script } from './hostile/attack.mjs';

const [recorder, token, work] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const base = `http://${recorder}/`;
const report = (what, problems) =>
  console.log(
    problems.length
      ? `not ok - ${what}: ${problems.slice(0, 8).join('; ').replace(/\s+/g, ' ')}${
          problems.length > 8 ? ` (${problems.length - 8} more)` : ''
        }`
      : `ok - ${what}`,
  );
const phase = (name) => console.log(`# hostile: ${name}, ${(performance.now() / 1000).toFixed(0)} s`);
const sleep = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

const browse = (name, ...args) =>
  chromium.launchPersistentContext(`${work}/profile-${name}`, {
    executablePath: '/usr/bin/chromium',
    viewport: { width: 1280, height: 860 },
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-sync',
      '--disable-background-networking',
      '--disable-component-update',
      `--log-net-log=${work}/${name}.net`,
      ...args,
    ],
  });
const bearer = { Authorization: `Bearer ${token}` };
const tell = async (path, form) => {
  const answer = await fetch(base + path, { method: 'POST', headers: bearer, body: new URLSearchParams(form) });
  return { status: answer.status, ...(await answer.json().catch(() => ({}))) };
};
// ask waits for who says that it has not looked yet.
async function ask(path) {
  for (let i = 0; ; i++) {
    const answer = await fetch(base + path, { headers: bearer }); // fetch calls itself a browser
    if (answer.ok) return answer.json();
    if (answer.status !== 503 || i > 50) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await sleep(200);
  }
}

// What the browser's own log says that it has looked up or connected to, of what the site has named.
const asked = (name) =>
  [
    ...new Set(
      fs
        .readFileSync(`${work}/${name}.net`, 'utf8')
        .match(/"(?:host|address|url)":"[^"]{0,40}(?:hostile\.test|127\.77\.0\.|127\.0\.0\.2[:"])[^"]*"/g) ??
        [],
    ),
  ].filter((one) => !one.includes(base));

const beacons = new Beacons();
const site = new Site(beacons);
await site.start();
const closed = await beacons.add('closed');
closed.end();

// Recorded: by what is no browser, and by one.
site.pages.set(
  'attack',
  `<!doctype html><title>attack</title><script>${script(`http://${recorder}`, {
    page: 'x',
    place: 'x',
    url: 'x',
  })}</script>`,
);
report('a hostile site is recorded', await recordAll(recorder, site, new URL(closed.url).host));
let browser = await browse('recording', `--proxy-server=${recorder}`, '--proxy-bypass-list=<-loopback>');
for (const name of ['html', 'svgpage', 'frames', 'xhtml', 'attack']) {
  const page = await browser.newPage();
  page.on('dialog', (dialog) => dialog.dismiss().catch(() => {}));
  await page.goto(`${site.url}/${name}/?browser`, { timeout: 15_000 }).catch(() => {});
  await page.waitForTimeout(500);
  await page.close();
}
await browser.close();
report('its listeners were reached while a browser recorded it', beacons.take().length > 2 ? [] : ['none was']);

phase('recorded');
// What is handed in: pictures that are none, notes, captures.
const urlOf = (name) => site.urlOf(answers.find((a) => a.name === name));
const handIn = async (uri, type, body) =>
  (
    await fetch(`${base}record?${new URLSearchParams({ url: uri, type: 'resource' })}`, {
      method: 'POST',
      headers: { ...bearer, 'Content-Type': type },
      body,
    })
  ).status;
for (const [name, picture] of [
  ['html', 'svg'],
  ['reason', 'png'],
  ['path', 'gif'],
  ['query', 'jpeg'],
  ['utf16', 'html'],
]) {
  const answer = answers.find((a) => a.name === picture);
  await handIn(`urn:thumbnail:${urlOf(name)}`, answer.type, answer.body(beacons.all.get(picture)));
}
await tell('settle', {});
await sleep(1500);
let pages = (await ask('live/pages?limit=200')).pages;
const b = beacons.all.get('html');
const noted = await tell('live/note', { page: pages[0].id, text: breaks(b).join('\n') });
report('a hostile note is kept', noted.status < 300 ? [] : [JSON.stringify(noted)]);
for (const url of [
  `${site.url}/html/"><svg/onload=window.HOSTILE=1>`,
  `${site.url}/empty/<script>window.HOSTILE=1</script>`,
]) {
  await tell('live/capture', { url });
}
for (let i = 0; i < 240; i++) {
  const { jobs } = await ask('live/captures');
  if (!jobs.some(({ state }) => state === 'running' || state === 'waiting')) break;
  await sleep(500);
}
const { jobs } = await ask('live/captures');
report(
  'pages were captured from the live page',
  jobs.length === 2 && jobs.every((j) => j.lines.length) ? [] : [JSON.stringify(jobs)],
);
await tell('settle', {});
await sleep(1500);
beacons.take();

phase('handed in');
// The control: where they are documents they do reach what they name.
browser = await browse('control', '--no-proxy-server');
let dialogs = 0;
const silent = [];
for (const answer of answers.filter((a) => a.acts)) {
  const page = await browser.newPage();
  page.on('dialog', (dialog) => {
    dialogs++;
    dialog.dismiss().catch(() => {});
  });
  await page.goto(site.urlOf(answer), { timeout: 10_000 }).catch(() => {});
  await page.waitForTimeout(300);
  const ran = await page.evaluate(() => window.HOSTILE).catch(() => 0);
  if (!ran || !beacons.take().length) silent.push(`${answer.name} (script: ${ran})`);
  await page.close();
}
await browser.close();
report(
  `opened as pages ${answers.filter((a) => a.acts).length} bodies run their scripts and reach their listeners`,
  silent,
);
report(
  'their dialogs and the names that they look up are noticed',
  dialogs && asked('control').some((a) => a.includes('hostile.test'))
    ? []
    : [`${dialogs} dialogs`, `looked up: ${asked('control').join(' ')}`],
);
beacons.take();

phase('control');
// Every view.
browser = await browse('views', '--no-proxy-server');
const watch = new Watch(browser, base);
const [page] = browser.pages();
watch.main = page;
await page.goto(base);
watch.previews = await page.evaluate(() => document.documentElement.dataset.previews);
const captures = await told();
pages = (await ask('live/pages?limit=200')).pages;
const views = new Views(page, watch);
const searched = [...new Set([urlOf('html'), urlOf('query'), urlOf('path')])];
const counts = await views.all(
  captures.filter(({ url }) => url.startsWith(site.url) || url.startsWith('urn:')),
  pages,
  searched,
);
// What comes while somebody looks.
await views.go('#/exchanges');
const late = await recordAll(recorder, site, new URL(closed.url).host);
await page.waitForTimeout(1500);
await watch.check(page, 'rows that come');
const reached = beacons.take();
console.log(
  `# hostile: ${counts.exchanges} exchanges (${[...counts.ways].join(', ')}) and ${counts.pages} pages looked at, ${
    watch.seen.requests
  } requests of the page, ${watch.seen.tabs} tabs, ${watch.seen.downloads.length} downloads`,
);
report('in no view of the live page anything of them runs, is refused by a policy, or leads away', [
  ...watch.problems,
  ...late,
]);
report('and no listener is reached', reached);
report(
  'images, text, JSON and bytes have been looked at',
  ['Image', 'Text', 'JSON', 'Hex'].filter((way) => !counts.ways.has(way)),
);
const names_ = watch.seen.downloads.filter(
  (name) => !/^[\w.@+-]+\.(warc\.gz|warc|wacz|har|cdxj)$/.test(name) || /\.\./.test(name),
);
report('downloads have names of ours', watch.seen.downloads.length ? names_ : ['there was none']);

phase('views');
// Recorded documents at the recorder's own address, and pages of other sites.
const cookies = await browser.cookies(base);
await browser.close();
report("the browser's own log knows of no host and no name of theirs", asked('views'));
const before = await state();
browser = await browse('documents', '--no-proxy-server');
await (await browser.newPage()).goto(base); // it has the cookie, too
const documents = new Watch(browser, base);
for (const answer of [...answers, { name: 'attack' }]) {
  documents.where = `/web/ of ${answer.name}`;
  const tab = await browser.newPage();
  await tab.goto(`${base}web/2id_/${site.urlOf(answer)}`, { timeout: 8000 }).catch(() => {});
  await tab.waitForTimeout(answer.name.startsWith('pdf') ? 4000 : 120); // a viewer takes its time to open one
  if (await documents.ran(tab)) documents.problem('a script has run');
  if (await tab.evaluate(() => window.GOT).catch(() => 0)) documents.problem('it attacks');
  await tab.close();
}
// That it wanted to ask for something, and was refused, is as it should be.
const odd = [...documents.problems].filter((p) => !/a policy was needed|asks for|sandbox/.test(p));
report("what was recorded, opened at the recorder's own address, runs nothing", odd);
const connected = beacons.take();
report(
  'and asks nobody for anything',
  connected.filter((one) => one.includes('HTTP/')),
);
await browser.close();
// No policy keeps Chromium from getting ready for what a document may want.
console.log(
  `# hostile: for ${connected.length} of these documents Chromium connects where their frames lead, without a word, ` +
    `and looks up ${asked('documents').filter((one) => /^"host".*\.test/.test(one)).length} of their names`,
);
browser = await browse('attacks', '--no-proxy-server');
await (await browser.newPage()).goto(base);
const at = {
  page: pages[0].id,
  place: new URLSearchParams({ file: captures[0].file, offset: captures[0].offset }).toString(),
  url: encodeURIComponent(urlOf('html')),
};
const own = `http://${recorder}`;
const near = await listenAtOwnAddress();
for (const [who, address, target, made] of [
  ['another site', `${site.url}/attack/`, own],
  ['another port of its own address', near, own],
  ['the origin of frames', `${watch.previews}/`, own, true],
  ['localhost', near.replace('127.0.0.1', 'localhost'), own],
]) {
  const { got } = await from(browser, address, target, at, made);
  report(`a page of ${who} reads nothing and changes nothing`, got);
}
await browser.close();
browser = await browse('rebinding', '--no-proxy-server', '--host-resolver-rules=MAP *.rebind.test 127.0.0.1');
const port = recorder.split(':').at(-1);
const bound = await from(browser, `http://a.rebind.test:${port}/`, `http://a.rebind.test:${port}`, at);
report(
  'a name that was bound anew gets nothing',
  bound.status === 421 ? bound.got : [`status ${bound.status}`, ...bound.got],
);
await browser.close();
const byName = await names(recorder, cookies.map((c) => `${c.name}=${c.value}`).join('; '), at);
report(
  `${byName.asked} questions by other names, with the cookie, get nothing`,
  cookies.length ? byName.got : ['no cookie'],
);
const picture = captures.find(({ url }) => url.startsWith(urlOf('gif')));
const { preview } = await ask(
  `live/exchange?${new URLSearchParams({ file: picture.file, offset: picture.offset })}`,
);
const byKey = await keys(watch.previews, preview.path);
report(
  'frames are there for keys that were given out, and for no others',
  byKey.right.startsWith('HTTP/1.1 200') ? byKey.got : [`the right one: ${byKey.right.slice(0, 30)}`],
);
report(
  'what was not asked by the page has changed nothing',
  JSON.stringify(await state()) === JSON.stringify(before)
    ? []
    : [JSON.stringify(before), JSON.stringify(await state())],
);
phase('attacks');
beacons.close();
process.exit(0);

// told are the captures that a recorder tells of, as a program gets them.
async function told() {
  const stream = await fetch(`${base}events?since=0&kinds=capture`, { headers: bearer });
  const found = [];
  let text = '';
  for await (const piece of stream.body) {
    text += Buffer.from(piece).toString('utf8');
    const lines = text.split('\n');
    text = lines.pop();
    found.push(...lines.filter((line) => line.startsWith('data: ')).map((line) => JSON.parse(line.slice(6))));
    if (found.at(-1) && lines.length < 3) break;
    if (found.length && found.length === (await ask('status')).captures) break;
    if (found.length > 20) break;
  }
  return found;
}

// state is what an attack would change.
async function state() {
  const { recorder: r, files } = await ask('live/overview');
  const { jobs: all } = await ask('live/captures');
  const list = (await ask('live/pages?limit=200')).pages;
  const { notes } = await ask(`live/page?id=${encodeURIComponent(pages[0].id)}`);
  return {
    paused: r.paused,
    open: files.filter((f) => f.state === 'open').length,
    jobs: all.length,
    pages: list.length,
    notes: notes.length,
  };
}

// listenAtOwnAddress serves a page at another port of the recorder's address: of the same site, to which
// cookies go.
async function listenAtOwnAddress() {
  const { createServer } = await import('node:http');
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>${title(b)}</title>`);
  });
  await new Promise((done) => {
    server.listen(0, '127.0.0.1', done);
  });
  server.unref();
  return `http://127.0.0.1:${server.address().port}/`;
}
