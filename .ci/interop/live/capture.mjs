// A capture is started from the page, and goes on to its end: its page is there, whole, with a thumbnail. Another
// one is stopped.
import { Hand } from './hand.mjs';
import { report, site } from './world.mjs';

export default async function capture({ viewer }) {
  const page = await viewer.open('#/control');
  const hand = new Hand(page);
  await hand.fill('URL to capture', `${site}/birds`);
  await hand.key('Enter');
  const job = page.locator('.jobs li').first();
  await job.waitFor();
  await job.locator('.tag.good, .tag.bad').waitFor({ timeout: 60_000 });
  report('a capture comes to its end', await job.locator('.tag.good').count() ? '' : await job.innerText());
  await hand.fill('URL to capture', `${site}/tides`);
  await hand.key('Enter');
  await hand.press('Stop');
  await page.locator('.jobs .tag', { hasText: 'stopped' }).waitFor();
  await hand.kept('Stop');
  await hand.press('its pages');
  await page.locator('li.page', { hasText: 'Birds of the marsh' }).first()
    .locator('.thumbnail canvas:not([hidden])').waitFor();
  report('its page is in the list, with a thumbnail');
  hand.told('capture');
}
