// Holds the pages that follow from what was recorded against those that a browser has shown: the
// same list, the same titles, and every capture under the page for which the browser has made the
// request, as far as it says so.
//
//   node compare.mjs NAME VISITED PAGES HAR
//
// VISITED is of walk.mjs, PAGES of `warcorder pages --json`, HAR of `warcorder har`.
import fs from 'node:fs';

const [name, visited, listed, har] = process.argv.slice(2);
const read = (file) => JSON.parse(fs.readFileSync(file));
const report = (what, problem) => {
  console.log(problem ? `not ok - ${name}: ${what}: ${problem}` : `ok - ${name}: ${what}`);
};
const shown = read(visited);
const found = fs.readFileSync(listed, 'utf8').trim().split('\n').filter(Boolean).map(JSON.parse);
const { log } = read(har);

// Pages of two tabs come in the order in which the proxy was asked. What came out of a cache is not in
// the archive. HAR has milliseconds: of pages asked for within one either may be the first.
const asked = (number) => Math.min(...shown.requests
  .filter((r) => r.page === number && r.url === shown.pages[number].url).map((r) => r.at));
const capturedAt = shown.pages.map((page, n) => log.entries.filter(({ request }) => request.url === page.url)
  .map(({ startedDateTime }) => Date.parse(startedDateTime))
  .sort((a, b) => Math.abs(a - asked(n)) - Math.abs(b - asked(n)))
  .find((at) => Math.abs(at - asked(n)) < 5000));
const place = (n) => found.findIndex((page) => page.url === shown.pages[n].url);
const order = shown.pages.map((_, n) => n).filter((n) => {
  if (!capturedAt[n]) console.log(`# ${name}: nobody asked the network for ${shown.pages[n].url}`);
  return capturedAt[n];
}).sort((a, b) => capturedAt[a] - capturedAt[b] || place(a) - place(b) || a - b);
const want = order.map((n) => shown.pages[n]);
const list = (pages) => pages.map((page) => page.url).join('\n');
report(`the list of ${want.length} pages`, list(found) === list(want) ? ''
  : `\n${list(found)}\n# not\n${list(want)}`.replaceAll('\n', '\n#   '));

const wrong = want.map((page, n) => [page.title, found[n]?.title, page.url])
  .filter(([title, ours]) => title !== null && title !== ours);
report('their titles', wrong.map((w) => w.join(' | ')).join('; '));

// Each capture is one of the requests of its method and URL: in their order if there are as many, else
// the one that was made nearest to its time.
const ids = order.map((_, n) => found[n]?.id);
const pageOf = Object.fromEntries(order.map((n, at) => [n, ids[at]]));
const key = ({ method, url }) => `${method} ${url}`;
const groups = (all, of) => all.reduce((by, one) => ({ ...by, [of(one)]: [...by[of(one)] ?? [], one] }), {});
const left = groups(shown.requests, key);
const captured = groups(log.entries, ({ request }) => key(request));
let right = 0;
const misses = [];
const taken = {};
let unseen = 0;
for (const { request, startedDateTime, pageref } of log.entries) {
  const at = Date.parse(startedDateTime);
  const likes = left[key(request)] ?? [];
  if (captured[key(request)].length !== likes.length + (taken[key(request)] ?? 0)) {
    likes.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at));
  }
  const like = likes.shift();
  taken[key(request)] = (taken[key(request)] ?? 0) + 1;
  if (!like) { // a preflight, or what the browser itself asks for
    unseen += 1;
    console.log(`# ${name}: the driver does not tell of ${request.method} ${request.url}: ${pageref ?? 'no page'}`);
    continue;
  }
  if (like.page === null || !order.includes(like.page) || (pageref ?? null) === pageOf[like.page]) right += 1;
  else misses.push(`${request.method} ${request.url}: ${urlOf(pageref)}, not ${shown.pages[like.page].url}`);
}
function urlOf(id) { return found.find((page) => page.id === id)?.url ?? 'no page'; }
for (const miss of misses) console.log(`# ${name}: ${miss}`);
const share = right / (right + misses.length);
report(`${right} of ${right + misses.length} captures are under their page`
  + ` (${unseen} more are of no request that the driver knows)`, share >= 0.99 ? '' : `${(100 * share).toFixed(1)} %`);
