// The exchanges as they happen: the newest at the bottom, held where one reads.
import { html, useEffect, useReducer, useRef } from './html.js';
import { feed } from './feed.js';
import { Filter, Foot, Spoken } from './filtered.js';
import { filterOf, isEmpty, nameOf, parameters } from './filter.js';
import { List } from './list.js';
import { after } from './removed.js';
import { go } from './routes.js';
import { isMeant } from './shortcuts.js';
import { clock, count, cut, kindOf, reason, size, some, visible, weight } from './words.js';

/** @typedef {import('./types.js').Event} Event */

// sight is what one sees of the feed. It outlives the view: who comes back from an exchange finds the
// list as it was, and a filter goes on collecting meanwhile.
const sight = { name: '', ring: feed.ring, held: null, follow: true, memory: {}, end: null };

// What was removed is shown no more, also where the view is held.
feed.tap((e) => {
  if (e.kind !== 'removed') return;
  for (const ring of [sight.ring, sight.held]) if (ring && ring !== feed.ring) ring.keep(after(e));
});

function look(filter) {
  const name = nameOf(filter);
  if (name === sight.name) return;
  sight.end?.();
  const agrees = filterOf(filter);
  sight.ring = isEmpty(filter) ? feed.ring : feed.ring.where(agrees);
  sight.end = isEmpty(filter) ? null : feed.tap((e) => e.kind !== 'removed' && agrees(e) && sight.ring.push(e));
  Object.assign(sight, { name, held: null, follow: true, memory: {} });
}

const columns = [
  { name: 'time', title: 'Time', hint: 'in UTC' },
  { name: 'method', title: 'Method' },
  { name: 'status', title: 'Status' },
  { name: 'type', title: 'Type' },
  { name: 'size', title: 'Size', hint: 'of the body, as it came' },
  { name: 'stored', title: 'Stored', hint: 'as a response, or as a revisit of one that is there' },
  { name: 'url', title: 'URL' },
];

/** urlCell is a recorded URL with its host in front of the eye. */
export function urlCell(url) {
  const text = visible(cut(url, 400));
  const [, before = '', host = '', after = text] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/is.exec(text) ?? [];
  return html`<bdi><span class="soft">${before}</span><span class="host">${host}</span>${after}</bdi>`;
}

/** storedCell is how an exchange is in the archive. */
export function storedCell(e) {
  if (e.truncated) return html`<span class="bad">cut</span>`;
  return e.stored === 'response' ? 'new' : visible(e.stored ?? '');
}

// kept is how much of what a gap tells of is in the archive.
const kept = (why) => ({ cut: 'cut', coding: 'kept' }[why] ?? 'not kept');

/** @param {Event} e */
function cells(e) {
  const time = clock(e.ts);
  if (e.kind === 'capture') {
    return [time, visible(cut(e.method, 20)), e.status || '–', kindOf(e.mime), size(e.size), storedCell(e),
      urlCell(e.url)];
  }
  if (e.kind === 'gap') {
    const much = e.count > 1 ? ` (${count(e.count)} times)` : '';
    return [time, 'gap', '–', '', '', html`<span class="bad">${kept(e.reason)}</span>`,
      html`${e.url ? urlCell(e.url) : ''} <span class="bad">${reason(e.reason)}${much}</span>${e.detail
        && html` <bdi class="soft">${visible(cut(e.detail, 160))}</bdi>`}`];
  }
  return [time, '', '', '', '', '', html`<span class="soft">${words(e)}</span>`];
}

/** words say what else has happened. */
function words(e) {
  switch (e.kind) {
    case 'paused': return 'Recording was paused.';
    case 'resumed': return 'Recording goes on.';
    case 'files': return `File ${visible(e.file ?? '')} ${visible(e.state ?? 'has changed')}`;
    case 'note': return 'A note was written.';
    case 'missed': return e.count > 0 ? `${some(e.count, 'event')} came while this page was not connected.`
      : 'More came while this page was not connected: the search finds it.';
    default: return visible(cut(e.kind, 40));
  }
}

const classOf = (e) => (e.kind === 'capture' ? `s${weight(e.status)}` : e.kind === 'gap' ? 'gap' : 'said');

// gone is a row that has left the ring since the list was told of it: who scrolls draws it anew before
// the next beat.
const gone = { kind: '' };

/** Exchanges is the view. */
export function Exchanges({ route }) {
  const [, draw] = useReducer((n) => n + 1, 0);
  const filter = parameters(route.parameters);
  look(filter);
  useEffect(() => feed.listen(draw), []);
  const hold = () => {
    sight.held = sight.held ? null : sight.ring.copy();
    if (!sight.held) sight.follow = true;
    draw();
  };
  const follow = (on) => {
    if (sight.follow === on) return;
    sight.follow = on;
    draw();
  };
  const toEnd = () => {
    Object.assign(sight, { held: null, follow: true });
    draw();
  };
  useKeys({ p: hold, e: toEnd });
  const ring = sight.held ?? sight.ring;
  const seen = useRef(ring.end);
  if (sight.follow && !sight.held) seen.current = sight.ring.end;
  const below = sight.ring.end - seen.current;
  const open = (n) => {
    const e = ring.at(n);
    if (e?.file) go('exchange', [e.file, e.offset]);
    else if (e?.url && !e.cut) go('search', [], { url: e.url });
  };
  return html`<div class="title"><h1 tabindex="-1">Exchanges</h1>
      <div class="buttons"><button onClick=${hold} aria-pressed=${sight.held ? 'true' : 'false'}
        title="Holds what you see; the recorder goes on (p)">${
          sight.held ? 'Let the view go on' : 'Hold the view'}</button>
        <button onClick=${toEnd} aria-disabled=${sight.follow && !sight.held} title="(e)">${below > 0
          ? `${count(below)} new ↓` : 'To the newest ↓'}</button></div></div>
    <${Filter} filter=${filter} />
    <${Spoken} name=${sight.name} ring=${ring} filter=${filter} />
    ${ring.end === ring.start ? html`<p class="notice">${isEmpty(filter)
      ? 'Nothing yet. What goes through the recorder appears here at once.'
      : `None of the ${count(feed.ring.end - feed.ring.start)} rows that this page holds agrees with the filter.
        What comes will appear here.`}</p>` : html`
    <${List} label="Exchanges" grid="exchanges" columns=${columns} start=${ring.start} end=${ring.end}
      row=${(n) => cells(ring.at(n) ?? gone)} classOf=${(n) => classOf(ring.at(n) ?? gone)} open=${open}
      follow=${sight.follow && !sight.held} onFollow=${sight.held ? undefined : follow}
      memory=${sight.memory} key=${sight.name} />`}
    <${Foot} ring=${ring} all=${feed.ring} filter=${filter} />`;
}

function useKeys(keys) {
  useEffect(() => {
    const press = (e) => {
      if (!isMeant(e) || !keys[e.key]) return;
      e.preventDefault();
      keys[e.key]();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}
