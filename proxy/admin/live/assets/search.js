// The index: captures by URL, prefix, host or domain, and by date; one URL on a calendar; exports.
import { html, useEffect, useState } from './vendor/htm-3.1.1/standalone.module.js';
import { askText, isGone, query } from './ask.js';
import { Calendar } from './calendar.js';
import { urlCell } from './exchanges.js';
import { List } from './list.js';
import { go } from './routes.js';
import { Problem, Status, Text } from './text.js';
import { count, kindOf, ofDigits, size, some, visible, weight } from './words.js';

const limit = 1000;
const kinds = [
  ['exact', 'this URL'], ['prefix', 'URLs that begin so'], ['host', 'this host'],
  ['domain', 'this domain, with subdomains'],
];

/** digits is a date of the form as the index wants it. */
const digits = (day) => (day ?? '').replace(/\D/g, '');

/** read takes lines of JSON apart; the last one may be cut off. */
export function read(text) {
  return text.split('\n').filter(Boolean).flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** Search is the view. */
export function Search({ route, recorder }) {
  const asked = { matchType: 'exact', ...route.parameters };
  return html`<h1 tabindex="-1">Search</h1>
    <${Form} key=${JSON.stringify(asked)} asked=${asked} />
    ${asked.url ? html`<${Found} key=${`${asked.url} ${asked.matchType}`} asked=${asked}
      recorder=${recorder} />` : html`
      <p class="soft">Every capture of the collection is found by its URL. Dates are days in UTC.</p>`}`;
}

function Form({ asked }) {
  const [f, setF] = useState(asked);
  const set = (name) => (e) => setF({ ...f, [name]: e.target.value });
  const find = (e) => {
    e.preventDefault();
    go('search', [], { url: f.url?.trim(), matchType: f.matchType, from: digits(f.from), to: digits(f.to) });
  };
  const day = (text) => ofDigits(digits(text).slice(0, 8));
  return html`<form class="search" role="search" onSubmit=${find}>
    <label class="wide">URL or host <input type="text" required data-find spellcheck="false" autocapitalize="off"
      autocomplete="off" inputmode="url" placeholder="example.org/page"
        value=${f.url ?? ''} onInput=${set('url')} /></label>
    <label>Finds <select value=${f.matchType} onChange=${set('matchType')}>${kinds.map(([kind, words]) => html`
      <option key=${kind} value=${kind}>${words}</option>`)}</select></label>
    <label>From <input type="date" value=${day(f.from)} onInput=${set('from')} /></label>
    <label>To <input type="date" value=${day(f.to)} onInput=${set('to')} /></label>
    <button class="first">Search</button></form>`;
}

// span makes of days what the index is asked: the last day is meant with its end.
const span = ({ from, to }) => ({ from, to });

function Found({ asked, recorder }) {
  const [told, setTold] = useState({ rows: null, problem: null });
  const { url, matchType } = asked;
  useEffect(() => {
    const gone = new AbortController();
    setTold({ rows: null, problem: null });
    askText('cdx', { output: 'json', url, matchType, ...span(asked), limit: limit + 1 }, gone.signal).then(
      (text) => setTold({ rows: read(text), problem: null }),
      (problem) => isGone(problem) || (problem.status === 404 ? setTold({ rows: [], problem: null })
        : setTold({ rows: null, problem })),
    );
    return () => gone.abort();
  }, [url, matchType, asked.from, asked.to]);
  const { rows, problem } = told;
  const found = !rows?.length ? 'None'
    : rows.length > limit ? `The first ${count(limit)}` : some(rows.length, 'capture');
  const days = (asked.from || asked.to)
    && `, ${ofDigits(asked.from ?? '') || 'the beginning'} to ${ofDigits(asked.to ?? '') || 'now'}`;
  return html`${matchType === 'exact' && html`<${Calendar} url=${url} asked=${asked} />`}
    <section class="part"><h2>Captures</h2><${Problem} problem=${problem} />
    ${rows === null ? !problem && html`<p class="soft">Looking …</p>` : html`
      <${Status}>${found} of${' '}<${Text} text=${url} most=${120} mono />${days}.
        ${rows.length > limit && ' Dates or a longer URL make it fewer.'}<//>
      ${rows.length > 0 && html`<${Exports} asked=${asked} recorder=${recorder} /><${Rows}
        rows=${rows.slice(0, limit)} />`}`}</section>`;
}

const columns = [
  { name: 'date', title: 'Time', hint: 'in UTC' }, { name: 'status', title: 'Status' }, { name: 'type', title: 'Type' },
  { name: 'size', title: 'Length', hint: 'in the file' }, { name: 'url', title: 'URL' },
];

function Rows({ rows }) {
  const row = (n) => {
    const r = rows[n];
    return [ofDigits(r.timestamp), r.status && r.status !== '-' ? visible(r.status) : '–',
      r.mime === 'warc/revisit' ? 'revisit' : kindOf(r.mime), size(Number(r.length)), urlCell(r.url)];
  };
  return html`<${List} label="Captures" grid="captures" columns=${columns} start=${0} end=${rows.length} row=${row}
    classOf=${(n) => `s${weight(Number(rows[n].status))}`}
    open=${(n) => go('exchange', [rows[n].filename, rows[n].offset])} />
    <p class="soft foot">Times are in UTC.</p>`;
}

function Exports({ asked }) {
  const { url, matchType } = asked;
  const at = (format) => query('live/download', { format, url, matchType, ...span(asked) });
  return html`<div class="buttons" role="group" aria-label="Export of what is found"><span
    class="soft">All of it as</span>
    ${['cdxj', 'wacz', 'warc', 'har'].map((format) => html`<a key=${format} class="button" download href=${at(format)}>
      ${format.toUpperCase()}</a>`)}</div>`;
}
