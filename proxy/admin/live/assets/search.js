// The index: captures by URL, prefix, host or domain, and by date; one URL on a calendar; exports.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { useAny } from './any.js';
import { askText, isGone } from './ask.js';
import { Leaving } from './buttons.js';
import { Calendar } from './calendar.js';
import { Download } from './download.js';
import { storedCell, urlCell } from './exchanges.js';
import { feed } from './feed.js';
import { List } from './list.js';
import { hasPort, nextStep, parts, start, step } from './pager.js';
import { go, to } from './routes.js';
import { Problem, Status, Text } from './text.js';
import { count, kindOf, ofDigits, size, some, visible, weight } from './words.js';

const kinds = [
  ['exact', 'this URL'], ['prefix', 'URLs that begin so'], ['host', 'this host, of every port'],
  ['domain', 'this domain, with subdomains'], ['ports', 'this host, its other ports'],
];

/** digits is a date of the form as the index wants it. */
const digits = (day) => (day ?? '').replace(/\D/g, '');

/** Search is the view. */
export function Search({ route }) {
  const asked = { matchType: 'exact', ...route.parameters };
  return html`<h1 tabindex="-1">Search</h1>
    <${Form} key=${JSON.stringify(asked)} asked=${asked} />
    ${asked.url ? html`<${Found} key=${`${asked.url} ${asked.matchType}`}
      asked=${asked} />` : html`
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

const unknown = { rows: null, next: start, problem: null, busy: true, round: 0 };

// useFound asks the index, a step after the other; all of it anew when something was removed.
function useFound(asked) {
  const [told, setTold] = useState(unknown);
  const more = useRef(null);
  useEffect(() => {
    setTold(unknown);
    let [rows, next, want, stale, round] = [[], start, step, false, 0];
    const { again, end } = polled(async (signal) => {
      if (stale) [rows, next, stale, round] = [[], start, false, round + 1];
      setTold((b) => ({ ...b, problem: null, busy: true }));
      try {
        while (next && rows.length < want) {
          const found = await nextStep(asked, next, (question) => askText('cdx/search/cdx', question, signal));
          rows = rows.concat(found.rows);
          next = found.next;
        }
        setTold({ rows, next, problem: null, busy: false, round });
      } catch (problem) {
        if (!isGone(problem)) setTold((b) => ({ ...b, problem, busy: false }));
      }
      return 0;
    });
    more.current = () => {
      want = Math.max(want, rows.length + step);
      again();
    };
    const untap = feed.tap((e) => {
      if (e.kind !== 'removed') return;
      stale = true;
      again();
    });
    return () => {
      untap();
      end();
    };
  }, [asked.url, asked.matchType, asked.from, asked.to]);
  return { ...told, more: () => more.current() };
}

function Found({ asked }) {
  const { rows, next, problem, busy, round, more } = useFound(asked);
  const { url, matchType } = asked;
  const n = !rows?.length ? 'None' : next ? `The first ${count(rows.length)} captures` : some(rows.length, 'capture');
  const days = (asked.from || asked.to)
    && `, ${ofDigits(asked.from ?? '') || 'the beginning'} to ${ofDigits(asked.to ?? '') || 'now'}`;
  const order = rows?.length > 1 && (matchType === 'exact' ? ', the newest first' : ', in the order of their URLs');
  return html`<${Calendar} url=${url} asked=${asked} round=${round} />
    <section class="part"><h2>Captures</h2>
    ${rows === null ? !problem && html`<p class="soft">Looking …</p>` : html`
      <${Status}>${n} of${' '}<${Text} text=${url} most=${120} mono />${days}${order}.<//>
      ${rows.length > 0 ? html`<${Exports} asked=${asked} rows=${rows} round=${round} />
        <${Rows} rows=${rows} />`
        : html`<${Elsewhere} asked=${asked} />`}`}
    <${Problem} problem=${problem} again=${more} />
    ${next && rows?.length > 0 && html`<p><${Leaving} heir=${listAbove} aria-disabled=${busy}
      onClick=${more}>${busy ? 'Looking …' : `Next ${count(step)}`}<//></p>`}</section>`;
}

// listAbove is the list that a button has made longer.
const listAbove = (button) => button.closest('section').querySelector('.list');

// Elsewhere says what else may be meant, where nothing was found.
function Elsewhere({ asked }) {
  const { url, matchType, from, to: until } = asked;
  const days = { from, to: until };
  return html`<ul class="soft">${(from || until) && html`<li><a
      href=${to('search', [], { url, matchType })}>At any time</a></li>`}
    ${matchType !== 'prefix' && html`<li><a href=${to('search', [], { url, matchType: 'prefix', ...days })}>URLs
      that begin so</a></li>`}
    ${!['host', 'domain'].includes(matchType) && html`<li><a href=${to('search', [], { url, matchType: 'host',
      ...days })}>All of its host</a>${!hasPort(url) && ', of every port: a URL of another port is another URL'}</li>`}
  </ul>`;
}

const columns = [
  { name: 'date', title: 'Time', hint: 'in UTC' }, { name: 'status', title: 'Status' }, { name: 'type', title: 'Type' },
  { name: 'size', title: 'Length', hint: 'in the file' },
  { name: 'stored', title: 'Stored', hint: 'as a response, or as a revisit of one that is there' },
  { name: 'url', title: 'URL' },
];

function Rows({ rows }) {
  const row = (n) => {
    const r = rows[n];
    return [ofDigits(r.timestamp), r.statuscode !== '-' ? visible(r.statuscode) : '–',
      r.mimetype === 'warc/revisit' ? '–' : kindOf(r.mimetype), size(Number(r.length)),
      storedCell({ stored: r.mimetype === 'warc/revisit' ? 'revisit' : 'response', truncated: r.truncated === 'yes' }),
      urlCell(r.original)];
  };
  return html`<${List} label="Captures" grid="captures" columns=${columns} start=${0} end=${rows.length} row=${row}
    classOf=${(n) => `s${weight(Number(rows[n].statuscode))}`}
    open=${(n) => go('exchange', [rows[n].filename, rows[n].offset])} />
    <p class="soft foot">Times are in UTC.</p>`;
}

const formats = ['cdxj', 'wacz', 'warc', 'har'];

function Exports({ asked, rows, round }) {
  const { url, from, to: until } = asked;
  const [, ports] = parts(asked);
  const ofPart = (matchType) => (ports ? [{ url, matchType, from, to: until }] : []);
  const hasPorts = useAny(ofPart(ports), 0, round);
  const hasUsual = useAny(ofPart(asked.matchType), 0, round);
  const group = (matchType, words) => html`<div class="buttons" role="group" aria-label=${`Export: ${words}`}><span
    class="soft">${words} as</span> ${formats.map((format) => html`<${Download} key=${format}
    label=${format.toUpperCase()} asked=${{ format, url, matchType, from, to: until }} />`)}</div>`;
  return html`${(hasUsual || !hasPorts) && group(asked.matchType, hasPorts ? 'All of the usual port' : 'All of it')}
    ${hasPorts && group(ports, 'All of its other ports')}
    ${rows.some((r) => ['206', '304'].includes(r.statuscode) || r.truncated === 'yes') && html`<p
      class="soft">CDXJ is as pywb wants it: without 304s, and without parts and what was cut where the whole is
      there. Here they are listed.</p>`}`;
}
