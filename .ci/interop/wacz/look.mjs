// What replayweb.page shows of a package beside recorded pages: its title, its list of pages, what its
// search finds by a word of a page's text, and whether it takes the signature for good.
//
//   node look.mjs ARCHIVE TITLE PAGES WORD FOUND SIGNED PROFILE
//
// ARCHIVE: a WACZ, or a JSON that lists some; PAGES: the URLs of the pages that it is to list, a file
// of lines; WORD: is searched; FOUND: how many pages have it; SIGNED: yes or no.
import fs from 'node:fs';
import { createRequire } from 'node:module';
import { alone, serveReplayweb } from '../replayweb.mjs';

const [archive, title, pages, word, found, signed, profile] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const name = archive.split('/').at(-1);

function report(what, problem) {
  console.log(problem ? `not ok - replayweb.page: ${name} ${what}: ${problem}`
    : `ok - replayweb.page: ${name} ${what}`);
}

// said waits until the expression in the frame gives what is wanted, and returns what it gave last.
async function said(frame, expression, argument, want) {
  let got;
  for (const deadline = Date.now() + 20000; Date.now() < deadline;) {
    got = await frame.evaluate(expression, argument).catch(String);
    if (JSON.stringify(got) === JSON.stringify(want)) break;
    await new Promise((done) => { setTimeout(done, 100); });
  }
  return got;
}

function same(what, got, want) {
  const wrong = JSON.stringify(got) !== JSON.stringify(want);
  report(what, wrong ? `${JSON.stringify(got).slice(0, 600)}, not ${JSON.stringify(want).slice(0, 300)}` : '');
}

// The collection as its service worker tells of it.
const collection = async () => {
  const { colls } = await (await fetch('/replay/w/api/coll-index')).json();
  return (await fetch(`/replay/w/api/c/${colls[0].id}?all=1`)).json();
};
const listed = `(${collection})().then(({ pages }) => pages.map(({ url }) => url).sort())`;
const titled = `(${collection})().then(({ title }) => title)`;
// What the check of the signature gave, which no interface tells.
const verified = async () => {
  for (const { name: database } of await indexedDB.databases()) {
    const db = await new Promise((done) => {
      const asked = indexedDB.open(database);
      asked.onsuccess = () => done(asked.result);
    });
    if (!db.objectStoreNames.contains('verification')) continue;
    const all = await new Promise((done) => {
      const asked = db.transaction('verification').objectStore('verification').getAll();
      asked.onsuccess = () => done(asked.result);
    });
    const of = (id) => all.find((entry) => entry.id === id);
    if (all.length) return [of('signature')?.matched === true, Boolean(of('publicKey')?.expected)];
  }
  return null;
};

const field = 'input[placeholder^="Search by Page"]';
const replayweb = await serveReplayweb(archive, 'default');
const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args: alone });
try {
  const page = await browser.newPage();
  // opened waits until the list of pages can be searched, at most 20 seconds.
  const opened = async () => {
    await page.goto(replayweb.address(''));
    for (const deadline = Date.now() + 20000; Date.now() < deadline;) {
      for (const frame of page.frames()) {
        if (await frame.locator(field).count().catch(() => 0)) return frame;
      }
      await new Promise((done) => { setTimeout(done, 100); });
    }
    return null;
  };
  // On a busy machine the first load now and then stays empty.
  const frame = await opened() ?? await opened() ?? await opened();
  const want = fs.readFileSync(pages, 'utf8').split('\n').filter(Boolean).sort();
  same('lists its pages', await said(frame, listed, undefined, want), want);
  same('has its title', await said(frame, titled, undefined, title), title);
  await frame.locator(field).fill(word);
  const entries = () => frame.locator('wr-page-entry').count();
  let count = -1;
  for (const deadline = Date.now() + 20000; Date.now() < deadline && count !== Number(found);) {
    count = await entries();
    await new Promise((done) => { setTimeout(done, 100); });
  }
  same(`finds ${found} pages by a word of their texts`, count, Number(found));
  if (signed === 'yes') {
    same('has a signature that holds', await said(frame, verified, undefined, [true, true]), [true, true]);
  }
} finally {
  await browser.close();
  replayweb.close();
}
