// Holds what was seen in a replay against what was seen at the recording.
//
//   node compare.mjs SITE FOLDER
//
// FOLDER has what walk.mjs leaves in recorded/ and replayed/, and the replay's report.json.
import fs from 'node:fs';
import zlib from 'node:zlib';

const [name, folder] = process.argv.slice(2);
const { shows, unarchived } = await import(`./sites/${name}.mjs`);
const read = (path) => fs.readFileSync(`${folder}/${path}`);
const json = (path) => JSON.parse(read(path));

function report(what, problem) {
  console.log(problem ? `not ok - ${name}: ${what}: ${problem}` : `ok - ${name}: ${what}`);
}

// differing tells the first line in which two texts differ.
function differing(want, got) {
  const [wants, gots] = [want, got].map((text) => text.toString().split('\n'));
  const at = wants.findIndex((line, n) => line !== gots[n]);
  const place = at < 0 ? wants.length : at;
  const [is, not] = [gots, wants].map((lines) => (lines[place] ?? 'none').slice(0, 120));
  return `line ${place + 1}: ${is}, not ${not}`;
}

// rowsOf counts the rows of a PNG that differ, as they are filtered: an empty picture has a few.
function rowsOf(png) {
  const packed = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') {
      packed.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
    }
  }
  const pixels = zlib.inflateSync(Buffer.concat(packed));
  const size = pixels.length / png.readUInt32BE(20); // IHDR's height
  return new Set(Array.from({ length: pixels.length / size }, (_, n) => (
    pixels.toString('latin1', n * size, (n + 1) * size)))).size;
}

// others tells the answers of the replayed walk whose status and digest no answer of the recorded one
// had: none to what was asked for in the same way or, where that has changed by chance, none to the
// same path. A 304 stands for the 200 that it confirms; a Range that the player has not asked for
// before is not judged, nor is a stream of events: how much of one a browser has depends on when the
// page leaves it (replay-curl.sh has each byte of one).
function others(recorded, replayed) {
  const known = ({ status, type, body, error }) => (
    status && type !== 'text/event-stream' && body && !error);
  const got = ({ status, body }) => `${status === 304 ? 200 : status} ${body}`;
  const asked = ({ method, url, range, sent }) => JSON.stringify([method, url, range, sent]);
  const toPath = ({ method, url }) => `${method} ${url.split('?')[0]}`;
  const had = {};
  for (const one of recorded.filter(known)) {
    for (const key of [asked(one), toPath(one)]) (had[key] ??= new Set()).add(got(one));
  }
  const all = replayed.filter((one) => known(one) && (had[asked(one)] || !one.range));
  console.log(`# ${name}: ${all.length} of ${replayed.length} answers are held against the recorded ones`);
  return all.filter((one) => !(had[asked(one)] ?? had[toPath(one)])?.has(got(one)));
}

const steps = json('recorded/steps.json');
const again = json('replayed/steps.json');
report('all steps of the walk are there', again.join() === steps.join() ? '' : `${again} of ${steps}`);
for (const step of steps.filter((one) => again.includes(one))) {
  const [want, got] = ['recorded', 'replayed'].map((one) => read(`${one}/${step}.txt`));
  report(`${step}: the same text`, want.equals(got) ? '' : differing(want, got));
  const [picture, shown] = ['recorded', 'replayed'].map((one) => read(`${one}/${step}.png`));
  report(`${step}: the same picture`, picture.equals(shown) ? '' : 'another');
  report(`${step}: there is something in it`, rowsOf(shown) > 20 ? '' : 'it is empty');
}
// That two are the same says nothing where the site has not worked at the recording.
for (const [step, part] of Object.entries(shows)) {
  const text = steps.includes(step) ? read(`recorded/${step}.txt`).toString() : 'no such step';
  const works = part instanceof RegExp ? part.test(text) : text.includes(part);
  report(`${step}: the site works`, works ? '' : text.slice(0, 1000).replaceAll('\n', ' | '));
}

const [live, seen] = ['recorded', 'replayed'].map((one) => json(`${one}/answers.json`).requests);
report('each answer is what it was', others(live, seen).map(({ url, status }) => `${status} ${url}`).join(', '));

const { answered, preflights, missed, documents, rules } = json('report.json');
const misses = documents.flatMap(({ misses: all }) => all);
const lost = misses.filter(({ url }) => !unarchived?.test(url));
report('no miss', lost.map(({ method, url, why }) => `${method} ${url.slice(0, 120)} (${why})`).join(', '));
report('the report lists what it counts', (
  misses.reduce((sum, { count }) => sum + count, 0) === missed ? '' : `${missed} missed`));

// What the browser asks for by itself is not the sites'. A request that it has taken back may not
// have come.
const asked = json('replayed/asked.json').filter(({ url }) => (
  /(^|\.)example\.org$|^localhost$|^127\.0\.0\.1$/.test(new URL(url).hostname)));
const sure = asked.filter(({ status }) => status !== null).length;
const told = answered + preflights + missed;
report('every request of the browser is in the report', sure <= told && told <= asked.length ? ''
  : `the browser has sent ${asked.length}, ${sure} of them to their answer; the report has ${told}`);
console.log(`# ${name}: ${asked.length} requests, found by ${JSON.stringify(rules)}`);
