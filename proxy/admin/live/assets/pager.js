// The captures that a search finds, a step after the other: what the index is asked, and where it goes
// on. Captures of one URL come the newest first; others in the order of their URLs, and of a host or a
// domain those at its other ports behind the rest. Pure.

/** @typedef {import('./types.js').Found} Found */

/** step is how many come at once. */
export const step = 1000;

const fields = ['timestamp', 'original', 'mimetype', 'statuscode', 'length', 'filename', 'offset', 'truncated'];

/** hasPort reports that a URL, or a host alone, has a port. */
export function hasPort(url) {
  const [host] = url.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').split(/[/?#]/);
  return /:\d+$/.test(host);
}

/** parts are the questions of a search, one behind the other. */
export function parts({ url, matchType }) {
  const both = ['host', 'domain'].includes(matchType) && !hasPort(url);
  return both ? [matchType, 'ports'] : [matchType];
}

/** start is the beginning of a search. A place is where one goes on. */
export const start = { part: 0, key: '', second: '', skip: [] };

/** question is what is asked of the index at a place, want captures. */
export function question(asked, place, want = step) {
  const { url, from, to } = asked;
  const matchType = parts(asked)[place.part];
  const all = { output: 'json', url, matchType, from, to, all: true, fl: fields.join(',') };
  if (isByTime(asked)) return { ...all, sort: 'reverse', to: place.second || to, limit: want + place.skip.length + 1 };
  return { ...all, limit: want, showResumeKey: true, resumeKey: place.key };
}

const isByTime = ({ matchType }) => matchType === 'exact';

/** read takes an answer apart: its captures, and the key to go on. */
export function read(text) {
  const lines = JSON.parse(text || '[]');
  const end = lines.findIndex((line) => line.length === 0);
  const rows = lines.slice(1, end < 0 ? undefined : end)
    .map((line) => Object.fromEntries(fields.map((name, i) => [name, line[i]])));
  return { rows, key: end < 0 ? '' : lines[end + 1]?.[0] ?? '' };
}

const nameOf = (row) => `${row.filename} ${row.offset}`;

/**
 * take is what an answer adds at a place, and where to go on; next is null at the end.
 * @returns {{rows: Found[], next: object|null}}
 */
export function take(asked, place, { rows, key }, want = step) {
  if (isByTime(asked)) return takeNewest(place, rows, want);
  if (key) return { rows, next: { ...place, key } };
  const more = place.part + 1 < parts(asked).length;
  return { rows, next: more ? { ...start, part: place.part + 1 } : null };
}

// What comes next is asked for by the last second, whose captures come again and are passed over.
function takeNewest(place, found, want) {
  const seen = new Set(place.skip);
  const fresh = found.filter((row) => !seen.has(nameOf(row)));
  const rows = fresh.slice(0, want);
  if (fresh.length <= want) return { rows, next: null };
  const second = rows.at(-1).timestamp;
  const kept = second === place.second ? place.skip : [];
  return { rows, next: { ...start, second,
    skip: kept.concat(rows.filter((row) => row.timestamp === second).map(nameOf)) } };
}

/** nextStep gets the next captures of a search, want of them unless it ends: get asks the index. */
export async function nextStep(asked, place, get, want = step) {
  const rows = [];
  let at = place;
  while (at && rows.length < want) {
    const missing = want - rows.length;
    const found = take(asked, at, read(await get(question(asked, at, missing))), missing);
    rows.push(...found.rows);
    at = found.next;
  }
  return { rows, next: at };
}
