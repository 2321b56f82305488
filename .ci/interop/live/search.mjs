// Search: what is found, the calendar, and all of it as CDXJ, WARC, HAR and WACZ, each in the hands of others.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { Hand } from './hand.mjs';
import { PACK, T, VENV, lines, report, same, site, text, tries } from './world.mjs';

async function download(page, hand, format) {
  const coming = page.waitForEvent('download');
  await hand.press(format);
  const path = `${T}/search-of-live.${format.toLowerCase()}${format === 'WARC' ? '.gz' : ''}`;
  await (await coming).saveAs(path);
  return path;
}

export default async function search({ viewer }) {
  const page = await viewer.open('#/search');
  const hand = new Hand(page);
  await hand.fill('URL or host', 'www.example.org');
  await hand.choose(/^Finds/, 'this host');
  await hand.press('Search');
  const list = page.locator('.list.captures');
  await list.waitFor();
  await hand.kept('Search');
  const query = 'url=www.example.org&match=host';
  const shown = (await lines()).filter((l) => new URL(l.url).host === 'www.example.org' && l.status !== '304');
  same('as many captures as the export has', Number(await list.getAttribute('aria-rowcount')) - 1, shown.length);

  const cdxj = fs.readFileSync(await download(page, hand, 'CDXJ'), 'utf8');
  same('CDXJ: the lines of /export', cdxj, await text(`export?${query}`));
  const warc = await download(page, hand, 'WARC');
  tries('WARC: warcio reads it', `${VENV}/bin/warcio`, 'check', warc);
  const har = JSON.parse(fs.readFileSync(await download(page, hand, 'HAR'), 'utf8'));
  await createRequire(`${process.env.HARVALIDATOR}/`)('har-validator').har(har).then(
    () => report('HAR: har-validator takes it'), ({ errors }) => report('HAR', JSON.stringify(errors)));
  report('HAR: all of it is of the host', !har.log.entries.length ? 'it is empty' : har.log.entries.find((e) =>
    new URL(e.request.url).host !== 'www.example.org')?.request.url);
  tries('WACZ: py-wacz finds it valid', PACK, 'validate', '-f', await download(page, hand, 'WACZ'));

  await hand.reach('URL or host', 'Shift+Tab');
  await hand.fill('URL or host', `${site}/old.txt`);
  await hand.choose(/^Finds/, 'this URL');
  await hand.press('Search');
  await page.locator('[role=status]', { hasText: '/old.txt' }).first().waitFor(); // the search before has gone
  await page.locator('.calendar .days button').first().waitFor();
  const days = await page.locator('.calendar .days button').evaluateAll((all) => all.map((b) => b.title));
  const of = (await lines(`&url=${encodeURIComponent(`${site}/old.txt`)}`)).length;
  same('the calendar counts what the export has', days, [`${of} captures`]);
  await hand.reach(/captures$/);
  await hand.key('Enter');
  await page.waitForFunction(() => /from=\d{8}&to=\d{8}/.test(location.hash));
  await hand.kept('a day');
  await page.getByText(new RegExp(`^\\s*${of} captures? of`)).waitFor();
  report('a day narrows the search to it');
  hand.told('search');
}
