// The filter of the exchanges, and what is said about it: what it looks at, and where the rest is.
import { html, useEffect, useState } from './html.js';
import { useAny } from './any.js';
import { isEmpty, nameOf, older } from './filter.js';
import { parts } from './pager.js';
import { settle, to } from './routes.js';
import { Status } from './text.js';
import { clock, count, digitsBefore, some } from './words.js';

/** Filter is the form. What is typed goes into the address as it is. */
export function Filter({ filter }) {
  const set = (name) => (e) => settle('exchanges', [], { ...filter, [name]: e.target.value });
  const wrong = () => settle('exchanges', [], { ...filter, wrong: filter.wrong ? '' : 'yes' });
  const clear = () => {
    settle('exchanges');
    document.querySelector('main [data-find]')?.focus(); // the button goes
  };
  const field = (name, title, hint, extra = {}) => html`<label>${title}
    <input type="search" value=${filter[name]} placeholder=${hint} maxlength="500" onInput=${set(name)}
      ...${extra} /></label>`;
  return html`<form class="filter" role="search" aria-label="Filter" onSubmit=${(e) => e.preventDefault()}>
    ${field('text', 'URL has', 'text', { 'data-find': true })}
    <label>Shown <select value=${filter.stored} onChange=${set('stored')}>
      <option value="">all</option><option value="response">new</option><option value="revisit">revisits</option>
      <option value="cut">cut</option><option value="gap">gaps</option></select></label>
    ${field('host', 'Host', 'example.org')}
    ${field('mime', 'Type', 'image')}
    ${field('status', 'Status', '404, 5xx', { size: 8 })}
    <button type="button" onClick=${wrong} aria-pressed=${filter.wrong ? 'true' : 'false'}
      title="Gaps, what was cut, and answers of status 400 and above">What went wrong</button>
    ${!isEmpty(filter) && html`<button type="button" class="quiet"
      onClick=${clear}>No filter</button>`}</form>`;
}

/** Spoken tells who listens what another filter has found; what comes by itself is not said. */
export function Spoken({ name, ring, filter }) {
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWords(isEmpty(filter) ? ''
      : `${some(ring.end - ring.start, 'row')} with this filter`), 1000);
    return () => clearTimeout(timer);
  }, [name]);
  return html`<${Status} hidden>${words}<//>`;
}

/** Foot says how many rows there are, of which, and where what is older is found. */
export function Foot({ ring, all, filter }) {
  const [n, of] = [ring, all].map((r) => r.end - r.start);
  const first = all.at(all.start);
  if (isEmpty(filter)) {
    return n > 0 && html`<p class="soft foot">${some(n, 'row')}${all.start > 0
      ? `, the newest that a page keeps, from ${clock(first.ts).slice(0, 8)} on` : ''}. Times are in UTC. What
      is older is in the index, which is <a href=${to('search')}>searched by URL</a>.</p>`;
  }
  return html`<p class="soft foot">${count(n)} of the ${some(of, 'row')} that this page holds${first
    ? `, from ${clock(first.ts).slice(0, 8)} UTC on` : ''}.${' '}<${Older}
    key=${nameOf(filter)} filter=${filter} before=${first?.ts} /></p>`;
}

// Older asks the index whether it has older captures of the host, and leads to the search.
function Older({ filter, before }) {
  const where = older(filter);
  const asked = where && filter.host.trim() !== '' ? parts(where) : [];
  const [until] = useState(before && digitsBefore(before)); // once for a filter, and not with each row that goes
  const has = useAny(asked.map((matchType) => ({ url: where.url, matchType, to: until })), 600);
  if (has === false) return 'The index has nothing older of this host.';
  if (!where) return html`What is older is in the index, which is <a href=${to('search')}>searched by URL</a>.`;
  return html`${has ? 'The index has older ones of this host: ' : 'What is older is in the index: '}<a
    href=${to('search', [], where)}>search for ${where.url}</a>.`;
}
