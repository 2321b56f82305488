// Lists that go on: pages, the exchanges of a page, what a search finds. The button that makes one longer keeps the
// focus as long as it is there, and hands it on when it goes; who presses it twice has what comes once.
import { Hand } from './hand.mjs';
import { lineOf, report, same, site, text } from './world.mjs';

const few = 2; // of pages and of exchanges that come at once here, so that there are more
const slowly = () => new Promise((done) => { setTimeout(done, 300); }); // what one can press twice

// pressed presses a button twice, and then once, until it has gone: the last time nothing may come with it.
async function pressed(page, hand, name, grown, all) {
  await hand.reach(name);
  await hand.key('Enter', 'Enter');
  await hand.kept(`${name}, while it goes on`);
  await grown(2 * few);
  for (let n = 3 * few; n < all + few; n += few) {
    await hand.press(name);
    await grown(Math.min(n, all));
  }
  const button = page.getByRole('button', { name });
  if (await button.count()) await hand.press(name);
  await button.waitFor({ state: 'detached' });
  await hand.kept(name);
}

async function olderPages({ page, hand }) {
  await page.route('**/live/pages?*', async (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', few);
    if (url.searchParams.has('before')) await slowly();
    await route.continue({ url: url.href });
  });
  const all = JSON.parse(await text('live/pages')).pages.length;
  await page.evaluate(() => { location.hash = '#/pages'; });
  const grown = (n) => page.waitForFunction((want) => document.querySelectorAll('ol.pages > li').length === want, n);
  await grown(few);
  await pressed(page, hand, 'Older pages', grown, all);
  report('what made the list of pages longer hands the focus on to a page',
    !await page.evaluate(() => document.activeElement.matches('a.open')) && 'it does not');
  await page.unroute('**/live/pages?*');
}

async function moreExchanges({ page, hand }) {
  const { pages } = JSON.parse(await text('live/pages'));
  const { id } = pages.find((p) => p.title === 'Tide tables');
  const { exchanges } = JSON.parse(await text(`live/page?id=${encodeURIComponent(id)}`));
  await page.route('**/live/page?*', async (route) => {
    const url = new URL(route.request().url());
    const offset = Number(url.searchParams.get('offset') ?? 0);
    if (offset) await slowly();
    url.searchParams.delete('offset');
    const response = await route.fetch({ url: url.href });
    const detail = await response.json();
    const rest = detail.exchanges.slice(offset);
    await route.fulfill({ response, json: { ...detail, exchanges: rest.slice(0, few), more: rest.slice(few).length } });
  });
  await page.evaluate((hash) => { location.hash = hash; }, `#/page/${encodeURIComponent(id)}`);
  const list = page.locator('.list.waterfall');
  const grown = (n) => page.waitForFunction((want) => document.querySelector('.list.waterfall')
    ?.getAttribute('aria-rowcount') === String(want + 1), n);
  await grown(few);
  await pressed(page, hand, /more exchanges?$/, grown, exchanges.length);
  report('what made the exchanges of a page more hands the focus on to them',
    !await list.evaluate((e) => e === document.activeElement) && 'it does not');
  await page.unroute('**/live/page?*');
}

async function nextCaptures({ page, hand }, visitor) {
  const rows = 1100;
  await visitor.evaluate(async (n) => {
    for (let from = 0; from < n; from += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, i) => fetch(`/row/${20_000 + from + i}`).then((r) => r.text())));
    }
  }, rows);
  await lineOf(`${site}/row/${20_000 + rows - 1}`);
  await page.route('**/cdx/search/cdx?*', (route) => slowly().then(() => route.continue()));
  await page.evaluate((hash) => { location.hash = hash; },
    `#/search?url=${encodeURIComponent(`${site}/row/2`)}&matchType=prefix`);
  const list = page.locator('.list.captures');
  await list.waitFor();
  same('a search shows a thousand at first', await list.getAttribute('aria-rowcount'), '1001');
  await hand.press('Next 1,000');
  await page.getByRole('button', { name: 'Looking …' }).waitFor();
  await hand.kept('Next 1,000, while it looks');
  await page.getByRole('button', { name: /Looking|Next/ }).waitFor({ state: 'detached' });
  await hand.kept('Next 1,000');
  report('what made a search longer hands the focus on to the list',
    !await list.evaluate((e) => e === document.activeElement) && 'it does not');
  report('and the rest is there', Number(await list.getAttribute('aria-rowcount')) <= rows && 'it is not');
}

export default async function longer({ viewer, visitor, visit }) {
  for (const path of ['/', '/birds', '/tides', '/birds?longer', '/?longer']) await visit(path);
  const page = await viewer.open('#/control');
  const at = { page, hand: new Hand(page) };
  await olderPages(at);
  await moreExchanges(at);
  await nextCaptures(at, visitor);
  at.hand.told('longer lists');
}
