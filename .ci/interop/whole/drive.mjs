// The whole captures in a real Chromium: visits the pages of site.mjs through the recorder, as a
// person does, or asks the recorded pages in a replayer whether all of them is there.
//
//   node drive.mjs visit PROXY PROFILE SITE NAME...
//   node drive.mjs judge pywb COLLECTION PROFILE SITE NAME...
//   node drive.mjs judge replayweb.page WACZ PROFILE SITE NAME...
//
// SITE is the URL of the origin, NAME a page of it, COLLECTION its URL in pywb. playwright-core is
// taken from the folder that PLAYWRIGHT names, replayweb.page from REPLAYWEB.
import { createRequire } from 'node:module';
import { alone, local, recordedFrame, serveReplayweb, textOfFrames } from '../replayweb.mjs';

const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');

const launch = (profile, args) => chromium.launchPersistentContext(profile, {
  executablePath: '/usr/bin/chromium',
  args: [...args, '--autoplay-policy=no-user-gesture-required'],
});
const pause = () => new Promise((done) => { setTimeout(done, 50); });

// outcome waits for the work, at most so long, and is what went wrong; '' if nothing did.
async function outcome(milliseconds, work) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(fail, milliseconds, `no end of it in ${milliseconds / 1000} s`);
  });
  try {
    await Promise.race([work(), late]);
    return '';
  } catch (problem) {
    return String(problem).replace(/\s+/g, ' ').slice(0, 300);
  } finally {
    clearTimeout(timer);
  }
}

const report = (name, problem) => console.log(problem ? `not ok - ${name}: ${problem}` : `ok - ${name}`);

// viewer is the frame of the browser's own PDF viewer, once it has come up.
async function viewer(page) {
  while (!page.isClosed()) {
    const frame = page.frames().find((f) => f.url().startsWith('chrome-extension:'));
    const found = 'document.querySelector("pdf-viewer") !== null';
    if (await frame?.evaluate(found).catch(() => false)) return frame;
    await pause();
  }
  throw new Error('no PDF viewer');
}

// viewed waits until it has all pages.
async function viewed(page, pages) {
  const frame = await viewer(page);
  const state = () => frame.evaluate(() => {
    const { loadState_, docLength_ } = document.querySelector('pdf-viewer');
    return `${loadState_}, ${docLength_} pages`;
  });
  while (!/^(success|failed)/.test(await state())) await pause();
  const shown = await state();
  if (shown !== `success, ${pages} pages`) throw new Error(`the PDF viewer: ${shown}`);
}

async function visit(proxy, profile, site, ...names) {
  const through = [`--proxy-server=${proxy}`, '--proxy-bypass-list=*;<-loopback>'];
  const browser = await launch(profile, [...local, ...through]);
  for (const name of names) {
    const page = await browser.newPage();
    report(`Chromium visits ${name}`, await outcome(120000, async () => {
      await page.goto(`${site}/${name}`);
      await page.evaluate('window.visit ? visit() : judge()');
      if (await page.evaluate('window.pdfPages')) await viewer(page);
    }));
    await page.close();
  }
  await browser.close();
}

// What a replayer shows of a URL: the frame of the recorded page, or null.
const replayers = {
  pywb: async (collection) => ({
    open: async (page, url) => {
      await page.goto(`${collection}/mp_/${url}`);
      return recordedFrame(page, url, 'window.judge !== undefined', 10000);
    },
    close: () => {},
  }),
  'replayweb.page': async (wacz) => {
    const { address, drop, close } = await serveReplayweb(wacz);
    return {
      open: async (page, url) => {
        for (let load = 0; load < 2; load++) { // the first now and then stays empty
          await page.goto(address(url));
          const frame = await recordedFrame(page, url, 'window.judge !== undefined', 10000);
          if (frame) return frame;
        }
        return null;
      },
      drop,
      close,
    };
  },
};

async function judge(replayer, archive, profile, site, ...names) {
  const { open, drop, close } = await replayers[replayer](archive);
  let browser = await launch(profile, alone);
  const seen = async (name) => {
    const page = await browser.newPage();
    const problem = await outcome(120000, async () => {
      const frame = await open(page, `${site}/${name}`);
      if (!frame) throw new Error(`blank or garbage: ${await textOfFrames(page)}`);
      await frame.evaluate('judge()');
      const pages = await frame.evaluate('window.pdfPages');
      if (pages) await viewed(page, pages);
    });
    if (!problem || !drop) await page.close();
    return problem;
  };
  for (const name of names) {
    for (let last = false; ; last = true) {
      const problem = await seen(name);
      const still = drop?.();
      if (!problem || !drop || last) report(`${replayer}: ${name}`, problem);
      if (!problem || !drop) break;
      // replayweb.page hangs now and then on a busy machine: it is asked once more. And what hangs in a browser
      // may let all that comes after it hang, too.
      console.log(`# ${replayer}: ${name}: ${problem}: ${still} files were still being sent; on in a new browser`);
      await browser.close();
      browser = await launch(profile, alone);
      if (last) break;
    }
  }
  await browser.close();
  close();
}

const [mode, ...rest] = process.argv.slice(2);
await { visit, judge }[mode](...rest);
