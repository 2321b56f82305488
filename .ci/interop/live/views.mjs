// Every view, light and dark, at 1280 and 360 px, and at 200 % zoom: axe-core has nothing against it, and
// nothing scrolls sideways. Screenshots are left in LIVE_SHOTS, if that is set.
import fs from 'node:fs';
import { lines, report, site, text } from './world.mjs';

const axe = fs.readFileSync(process.env.AXE, 'utf8');
const shots = process.env.LIVE_SHOTS;
const looks = {
  light: {}, dark: { colorScheme: 'dark' }, narrow: { viewport: { width: 360, height: 740 } },
  'narrow-dark': { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
  zoom: { viewport: { width: 640, height: 430 }, deviceScaleFactor: 2 }, // what 200 % makes of 1280 x 860
};

// hashes are the addresses of views, by their names, and what has to be there before one looks.
async function hashes() {
  const { pages } = JSON.parse(await text('live/pages'));
  const all = await lines();
  const of = (path, agrees = () => true) => {
    const line = all.findLast((l) => l.url === site + path && agrees(l));
    return `#/exchange/${line.filename}/${line.offset}`;
  };
  const page = pages.find((p) => p.title === 'Tide tables');
  const body = 'section.part pre.body';
  return {
    pages: ['#/pages', 'li.page'], page: [`#/page/${encodeURIComponent(page.id)}`, '.waterfall .list-rows .row'],
    exchanges: ['#/exchanges', '.list-rows .row'], filtered: ['#/exchanges?status=4xx', '.list-rows .row'],
    nothing: ['#/exchanges?text=nothing-has-this', '.notice'], json: [of('/tides.json'), body],
    post: [of('/search'), body], hex: [of('/bytes.bin'), body], image: [of('/photo.jpg'), 'iframe'],
    revisit: [of('/style.css', (l) => l.mime === 'warc/revisit'), '.notice'],
    overview: ['#/overview', '.chart'], control: ['#/control', '.card'],
    search: ['#/search?url=www.example.org&matchType=host', '.list.captures'],
    calendar: [`#/search?url=${encodeURIComponent(`${site}/old.txt`)}`, '.calendar'],
  };
}

async function look(page, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const { violations } = await page.evaluate(() => window.axe.run(document, { iframes: false }));
  return [wide > 0 && `${what} is ${wide} px too wide`,
    ...violations.map(({ id, impact, nodes }) => `${what}: ${id} (${impact}) ${nodes[0].html.slice(0, 120)}`)]
    .filter(Boolean);
}

export default async function views({ viewer }) {
  const all = await hashes();
  if (shots) fs.mkdirSync(shots, { recursive: true });
  await Promise.all(Object.entries(looks).map(async ([name, options]) => {
    const page = await viewer.open('', options);
    await page.evaluate(axe);
    const problems = [];
    for (const [view, [hash, ready]] of Object.entries(all)) {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.locator(ready).first().waitFor();
      if (view === 'pages') await opened(page);
      problems.push(...await look(page, view));
      if (shots) await page.screenshot({ path: `${shots}/${name}-${view}.png`, fullPage: true });
    }
    report(`axe-core and the width, ${name}, ${Object.keys(all).length} views`, problems.join('\n#   '));
  }));
}

// opened shows what the first page that lacks something lacks.
async function opened(page) {
  await page.locator('details.lacks summary').first().click();
  await page.locator('details.lacks .findings').first().waitFor();
}
