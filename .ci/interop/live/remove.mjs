// A page is removed from the page: first one sees what goes with it.
import { Hand } from './hand.mjs';
import { lineOf, lines, report, same, site, until } from './world.mjs';

// elsewhere are tabs that show what is going to be removed, each with what must go from it, and what must come.
async function elsewhere(viewer, url) {
  const { filename, offset } = await lineOf(url);
  const tabs = [
    ['the filtered exchanges', '#/exchanges?text=removed', '.list-rows .c-url', '.notice'],
    ['exchanges that are held', '#/exchanges?host=www.example.org', '.list-rows .c-url', '.list-rows .row'],
    ['the search', `#/search?url=${encodeURIComponent(url)}`, '.list.captures .c-url',
      'main [role=status]:has-text("None of")'],
    ['the exchange itself', `#/exchange/${filename}/${offset}`, '.lead', '.notice.bad'],
  ];
  return Promise.all(tabs.map(async ([name, hash, selector, comes]) => {
    const tab = await viewer.open(hash);
    const shown = tab.locator(selector, { hasText: '/tides?removed' });
    await shown.first().waitFor();
    if (name.includes('held')) {
      await tab.keyboard.press('p');
      await tab.getByRole('button', { name: 'Let the view go on' }).waitFor();
    }
    return { name, shown, comes: tab.locator(comes).first() };
  }));
}

// behind is a tab with an exchange that stays, and lies behind what goes: it is elsewhere in its file then.
async function behind(viewer, url) {
  const { filename, offset } = await lineOf(url);
  const tab = await viewer.open(`#/exchange/${filename}/${offset}`);
  await tab.locator('.lead', { hasText: url }).waitFor();
  return async () => {
    const now = await until('another place', async () => {
      const line = await lineOf(url);
      return line.offset !== offset && line;
    }, 5000);
    await tab.waitForURL((at) => at.hash === `#/exchange/${now.filename}/${now.offset}`, { timeout: 5000 });
    await tab.locator('.lead', { hasText: url }).waitFor({ timeout: 5000 });
  };
}

export default async function remove({ viewer, visit }) {
  await visit('/tides?removed');
  await visit('/birds?stays');
  const page = await viewer.open('#/pages');
  const hand = new Hand(page);
  const row = page.locator('li.page', { hasText: '/tides?removed' });
  await row.waitFor();
  const tabs = await elsewhere(viewer, `${site}/tides?removed`);
  const moves = await behind(viewer, `${site}/birds?stays`);
  await until('its captures', async () => (await lines()).some((l) => l.url === `${site}/tides?removed`));
  await hand.reach(/^Tide tables/);
  await hand.key('Enter');
  await page.locator('.list.waterfall').waitFor();
  await hand.press(/^Remove/);
  await hand.press(/^Show what/);
  await page.locator('dialog .going').waitFor();
  await until('the focus', () => page.evaluate(() => document.activeElement !== document.body), 2000).catch(() => {});
  await hand.kept('what would go');
  await hand.press(/for good/);
  await page.locator('dialog').getByText(/^Removed/).waitFor();
  await until('the focus', () => page.evaluate(() => document.activeElement !== document.body), 2000).catch(() => {});
  await hand.kept('Remove for good');
  await hand.press('Close');
  await page.locator('ol.pages').waitFor();
  await row.waitFor({ state: 'detached' });
  report('a removed page is not in the list any more');
  same('nor are its captures in the index', (await lines()).filter((l) => l.url === `${site}/tides?removed`), []);
  await hand.kept('Close');
  for (const { name, shown, comes } of tabs) {
    const goes = async () => {
      await shown.first().waitFor({ state: 'detached', timeout: 5000 });
      await comes.waitFor({ timeout: 5000 });
    };
    await goes().then(() => report(`what was removed goes from ${name} in another tab`),
      (e) => report(`what was removed goes from ${name} in another tab`, e.message));
  }
  report('an open exchange that lies elsewhere then has another address',
    await moves().then(() => '', (e) => e.message));
  // What is looked at while it goes is asked for once more: that is a 404 by rights.
  viewer.problems = viewer.problems.filter((problem) => !/404 .*live\/(page\?id|exchange\?file)=/.test(problem));
  hand.told('removal');
}
