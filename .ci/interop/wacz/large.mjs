// What replayweb.page makes of a package of many pages: it lists them all, finds one by a word of its
// URL, and shows it. How long opening takes is printed.
//
//   node large.mjs ARCHIVE COUNT URL TEXT PROFILE
//
// ARCHIVE: a WACZ; COUNT: how many pages it has; URL: of one of them, TEXT: is on it, and what stands
// behind the last = of the URL is on no other.
import { createRequire } from 'node:module';
import { alone, recordedFrame, serveReplayweb, textOfFrames } from '../replayweb.mjs';

const [archive, count, url, text, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const wait = 30000 + 1.5 * count; // milliseconds, more than twice of what a busy machine takes

function report(what, problem) {
  console.log(problem ? `not ok - replayweb.page: ${count} pages: ${what}: ${problem}`
    : `ok - replayweb.page: ${count} pages: ${what}`);
}

// until asks until the answer is good, and returns the last one.
async function until(milliseconds, ask, good = Boolean) {
  let got;
  for (const deadline = Date.now() + milliseconds; Date.now() < deadline;) {
    got = await ask();
    if (good(got)) break;
    await new Promise((done) => { setTimeout(done, 100); });
  }
  return got;
}

// How many pages its service worker has.
const pages = async () => {
  const { colls } = await (await fetch('/replay/w/api/coll-index')).json();
  return (await (await fetch(`/replay/w/api/c/${colls[0].id}?all=1`)).json()).pages.length;
};

const replayweb = await serveReplayweb(archive, 'default');
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: alone });
try {
  const page = await browser.newPage();
  const listed = async () => {
    for (const frame of page.frames()) {
      if (await frame.locator('wr-page-entry').count().catch(() => 0)) return frame;
    }
    return null;
  };
  const opened = async () => {
    await page.goto(replayweb.address(''));
    return until(wait, listed);
  };
  const begin = Date.now();
  const frame = await opened() ?? await opened(); // now and then the first load stays empty
  if (frame) {
    console.log(`# replayweb.page: ${count} pages are listed after ${Math.round((Date.now() - begin) / 1000)} s`);
    const got = await frame.evaluate(pages).catch(String);
    report('all are there', got === Number(count) ? '' : got);
    await frame.locator('input[placeholder^="Search by Page"]').fill(url.split('=').at(-1));
    const found = await until(60000, () => frame.locator('wr-page-entry').count(), (n) => n === 1);
    report('one is found by its URL', found === 1 ? '' : `${found} are`);
  } else {
    report('they are listed', `not in ${wait / 1000} s: ${await textOfFrames(page)}`);
  }
  await page.goto(replayweb.address(url));
  const shown = await recordedFrame(page, url, `document.body.innerText.includes(${JSON.stringify(text)})`, wait);
  report(`shows "${text}" of one in the middle`, shown ? '' : await textOfFrames(page));
} finally {
  await browser.close();
  replayweb.close();
}
