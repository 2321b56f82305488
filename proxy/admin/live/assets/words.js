// Numbers, times and recorded text as people read them. Pure: no document, no network.

const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** size says how many bytes: 1.2 MB. */
export function size(bytes) {
  if (!Number.isFinite(bytes) || bytes < 0) return '–';
  let unit = 0;
  while (bytes >= 999.5 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  const digits = unit > 0 && bytes < 9.95 ? 1 : 0;
  return `${bytes.toFixed(digits)}\u00a0${units[unit]}`;
}

const grouped = new Intl.NumberFormat('en');

/** count says how many, with thousands apart. */
export function count(n) {
  return Number.isFinite(n) ? grouped.format(n) : '–';
}

/** some says how many of something: 1 request, 3 requests. */
export function some(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** took says how long, from milliseconds. */
export function took(ms) {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 1000) return `${Math.round(ms)}\u00a0ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)}\u00a0s`;
  return lasts(ms / 1000);
}

/** lasts says a longer span, from seconds: 3 h 20 min. */
export function lasts(seconds) {
  if (!Number.isFinite(seconds) || seconds < 0) return '–';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
  return some(Math.round(hours / 24), 'day');
}

// All times are in UTC, as in the files and the index: what is read here is found there. They are
// cut out of the text, since a list asks for thousands of them.

/** clock is the time of day of an RFC 3339 time, with milliseconds if there are any. */
export function clock(ts) {
  return ts ? ts.slice(11, 23).replace(/Z.*$/, '') : '';
}

/** when is the day and the time, to the second. */
export function when(ts) {
  return ts ? `${ts.slice(0, 10)} ${ts.slice(11, 19)}` : '';
}

/** digitsBefore is the second before a time, as archives name captures: 20261124140321. */
export function digitsBefore(ts) {
  return new Date(Date.parse(ts) - 1000).toISOString().slice(0, 19).replace(/\D/g, '');
}

/** ofDigits is the time that archives name so, for people; what is missing is left out. */
export function ofDigits(digits) {
  const d = String(digits);
  const day = [d.slice(0, 4), d.slice(4, 6), d.slice(6, 8)].filter(Boolean).join('-');
  const time = [d.slice(8, 10), d.slice(10, 12), d.slice(12, 14)].filter(Boolean).join(':');
  return time ? `${day} ${time}` : day;
}

/** ago says how long before now something was; both are milliseconds. */
export function ago(then, now) {
  const seconds = Math.max(0, (now - then) / 1000);
  return seconds < 5 ? 'just now' : `${lasts(seconds)} ago`;
}

// What changes how the text around it is drawn, or is not seen at all: controls, marks of direction,
// line separators, fillers, tags, halves of surrogate pairs. Joiners are seen in what they join, in
// emoji and in some scripts; elsewhere they are written out too.
const joined = String.raw`\p{Emoji}\u200d\ufe0f\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}`
  + String.raw`\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}`;
const hidden = String.raw`\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f`
  + String.raw`\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\uffff`
  + String.raw`\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
const unseen = new RegExp(`[${hidden}]|(?<![${joined}])[\\u200c\\u200d]`, 'gu');

const code = (c) => `‹U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}›`;

// U+FFFD stands for bytes that were no UTF-8: it is seen as it is.
const escape = (c) => (c === '\ufffd' ? c : code(c));

/** visible is recorded text on one line, with what could not be seen in it written out. */
export function visible(text) {
  return String(text ?? '').replace(unseen, escape);
}

/** visibleLines is that with its line breaks and tabs. */
export function visibleLines(text) {
  return String(text ?? '').replace(/\r\n/g, '\n')
    .replace(unseen, (c) => (c === '\n' || c === '\t' ? c : escape(c)));
}

/** cut is the beginning of a text that is longer than that; no half of a character is left. */
export function cut(text, most) {
  const all = String(text ?? '');
  if (all.length <= most) return all;
  const half = /[\ud800-\udbff]$/;
  return `${all.slice(0, most).replace(half, '')}…`;
}

const reasons = {
  upstream: 'the origin gave no answer',
  cut: 'broke off: the record holds what came',
  refused: 'refused by the recorder',
  blocked: 'a place that the recorder may not connect to',
  tunnelled: 'passed on without being read',
  write: 'could not be written',
  missing: 'was recorded, and cannot be read any more',
  crash: 'in flight when a recorder ended',
  coding: 'recorded in a coding that few readers know',
  paused: 'recording was paused, and something passed',
  unrecorded: 'passed on unrecorded, as somebody wished',
};

/** reason says why something is not in the archive, or not all of it. */
export function reason(word) {
  return reasons[word] ?? visible(word);
}

/** kindOf is what people call a media type. */
export function kindOf(mime) {
  const type = String(mime ?? '').split(';')[0].trim().toLowerCase();
  if (!type || type === '-') return '–';
  if (/(java|ecma)script/.test(type)) return 'script';
  if (type.includes('html')) return 'document';
  if (type === 'text/css') return 'style';
  if (type.includes('json')) return 'json';
  if (/^(font\/|application\/(x-)?font)/.test(type)) return 'font';
  if (type === 'application/octet-stream') return 'binary';
  const [major] = type.split('/');
  return ['image', 'video', 'audio', 'text'].includes(major) ? major
    : cut(visible(type.replace(/^application\/(x-|vnd\.)?/, '')), 40);
}

/** weight groups a status: '2', '3', '4', '5', or '0' for none. */
export function weight(status) {
  return status >= 100 && status < 600 ? String(Math.floor(status / 100)) : '0';
}
