// A page is removed from the page: first one sees what goes with it.
import { Hand } from './hand.mjs';
import { lines, report, same, site, until } from './world.mjs';

export default async function remove({ viewer, visit }) {
  await visit('/tides?removed');
  const page = await viewer.open('#/pages');
  const hand = new Hand(page);
  const row = page.locator('li.page', { hasText: '/tides?removed' });
  await row.waitFor();
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
  // A page that is looked at while it goes is asked for once more: that is a 404 by rights.
  viewer.problems = viewer.problems.filter((problem) => !/404 .*live\/page\?id=/.test(problem));
  hand.told('removal');
}
