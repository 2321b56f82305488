// Exchanges filtered by host, type, status and text: as many as the export has, and the same after a reload,
// as the filter is in the address.
import traffic from './traffic.mjs';
import { Hand } from './hand.mjs';
import { lines, report, same, until } from './world.mjs';

// typed are lines of which a revisit has the type of what came.
function typed(all) {
  const of = new Map(all.filter((l) => l.mime !== 'warc/revisit').map((l) => [l.digest, l.mime]));
  return all.map((l) => ({ ...l, mime: l.mime === 'warc/revisit' ? of.get(l.digest) : l.mime }));
}

const cases = [
  ['Host', 'static.example.org', 'host', (l) => new URL(l.url).hostname === 'static.example.org'],
  ['Type', 'image/jpeg', 'mime', (l) => l.mime === 'image/jpeg'],
  ['Status', '4xx', 'status', (l) => l.status?.startsWith('4')],
  ['URL has', 'tides.json', 'text', (l) => l.url.includes('tides.json')],
];

const rows = (page) => page.evaluate(() => Number(document.querySelector('.list')?.getAttribute('aria-rowcount')) - 1);

export default async function filter({ viewer, visit, visitor }) {
  await traffic({ visit, visitor });
  const page = await viewer.open('#/exchanges');
  const hand = new Hand(page);
  for (const [field, value, parameter, agrees] of cases) {
    await hand.fill(field, value);
    const want = typed(await lines()).filter(agrees).length;
    const got = await until(`${want} rows of ${value}`, async () => await rows(page) === want, 5000)
      .then(() => want, () => rows(page));
    same(`${field} ${value}: as many rows as the export has`, got, want);
    report(`${field} ${value} filters something`, want > 0 ? '' : 'nothing has it');
    same(`${field}: the filter is in the address`,
      new URLSearchParams(page.url().split('?')[1]).get(parameter), value);
    await page.reload();
    await page.locator('.list-rows .row').first().waitFor();
    await until(`${want} rows after the reload`, async () => await rows(page) === want, 5000).catch(() => {});
    same(`${field}: after a reload it is there still`,
      [await page.getByLabel(field, { exact: true }).inputValue(), await rows(page)], [value, want]);
    await hand.press('No filter');
    await until('no filter', async () => !page.url().includes('?'));
    await hand.kept('No filter');
  }
  // Escape leaves a field, and not one in which a word is being composed.
  await hand.reach('URL has');
  const escape = (composing) => page.evaluate((isComposing) => {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', isComposing, bubbles: true }));
    return document.activeElement.tagName;
  }, composing);
  same('Escape leaves a field, but not a word that is being composed', [await escape(true), await escape(false)],
    ['INPUT', 'BODY']);
  hand.told('filters');
}
