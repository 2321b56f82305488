// Pause: what passes is not recorded, and each tab says so; resume; the files are finished.
import fs from 'node:fs';
import { Hand } from './hand.mjs';
import { COLLECTION, lineOf, lines, report, same, site } from './world.mjs';

const head = (page) => page.locator('.recorder').first().innerText();

export default async function control({ viewer, visit, visitor }) {
  await visit('/');
  const page = await viewer.open('#/control');
  const other = await viewer.open('#/exchanges');
  const hand = new Hand(page);
  await page.locator('.recorder.good').waitFor();
  await hand.press('Pause recording');
  for (const [name, tab] of [['the tab', page], ['another tab', other]]) {
    await tab.locator('.recorder.held').waitFor();
    same(`paused: ${name} says so`, (await head(tab)).trim().split(/\s+/)[0], 'Paused');
  }
  await hand.kept('Pause');
  await visitor.evaluate(() => fetch('/row/1001').then((r) => r.text()));
  await hand.press('Resume recording');
  for (const tab of [page, other]) await tab.locator('.recorder.good').waitFor();
  await hand.kept('Resume');
  await visitor.evaluate(() => fetch('/row/1002').then((r) => r.text()));
  await lineOf(`${site}/row/1002`);
  report('what came while it was paused is not recorded, and what came later is',
    (await lines()).some((l) => l.url === `${site}/row/1001`) && 'it is');
  await other.locator('.list-rows', { hasText: '/row/1002' }).waitFor();

  await hand.press('Finish the files');
  await page.getByText(/\d files? finished/).waitFor();
  await hand.kept('Finish the files');
  same('finished files have their final names',
    fs.readdirSync(`${COLLECTION}/archive`).filter((name) => name.endsWith('.open')), []);
  hand.told('control');
}
