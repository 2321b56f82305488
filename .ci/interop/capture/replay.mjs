// Opens a package that warcorder capture has written in replayweb.page, and holds the text of each
// page against the one that capture has recorded of it.
//
//   node replay.mjs WACZ TEXTS PROFILE
//
// TEXTS: a file of JSON, the texts by URL.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { alone, recordedFrame, serveReplayweb, textOfFrames } from '../replayweb.mjs';

const [wacz, texts, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const words = (text) => text.split(/\s+/).filter(Boolean).join(' ');

const replayweb = await serveReplayweb(wacz);
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: alone });
try {
  const page = await browser.newPage();
  for (const [url, text] of Object.entries(JSON.parse(fs.readFileSync(texts, 'utf8')))) {
    const want = JSON.stringify(words(text));
    const shown = `(${words})(document.body.innerText) === ${want}`;
    let frame = null;
    for (let loads = 0; loads < 3 && !frame; loads++) { // on a busy machine the first now and then stays empty
      await page.goto(replayweb.address(url));
      frame = await recordedFrame(page, url, shown, 15000);
    }
    const { protocol, pathname, search } = new URL(url);
    const name = `replayweb.page shows the text of ${protocol}${pathname}${search}`;
    if (frame) console.log(`ok - ${name}`);
    else console.log(`not ok - ${name}: not ${want.slice(0, 300)}, ${await textOfFrames(page)}`);
  }
} finally {
  await browser.close();
  replayweb.close();
}
