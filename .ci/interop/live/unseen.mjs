// A page that nobody sees asks for nothing, whatever it shows, and asks at once when it is seen again.
import { report, text, until } from './world.mjs';

// Its clock runs ahead: what is asked once a quarter of a minute would be missed otherwise.
const ahead = 60_000; // ms
const most = 2000; // ms from the sight of a page to its question

const turn = (state) => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => state });
  document.dispatchEvent(new Event('visibilitychange'));
};

async function look(viewer, name, hash, path) {
  const page = await viewer.open(hash);
  await page.clock.install();
  await page.reload();
  await page.locator('main h1').waitFor();
  const asked = [];
  const under = new Set();
  page.on('request', (request) => {
    under.add(request);
    asked.push(new URL(request.url()).pathname.slice(1));
  });
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => under.delete(request));
  await until(`${name}: a question`, () => page.clock.fastForward(ahead).then(() => asked.includes(path)));
  await page.evaluate(turn, 'hidden');
  await page.clock.fastForward(ahead); // its connection ends
  await until(`${name}: the end of its questions`, () => page.evaluate(() => 0).then(() => !under.size));
  asked.length = 0;
  for (let n = 0; n < 5; n++) await page.clock.fastForward(ahead);
  await page.evaluate(() => fetch('live/icon.svg').then((r) => r.text())); // what was asked before it is known, too
  report(`${name}, unseen: nothing is asked for in five minutes`, asked.filter((p) => p !== 'live/icon.svg').join(' '));
  asked.length = 0;
  await page.evaluate(turn, 'visible');
  const isAsked = () => page.evaluate(() => 0).then(() => asked.includes(path));
  const late = await until('a question', isAsked, most).then(() => '', (e) => e.message);
  report(`${name}, seen again: it asks at once`, late);
}

export default async function unseen({ viewer, visit }) {
  await visit('/');
  const { pages: [{ id }] } = JSON.parse(await text('live/pages'));
  await Promise.all([['the pages', '#/pages', 'live/pages'],
    ['a page', `#/page/${encodeURIComponent(id)}`, 'live/page'],
    ['the exchanges', '#/exchanges', 'live/overview'], ['the overview', '#/overview', 'live/overview'],
    ['the control', '#/control', 'live/captures']].map((one) => look(viewer, ...one)));
}
