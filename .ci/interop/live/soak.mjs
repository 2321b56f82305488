// The live page while 10,000 rows a minute come, for minutes: what the page keeps, what it does, what
// the recorder takes for it; and that no row is lost. All of it must be flat.
//
//   node soak.mjs RECORDER PID TOKEN LOAD SECONDS
//
// LOAD is the program of load/. Every 10 s a line of figures is printed.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [recorder, pid, token, load, length = '120'] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const base = `http://${recorder}/`;
const rate = 10_000 / 60;
// % of a core for each viewer; three times what is promised where others take the machine.
const mostCost = process.env.CI_LONG === '1' ? 3 : 10;
const mostGrowth = [1.15, 4]; // the last third to the first: so many times, and so many MB
const mostRows = 120;
const report = (what, holds, why = '') => console.log(holds ? `ok - ${what}` : `not ok - ${what}: ${why}`);
const sleep = (ms) => new Promise((done) => { setTimeout(done, ms); });
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const said = (n, digits = 1) => Number(n).toFixed(digits);

// The recorder from outside: CPU in s, memory in MB without the pages of files.
const cpu = () => fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
  .reduce((sum, ticks) => sum + Number(ticks) / 100, 0);
const memory = () => Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1e3;
const ask = async (path) => (await fetch(base + path, { headers: { Authorization: `Bearer ${token}` } })).json();

// send begins a load; its end is what came of it.
function send(perSecond, seconds) {
  const child = spawn(load, ['-proxy', recorder, '-rate', perSecond, '-duration', `${seconds}s`]);
  let text = '';
  child.stdout.on('data', (piece) => { text += piece; });
  child.stderr.pipe(process.stderr);
  const end = new Promise((done) => { child.on('exit', () => done(JSON.parse(text || '{"failed":-1}'))); });
  return { end, stop: () => { child.kill(); return end; } };
}

const added = (a, b) => ({ sent: a.sent + b.sent, gaps: a.gaps + b.gaps, failed: a.failed + b.failed });

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--headless', '--no-sandbox',
  '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--no-proxy-server',
  '--disable-component-update', '--disable-sync'] });
const errors = [];
async function view(hash) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } }); // a window: it is seen
  const page = await context.newPage();
  page.on('pageerror', (e) => errors.push(e.message));
  await page.goto(base + hash);
  return page;
}
// counted is what the page has been told of: its module is the one that it has itself.
const counted = (page) => page.evaluate(async () => {
  const { feed } = await import(new URL('live/feed.js', document.baseURI).href);
  return { captures: feed.captures, gaps: feed.gaps };
});

const page = await view('#/exchanges');
const pages = await view('#/pages');
await page.waitForSelector('main h1');
const session = await page.context().newCDPSession(page);
await session.send('HeapProfiler.enable');
const other = await pages.context().newCDPSession(pages);
await other.send('HeapProfiler.enable');
await page.evaluate(() => {
  window.tasks = { n: 0, longest: 0 };
  new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => {
    window.tasks.n++;
    window.tasks.longest = Math.max(window.tasks.longest, duration);
  })).observe({ entryTypes: ['longtask'] });
});
const first = await counted(page);
const firstOf = (await ask('live/overview')).run;
let sent = await send(1500, 15).end; // until what a page keeps is full
await page.waitForSelector('.list.exchanges');
const settled = { ...(await counted(page)) };

// Who reads the oldest rows, while these go: the list draws itself anew between two of its beats.
const flood = send(1500, 6);
await page.locator('.list.exchanges').focus();
for (let n = 0; n < 150; n++) {
  await page.evaluate((to) => { document.querySelector('.list.exchanges')?.scrollTo(0, to); }, n % 2 ? 0 : 90);
  await sleep(20);
}
sent = added(sent, await flood.end);
report('livesoak: the list stands where its oldest rows go', await page.locator('.list.exchanges').count() === 1,
  await page.locator('main').textContent());
await page.getByRole('button', { name: /new ↓|To the newest/ }).click({ timeout: 5000 })
  .catch((e) => errors.push(`to the newest: ${e.message}`));
await page.evaluate(() => { window.tasks = { n: 0, longest: 0 }; });

// What the filter shows for the first time stays.
await page.getByLabel('Status').fill('4xx');
await page.waitForFunction(() => /of the .* rows/.test(document.querySelector('.foot')?.textContent ?? ''));
await page.getByLabel('Status').fill('');

// nodesOf counts the nodes that one page holds, also those that are in no document any more. What the one
// collector lets go the other sees as gone the next time.
async function nodesOf(of) {
  await of.send('Performance.enable');
  for (let n = 0; n < 3; n++) await of.send('HeapProfiler.collectGarbage');
  return (await of.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'Nodes').value;
}

