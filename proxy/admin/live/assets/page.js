// One page: what it lacks, what was loaded when, notes on it, and what can be done with it.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone, tell } from './ask.js';
import { Leaving, useBusy } from './buttons.js';
import { Download } from './download.js';
import { feed } from './feed.js';
import { Answered, Findings, StateOf } from './lacks.js';
import { Remove } from './remove.js';
import { Replay } from './replay.js';
import { back } from './routes.js';
import { Address, Problem, Text, Time } from './text.js';
import { Waterfall } from './waterfall.js';
import { clock, count, reason, size, some, when } from './words.js';

/** @typedef {import('./types.js').PageDetail} PageDetail */

const often = 2000;
const seldom = 10_000; // where nothing more is expected

// extended keeps the exchanges that somebody has asked for beyond the first ones.
function extended(now, before) {
  const more = (before?.exchanges.length ?? 0) - now.exchanges.length;
  if (more <= 0 || now.more < more || before.page.id !== now.page.id) return now;
  return { ...now, more: now.more - more, exchanges: [...now.exchanges, ...before.exchanges.slice(-more)] };
}

// continued is a page with the exchanges behind the first so many; they may be there already.
function continued(before, offset, rest) {
  if (before?.exchanges.length !== offset) return before;
  return { ...before, more: rest.more, exchanges: [...before.exchanges, ...rest.exchanges] };
}

// usePage asks for a page, again as long as it is seen: often while something comes for it, and no more
// when it has gone.
function usePage(id) {
  /** @type {[{detail: PageDetail|null, problem: Error|null}, Function]} */
  const [told, setTold] = useState({ detail: null, problem: null });
  const poll = useRef(null);
  useEffect(() => {
    poll.current = polled(async (signal) => {
      try {
        const detail = await ask('live/page', { id }, signal);
        setTold((before) => ({ detail: extended(detail, before.detail), problem: null }));
        return detail.page.open || detail.page.pending > 0 ? often : seldom;
      } catch (problem) {
        if (isGone(problem)) return 0;
        // What has gone is shown no more, but for the dialog that says so.
        const went = problem.status === 404;
        const clear = went && !document.querySelector('dialog[open]');
        setTold((before) => ({ detail: clear ? null : before.detail, problem }));
        if (went) return 0;
        return problem.status === 0 ? often : seldom;
      }
    });
    const end = feed.tap((e) => e.kind === 'removed' && poll.current.again());
    return () => {
      end();
      poll.current.end();
    };
  }, [id]);
  const [more, busy] = useBusy(async () => {
    const offset = told.detail.exchanges.length;
    try {
      const rest = await ask('live/page', { id, offset }, poll.current.signal);
      setTold((b) => ({ problem: null, detail: continued(b.detail, offset, rest) }));
    } catch (problem) {
      if (!isGone(problem)) setTold((b) => ({ ...b, problem }));
    }
  });
  return { ...told, busy, again: () => poll.current.again(), more };
}

// listAbove is the list that a button has made longer.
const listAbove = (button) => button.closest('section').querySelector('.list');

/** PageView is the view. */
export function PageView({ route, recorder }) {
  const [id] = route.names;
  const { detail, problem, busy, again, more } = usePage(id);
  const page = detail?.page;
  return html`<p class="path"><button class="quiet" onClick=${back}>← Back</button></p>
    <h1 tabindex="-1">${page ? html`<${Text} text=${page.title || page.url} most=${200} />` : 'Page'}</h1>
    <${Problem} problem=${problem} again=${again} />
    ${!detail ? !problem && html`<p class="soft">Looking …</p>` : html`
    <p class="lead"><${Address} url=${page.url} /></p>
    <dl class="facts"><div><dt>State</dt><dd><${StateOf} page=${page} /></dd></div>
      <div><dt>Recorded (UTC)</dt><dd><${Time} ts=${page.ts} words=${when(page.ts)} /></dd></div>
      <div><dt>Resources</dt><dd>${count(page.resources)}</dd></div>
      <div><dt>Size</dt><dd>${size(page.size)}</dd></div></dl>
    <div class="buttons"><${Replay} url=${page.url} ts=${page.ts} control=${recorder.control} />
      <${Download} asked=${{ format: 'wacz', page: id }} label="WACZ of this page" />
      <${Download} asked=${{ format: 'warc', page: id }} label="WARC" />
      <${Download} asked=${{ format: 'har', page: id }} label="HAR" />
      ${recorder.control && html`<${Remove} page=${page} />`}</div>
    ${detail.lacks?.length > 0 && html`<section class="part"><h2>What it lacks</h2><${Findings}
      lacks=${detail.lacks} more=${detail.moreLacks} /></section>`}
    <${Answered} detail=${detail} />
    <section class="part"><h2>Exchanges</h2><${Waterfall} page=${page} exchanges=${detail.exchanges} />
      ${detail.more > 0 && html`<p>
        <${Leaving} heir=${listAbove} aria-disabled=${busy} onClick=${more}>${some(detail.more,
          'more exchange')}<//></p>`}</section>
    ${detail.gaps?.length > 0 && html`<${Gaps} gaps=${detail.gaps} />`}
    <${Notes} id=${id} notes=${detail.notes ?? []} control=${recorder.control} again=${again} />`}`;
}

function Gaps({ gaps }) {
  return html`<section class="part"><h2>Gaps</h2><ul class="findings">${gaps.map((g, i) => html`<li key=${i}>
    ${g.url && html`<p><${Address} url=${g.url} most=${200} /></p>`}
    <p class="soft">${clock(g.ts)} ${reason(g.reason)}${g.detail && html`: <${Text} text=${g.detail} />`}${
      g.count > 1 && ` (${some(g.count, 'time')})`}</p></li>`)}</ul></section>`;
}

const mostNote = 64 << 10; // bytes, as the recorder takes them

function Notes({ id, notes, control, again }) {
  const [text, setText] = useState('');
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  if (!control && !notes.length) return null;
  const bytes = new TextEncoder().encode(text).length;
  const long = bytes > mostNote;
  const write = async (e) => {
    e.preventDefault();
    setBusy(true);
    try {
      await tell('live/note', { page: id, text });
      setText('');
      setProblem(null);
      await again();
    } catch (p) {
      setProblem(p);
    }
    setBusy(false);
  };
  return html`<section class="part"><h2>Notes</h2>
    ${notes.map((n, i) => html`<blockquote key=${i}><p><${Text} text=${n.text} lines most=${2000} /></p>
      <footer class="soft">${when(n.ts)} UTC</footer></blockquote>`)}
    ${control && html`<form onSubmit=${write} class="note"><label>A note on this page, kept as a metadata record
      <textarea rows="2" value=${text} onInput=${(e) => setText(e.target.value)}></textarea></label>
      <${Problem} problem=${problem} /><p role="status">${long
        && `A note has ${mostNote >> 10} KiB at most, and this one ${Math.ceil(bytes / 1024)}: write two.`}</p>
      <button aria-disabled=${busy || long || !text.trim()}>Keep the note</button></form>`}</section>`;
}
