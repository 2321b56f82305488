// Which exchanges are shown: what the address says, as a test of one. Pure.
import { kindOf } from './words.js';

/** @typedef {import('./types.js').Event} Event */

const names = ['text', 'host', 'mime', 'status', 'stored', 'wrong'];

/** parameters takes of an address what filters, all of it there. */
export function parameters(given) {
  return Object.fromEntries(names.map((name) => [name, given[name] ?? '']));
}

/** isEmpty reports that a filter lets everything through. */
export function isEmpty(filter) {
  return names.every((name) => !filter[name].trim());
}

/** nameOf is the same for filters that let the same through: spaces around what is typed change nothing. */
export function nameOf(filter) {
  return JSON.stringify(names.map((name) => filter[name].trim().toLowerCase()));
}

/**
 * older is where the index is searched for what a filter of the rows does not reach: for the host, or
 * for what was typed of a URL. The index is searched by URL alone; null: by nothing of this filter.
 */
export function older(filter) {
  const [host, text] = [filter.host.trim(), filter.text.trim()];
  if (host) return { url: host, matchType: 'domain' };
  if (/^https?:\/\/[^/]/i.test(text)) return { url: text, matchType: 'prefix' };
  return null;
}

/**
 * filterOf makes the test: the URL has the text, the host is that one or below it, the type begins so
 * or is called so, the status is that one (404) or of that kind (4xx); with wrong, only what went wrong.
 * @returns {(e: Event) => boolean}
 */
export function filterOf(filter) {
  const [text, host, mime, typed] = ['text', 'host', 'mime', 'status'].map((n) => filter[n].trim().toLowerCase());
  const status = typed.replace(/x+$/, '');
  return (e) => (e.kind === 'capture' || e.kind === 'gap')
    && (!text || String(e.url ?? '').toLowerCase().includes(text))
    && (!host || isAt(String(e.host ?? '').toLowerCase(), host))
    && (!mime || String(e.mime ?? '').toLowerCase().startsWith(mime) || kindOf(e.mime) === mime)
    && (!status || (e.kind === 'capture' && String(e.status).startsWith(status)))
    && isStored(e, filter.stored)
    && (!filter.wrong || isWrong(e));
}

/** isWrong reports that something was not answered well, or is not in the archive as it was. */
export function isWrong(e) {
  return e.kind === 'gap' || (e.kind === 'capture' && (Boolean(e.truncated) || e.status >= 400));
}

function isAt(host, wanted) {
  const name = host.replace(/:\d+$/, '');
  return host === wanted || name === wanted || name.endsWith(`.${wanted}`);
}

function isStored(e, wanted) {
  switch (wanted) {
    case '': return true;
    case 'gap': return e.kind === 'gap';
    case 'cut': return e.kind === 'capture' && Boolean(e.truncated);
    default: return e.kind === 'capture' && e.stored === wanted;
  }
}