// The soak itself.
const samples = [];
const steady = send(rate, Number(length));
const steps = Math.floor(Number(length) / 10);
let before = { cpu: cpu(), at: performance.now() };
for (let i = 0; i < steps; i++) {
  if (i === Math.floor(steps / 3)) await page.getByLabel('Status').fill('4xx');
  if (i === Math.floor(steps / 2)) await page.getByLabel('Status').fill('');
  if (!await page.locator('.list.exchanges').count()) errors.push(await page.locator('main').textContent());
  await page.mouse.move(600, 500); // over the list
  for (let n = 0; n < 6; n++) await page.mouse.wheel(0, i % 2 ? -700 : 9000);
  await sleep(10_000 - ((performance.now() - before.at) % 10_000));
  const nodes = await nodesOf(session);
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const beside = { nodes: await nodesOf(other), heap: (await other.send('Runtime.getHeapUsage')).usedSize / 1e6 };
  const seen = await page.evaluate(() => ({ ...window.tasks,
    rows: document.querySelectorAll('.list-rows .row').length }));
  const now = { cpu: cpu(), at: performance.now() };
  const used = 100_000 * (now.cpu - before.cpu) / (now.at - before.at);
  samples.push({ heap: usedSize / 1e6, nodes, rss: memory(), used, beside, ...seen });
  const s = samples.at(-1);
  console.log(`# livesoak: ${(i + 1) * 10} s: heap ${said(s.heap)} MB, ${nodes} nodes, ${s.rows} rows, `
    + `${s.n} long tasks (${said(s.longest, 0)} ms), recorder ${said(s.rss)} MB, ${said(s.used)} % of a core; `
    + `pages: heap ${said(beside.heap)} MB, ${beside.nodes} nodes`);
  before = now;
}
sent = added(sent, await steady.end);
await sleep(2500);
const last = await counted(page);
const lastOf = (await ask('live/overview')).run;
const third = Math.max(1, Math.floor(samples.length / 3));
const mostOf = (value) => [median(samples.slice(0, third).map(value)), median(samples.slice(-third).map(value))];
const flat = (name, value, [share, slack]) => {
  const [from, to] = mostOf(value);
  report(`livesoak: flat: ${name}, ${said(from)} in the first third, ${said(to)} in the last`,
    to <= from * share + slack, `more than ${share} times that and ${slack}`);
};
flat('heap of the page in MB', (s) => s.heap, mostGrowth);
flat('nodes', (s) => s.nodes, [1.2, 400]);
flat('heap of the view of pages in MB', (s) => s.beside.heap, mostGrowth);
flat('nodes of the view of pages', (s) => s.beside.nodes, [1.2, 400]); // a leak of rows is 12,000 a minute
flat('memory of the recorder in MB', (s) => s.rss, [1.25, 25]);
flat('the recorder in % of a core', (s) => s.used, [1.3, 3]);
report(`livesoak: at most ${mostRows} rows are in the document`, samples.every((s) => s.rows <= mostRows),
  samples.map((s) => s.rows).join(' '));
const rows = { page: last.captures - first.captures, recorder: lastOf.captures - firstOf.captures, sent: sent.sent };
report(`livesoak: ${rows.page} captures were told to the page, as many as the recorder has, none is lost`,
  sent.failed === 0 && rows.page === rows.recorder && rows.page === rows.sent,
  JSON.stringify({ ...rows, failed: sent.failed }));
report(`livesoak: and ${last.gaps - first.gaps} gaps`, last.gaps - first.gaps === sent.gaps,
  JSON.stringify({ ...sent, last }));
report('livesoak: the page was full before', settled.captures - first.captures >= 18_000, settled.captures);

// What a viewer costs the recorder: the same load with none, with one of each kind, in turn.
const cost = { none: [], exchanges: [], pages: [] };
const through = send(rate, 600);
for (let round = 0; round < 4; round++) {
  for (const who of Object.keys(cost)) {
    await Promise.all([page.goto(who === 'exchanges' ? `${base}#/exchanges` : 'about:blank'),
      pages.goto(who === 'pages' ? `${base}#/pages` : 'about:blank')]);
    await sleep(2000);
    const viewer = { exchanges: page, pages }[who];
    const from = { cpu: cpu(), at: performance.now(), ...viewer && await counted(viewer) };
    await sleep(5000);
    cost[who].push(100_000 * (cpu() - from.cpu) / (performance.now() - from.at));
    if (viewer && (await counted(viewer)).captures - from.captures < rate) errors.push(`the ${who} are not followed`);
  }
}
await through.stop();
const none = median(cost.none);
for (const who of ['exchanges', 'pages']) {
  const more_ = median(cost[who]) - none;
  console.log(`# livesoak: a viewer of the ${who} costs ${said(more_)} % of a core (`
    + `${cost[who].map((c) => said(c)).join(' ')}; without ${cost.none.map((c) => said(c)).join(' ')})`);
  report(`livesoak: a viewer of the ${who} costs less than ${mostCost} % of a core`, more_ < mostCost,
    said(more_));
}
report('livesoak: no error in the pages', errors.length === 0, errors.join('; '));
await browser.close();
