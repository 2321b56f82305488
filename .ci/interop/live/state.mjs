// A page of which something is broken says so right after it was loaded: how much, what, and why; one that
// has all of it is whole. Then what is done with a page: its waterfall, its WACZ, replay, a note.
import { Hand } from './hand.mjs';
import { PACK, lines, report, run, same, site, text, tries, T } from './world.mjs';
import { Member } from './warc.mjs';

const most = 5000; // ms from the load of the page to its state: the list is asked for every three seconds

export default async function state({ viewer, visit }) {
  const page = await viewer.open('#/pages');
  const hand = new Hand(page);
  await visit('/birds');
  await visit('/tides');
  const loaded = Date.now();
  const row = (title) => page.locator('li.page', { hasText: title }).first();
  await row('Tide tables').locator('.tag.bad').waitFor();
  const took = Date.now() - loaded;
  console.log(`# live: the state of a broken page is seen after ${took} ms`);
  report('a broken page says so soon', took > most && `after ${took} ms`);
  await row('Tide tables').locator('.tag.bad', { hasText: 'lacks 2 requests' }).waitFor();
  report('it says how much it lacks');
  await row('Birds of the marsh').locator('.tag.good', { hasText: 'whole' }).waitFor();
  report('a page that has all is whole');

  await hand.press(/^What is missing/);
  await row('Tide tables').locator('.findings li').nth(1).waitFor();
  const why = await row('Tide tables').locator('.findings').innerText();
  for (const [what, words] of [[`${site}/cut.jpg`, /broke off/], ['https://gone.example.net/map.png', /refused/]]) {
    report(`it says that it lacks ${what}, and why`, why.includes(what) && words.test(why) ? '' : why);
  }
  await hand.kept('What is missing');

  await hand.reach(/^Tide tables/, 'Shift+Tab');
  await hand.key('Enter');
  const waterfall = page.locator('.list.waterfall');
  await waterfall.waitFor();
  await hand.kept('a page');
  const id = decodeURIComponent(page.url().split('#/page/')[1]);
  const detail = JSON.parse(await text(`live/page?id=${encodeURIComponent(id)}`));
  const urls = (await waterfall.locator('.list-rows .c-url').allInnerTexts()).sort();
  const known = new Set((await lines()).map((l) => l.url));
  report('the waterfall has what came for the page, and the index has it', ['/tides', '/photo.jpg?tides', '/cut.jpg',
    '/nowhere.png', '/tides.json', '/search'].filter((path) => !urls.includes(site + path)).join(' ')
    || urls.filter((url) => !known.has(url)).join(' '));
  same('each of its rows has a bar', await waterfall.locator('.list-rows svg.bar').count(), urls.length);
  report('its gaps are there', detail.gaps.some((g) => g.url === 'https://gone.example.net/map.png')
    && await page.getByRole('heading', { name: 'Gaps' }).count() ? '' : JSON.stringify(detail.gaps));

  await taken(page, hand);
  await hand.fill('A note on this page, kept as a metadata record', 'Two pictures are not here: größer');
  await hand.press('Keep the note');
  await page.locator('blockquote').waitFor();
  await hand.kept('Keep the note');
  const { notes: [note] } = JSON.parse(await text(`live/page?id=${encodeURIComponent(id)}`));
  const record = new Member(note.file, note.offset, await lengthOf(note));
  same('the note is a metadata record of the page', [record.field('WARC-Type'), record.block.toString()],
    ['metadata', 'Two pictures are not here: größer']);

  await hand.reach('Replay', 'Shift+Tab');
  await hand.key('Enter');
  const command = await page.locator('dialog pre').innerText();
  report('replay says what to type', /^\S*warcorder replay --at=/.test(command) && command.includes(`${site}/tides`)
    ? '' : command);
  await hand.press('Close');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await hand.kept('Close');
  hand.told('a page');
}

// lengthOf is that of the member that begins there: the note's is the last of the file.
async function lengthOf({ file, offset }) {
  const { size } = JSON.parse(await text('live/overview')).files.find((f) => f.name === file) ?? {};
  return (size ?? 1 << 30) - offset;
}

// taken downloads the WACZ of the page, and has it validated by others.
async function taken(page, hand) {
  const coming = page.waitForEvent('download');
  await hand.press('WACZ of this page');
  const wacz = `${T}/page-of-live.wacz`;
  await (await coming).saveAs(wacz);
  tries('py-wacz finds the WACZ of the page valid', PACK, 'validate', '-f', wacz);
  const pages = run('unzip', '-p', wacz, 'pages/pages.jsonl').trim().split('\n').slice(1).map(JSON.parse);
  same('it has the page, with its title', pages.map((p) => [p.url, p.title]), [[`${site}/tides`, 'Tide tables']]);
}
