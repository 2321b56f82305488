// The pictures of README: pages of which one lacks something, and what was loaded for that one. As a step of
// live.sh it is not among the usual ones:
//
//   LIVE_STEPS=pictures LIVE_PICTURES=$PWD/doc/images .ci/interop/run live.sh
import { report } from './world.mjs';

export default async function pictures({ viewer, visit }) {
  const folder = process.env.LIVE_PICTURES;
  for (const path of ['/birds', '/', '/tides', '/birds?spring', '/?winter']) await visit(path);
  const options = { viewport: { width: 1280, height: 640 } };
  const page = await viewer.open('#/pages', options);
  const row = page.locator('li.page', { hasText: 'Tide tables' }).first();
  await row.locator('.tag.bad', { hasText: 'lacks 2 requests' }).waitFor();
  await page.waitForFunction(() => !document.querySelector('.tag.now'), undefined, { timeout: 80_000 });
  await row.locator('summary').click();
  await row.locator('.findings li').nth(1).waitFor();
  await page.screenshot({ path: `${folder}/live-pages.png` });
  await row.locator('a.open').click();
  await page.locator('.list.waterfall .list-rows .row').nth(5).waitFor();
  await page.screenshot({ path: `${folder}/live-page.png` });
  report('the pictures are made');
}
