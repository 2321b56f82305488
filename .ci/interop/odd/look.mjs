// Lets a real Chromium look at each odd answer, from one page: at the origin through the proxy, or replayed.
//
//   node look.mjs live PROXY PAGE CASES OUT PROFILE
//   node look.mjs pywb COLLECTION_URL PAGE CASES OUT PROFILE
//   node look.mjs replayweb WARC PAGE CASES OUT PROFILE
//
// OUT gets what the page has seen, as JSON. playwright-core is taken from the folder that PLAYWRIGHT names,
// replayweb.page's ui.js and sw.js from REPLAYWEB.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { alone, local, recordedFrame, serveReplayweb } from '../replayweb.mjs';

const [how, from, url, casesFile, out, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const cases = JSON.parse(fs.readFileSync(casesFile)).filter((one) => how !== 'live' || one.live);
cases.push({ name: 'websocket', path: url.replace('http', 'ws').replace('/page', '/socket') });

const through = [`--proxy-server=${from}`, '--proxy-bypass-list=*;<-loopback>'];
const args = how === 'live' ? [...local, ...through] : alone;
const start = {
  live: () => url,
  pywb: () => `${from}/${url}`,
  replayweb: async () => (await serveReplayweb(from)).address(url),
};
// A replay has put wombat into the page before its scripts run.
const ready = `typeof window.look === 'function' && (${how === 'live'} || typeof _wb_wombat !== 'undefined')`;

const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args });
const page = await browser.newPage();
const address = await start[how]();
// shown is the frame of the recorded page, at most 20 seconds later.
const shown = async () => {
  await page.goto(address);
  return recordedFrame(page, url, ready, 20000);
};
// On a busy machine the first load now and then stays empty.
const frame = await shown() ?? await shown() ?? await shown();
if (!frame) throw new Error(`${how} does not show the page`);
const seen = await frame.evaluate((all) => window.look(all), cases);
fs.writeFileSync(out, JSON.stringify(seen, null, 1));
console.log(`# ${how}: Chromium ${browser.browser()?.version() ?? ''}, ${Object.keys(seen).length} answers`);
await browser.close();
process.exit(0);
