// The exchanges of a page as a waterfall: what was loaded when.
import { html } from './html.js';
import { storedCell, urlCell } from './exchanges.js';
import { List } from './list.js';
import { go } from './routes.js';
import { kindOf, size, took, weight } from './words.js';

const columns = [
  { name: 'status', title: 'Status' }, { name: 'type', title: 'Type' },
  { name: 'size', title: 'Size', hint: 'of the body; else in the file' },
  { name: 'stored', title: 'Stored' }, { name: 'url', title: 'URL' },
  { name: 'ms', title: 'Took' }, { name: 'bar', title: 'Since the page' },
];

/** Waterfall is a list with a bar for each exchange: when it began, and how long it took. */
export function Waterfall({ page, exchanges }) {
  const begin = Math.min(Date.parse(page.ts), ...exchanges.slice(0, 1).map((e) => Date.parse(e.ts)));
  // A note comes when somebody writes it: its time is none of the page's.
  const span = exchanges.filter((e) => e.stored !== 'metadata').reduce((to, e) =>
    Math.max(to, Date.parse(e.ts) - begin + (e.ms ?? 0)), 1);
  const bar = (e) => {
    const from = Math.max(0, Date.parse(e.ts) - begin);
    const words = `${took(from)} after the page, ${e.ms == null ? 'time not known any more' : took(e.ms)}${
      e.completion ? ', asked for by the recorder' : ''}`;
    return html`<svg class="bar" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label=${words}>
      <rect class=${kindOfBar(e)} x=${Math.min(992, 1000 * from / span)} y="1" height="8" rx="2"
        width=${Math.max(8, 1000 * (e.ms ?? 0) / span)} /></svg>`;
  };
  const row = (n) => {
    const e = exchanges[n];
    return [e.status || '–', kindOf(e.mime), size(e.size ?? e.length), storedOf(e), urlCell(e.url),
      e.ms == null ? '' : took(e.ms), bar(e)];
  };
  if (!exchanges.length) return html`<p class="soft">None is known.</p>`;
  return html`<${List} label="Exchanges of this page" grid="waterfall" columns=${columns} start=${0}
    end=${exchanges.length} row=${row} classOf=${(n) => `s${weight(exchanges[n].status)}`}
    open=${(n) => go('exchange', [exchanges[n].file, exchanges[n].offset])} />
    <p class="soft foot">The whole width is ${took(span)}.${exchanges.some((e) => e.ms == null)
      ? ' Where no duration is known any more, a mark shows the beginning.' : ''}${exchanges.some((e) => e.completion)
      ? ' What is by us no client asked for: the recorder did, for the whole of what had come in part.' : ''}</p>`;
}

function kindOfBar(e) {
  if (e.completion) return 'ours';
  return e.ms == null ? 'unknown' : '';
}

// storedOf also says whether it was the recorder that asked.
function storedOf(e) {
  return e.completion ? html`<b>by us</b>${e.truncated && html`, ${storedCell(e)}`}` : storedCell(e);
}
