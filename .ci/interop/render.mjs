// Renders a recorded page in replayweb.page, in a headless Chromium that finds
// no host but the server of this script: the page must come from the WARC
// alone. Then asks the page, as drive.mjs does, what it has found.
//
//   node render.mjs WARC URL TEXT PROFILE
//
// TEXT must be on the page. playwright-core is taken from the folder that
// PLAYWRIGHT names, replayweb.page's ui.js and sw.js from REPLAYWEB.
import { createRequire } from 'node:module';
import { alone, recordedFrame, serveReplayweb, textOfFrames } from './replayweb.mjs';

const [warc, url, text, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');

function report(name, problem) {
  console.log(problem ? `not ok - ${name}: ${problem}` : `ok - ${name}`);
}

const replayweb = await serveReplayweb(warc);
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: alone });
try {
  const page = await browser.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (problem) => said.push(String(problem)));
  // rendered waits until the recorded page is done, at most 20 seconds.
  const rendered = async () => {
    await page.goto(replayweb.address(url));
    const frame = await recordedFrame(page, url, 'window.done === true', 20000);
    if (frame) return frame;
    const instead = [await textOfFrames(page), ...said].join(' | ');
    console.log(`# replayweb.page has not rendered ${url}: ${instead.slice(0, 3000)}`);
    return null;
  };
  // On a busy machine the first load now and then stays empty.
  const shown = await rendered() ?? await rendered() ?? await rendered();
  if (shown) {
    for (const { name, problem } of await shown.evaluate('window.results')) {
      report(`replayweb.page: ${url}: ${name}`, problem);
    }
    const all = await shown.evaluate('document.body.innerText');
    report(`replayweb.page: ${url}: shows "${text}"`, all.includes(text) ? '' : `it shows ${all.slice(0, 300)}`);
  } else {
    report(`replayweb.page renders ${url}`, 'not in three loads');
  }
} finally {
  await browser.close();
  replayweb.close();
}
