// Walks over a site in a real Chromium, and keeps what was seen at each step.
//
//   node walk.mjs SITE FROM PROFILE FOLDER
//
// FROM is a proxy's address, or another replayer (view.mjs).
// SITE is a module of sites/: start, the URL that it begins at, and walk(page, step), in which page
// is asked only for what a frame can do as well, for replayers that show a page in one. FOLDER gets
// for each step STEP.txt, the text of the page, and STEP.png, its picture; steps.json, the names of
// the steps in their order; asked.json, what the browser has sent; answers.json, what it got.
// playwright-core is taken from the folder that PLAYWRIGHT names.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { answers } from './answers.mjs';
import { sent } from './asked.mjs';
import { viewOf } from './view.mjs';

process.env.PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS = '1'; // playwright tells of those, too
const [name, from, profile, folder] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const site = await import(`./sites/${name}.mjs`);

// text is what a page says: its title, its text, and what its fields hold.
export const text = () => {
  const fields = [...document.querySelectorAll('input, select, textarea')];
  return [
    document.title,
    document.body.innerText,
    ...fields.map((field) => `${field.name}=${field.checked ?? ''}${field.value}`),
  ].join('\n');
};

// The same picture comes of the same page only in a window of the same size, without what moves,
// and if no part of it was painted over another.
const window = { viewport: { width: 1000, height: 700 }, deviceScaleFactor: 1, colorScheme: 'light' };
const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--autoplay-policy=no-user-gesture-required', '--hide-scrollbars', '--disable-partial-raster'];
const { rewrites, flags, view, close } = viewOf(from);

fs.mkdirSync(folder, { recursive: true });
const log = `${folder}/net.json`;
const browser = await chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium', args: [...args, ...flags, `--log-net-log=${log}`], ...window,
});
const answered = answers(browser, rewrites);
const steps = [];
let page;
try {
  page = view(browser.pages()[0] ?? await browser.newPage());
  page.setDefaultTimeout(30000);
  page.on('pageerror', (problem) => console.log(`# ${name}: ${problem}`));
  await site.walk(page, async (step) => {
    await page.evaluate('document.fonts.ready.then(() => {})');
    fs.writeFileSync(`${folder}/${step}.txt`, await page.evaluate(text));
    await page.screenshot({ path: `${folder}/${step}.png`, animations: 'disabled', caret: 'hide' });
    steps.push(step);
  });
} catch (problem) {
  const asked = (await answered()).map(({ url, status, error }) => `${status ?? error ?? 'none'} ${url}`);
  console.error(`after the steps ${steps}, at ${page?.url()}: ${asked.slice(-20).join(', ')}`);
  throw problem;
} finally {
  fs.writeFileSync(`${folder}/steps.json`, JSON.stringify(steps));
  fs.writeFileSync(`${folder}/answers.json`, JSON.stringify({ rewrites, requests: await answered() }, null, 1));
  await browser.close();
  await close();
  fs.writeFileSync(`${folder}/asked.json`, JSON.stringify(sent(log), null, 1));
  fs.rmSync(log);
}
