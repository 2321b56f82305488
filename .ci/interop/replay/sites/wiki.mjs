// MediaWiki, in which a person logs in, writes a long page, searches it, looks at its history and at
// what has changed. Each page is seen in one state: an archive that is looked at without a time
// shows the latest.
import { behind } from '../origin.mjs';

const site = 'https://wiki.example.org/index.php';
export const start = `${site}?title=Special:UserLogin`;

const long = Array.from({ length: 400 }, (_, n) => (
  `* line ${n}: ${'größer als größer, '.repeat(6)}[[Special:Version|version]]`)).join('\n');

// Scripts of the page rebuild its fields, once they have come. Two seconds later they are kept for the
// next page, which then asks for others in one request: a person looks at a page for longer.
const built = async (page) => {
  await page.waitForFunction('window.mw && mw.loader && mw.loader.using');
  await page.evaluate('mw.loader.using(RLPAGEMODULES).then(() => {})');
  await page.waitForLoadState('networkidle');
  await page.waitForFunction('mw.loader.store.queue.length === 0');
};

// answered waits until so many requests to the API have their answers, of those with that text in
// their URL: what is written is sent ahead. Who goes on at once takes that back, and nobody has it.
const answered = (page, times, part) => page.waitForFunction(([n, text]) => (
  performance.getEntriesByType('resource').filter(({ name }) => name.includes(text)).length >= n
), [times, part]);

// shows is what the texts of some steps hold, if the site works.
export const shows = {
  'logged-in': 'Log out', 'saved-1': 'a first line', 'saved-2': 'line 399', search: 'another first line',
  history: 'the text number 1',
};

export async function walk(page, walked) {
  const step = async (name) => {
    await built(page);
    await walked(name);
  };
  await page.goto(start);
  await step('login');
  await page.fill('#wpName1', 'Admin');
  await page.fill('#wpPassword1', process.env.REPLAY_PASSWORD);
  await page.click('#wpLoginAttempt');
  await page.waitForSelector('#pt-logout');
  await step('logged-in');
  for (const [number, text] of [[1, 'a first line\n'], [2, 'another first line\n']]) {
    const title = `Long_${number}`;
    await page.goto(`${site}?title=${title}&action=edit`);
    await built(page);
    await page.fill('#wpTextbox1', `== ${title} ==\n${text}\n${long}`);
    await page.focus('#wpSummary');
    await answered(page, 1, '/api.php');
    await page.fill('#wpSummary', `the text number ${number}`);
    await page.focus('#wpSave');
    await answered(page, 2, '/api.php');
    await step(`edit-${number}`);
    await page.click('#wpSave');
    await page.waitForSelector('.mw-parser-output >> text=line 399');
    await step(`saved-${number}`);
  }
  await page.fill('#searchInput', 'first line');
  await answered(page, 1, 'search=first%20line');
  await page.click('#searchButton, #mw-searchButton');
  await page.waitForSelector('.mw-search-results, .searchresults');
  await step('search');
  await page.goto(`${site}?title=Long_1&action=history`);
  await step('history');
}

// REPLAY_WIKI is the URL of the PHP that runs it.
export const serve = () => ({ 'wiki.example.org': behind(process.env.REPLAY_WIKI) });
