// The pages that were recorded, the newest first; what came just now is there three seconds later.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone } from './ask.js';
import { Leaving, useBusy } from './buttons.js';
import { Empty } from './empty.js';
import { feed } from './feed.js';
import { Lacks, StateOf } from './lacks.js';
import { settle, to } from './routes.js';
import { Problem, Status, Text, Time, useSlow } from './text.js';
import { Thumbnail } from './thumbnail.js';
import { ago, size, some, when } from './words.js';

/** @typedef {import('./types.js').Page} Page */

const often = 3000;
const round = 5; // each so many times the older pages that are shown are asked for too
const limit = 50;

/** merge puts the newest pages before those that were loaded further down. */
export function merge(newest, before) {
  const known = new Set(newest.map((p) => p.id));
  return newest.concat(before.filter((p) => !known.has(p.id)));
}

/** newest asks for the newest pages, as many times limit as are shown. */
async function newest(times, text, signal) {
  let got = await ask('live/pages', { limit, text }, signal);
  for (let n = 1; n < times && got.next; n++) {
    const rest = await ask('live/pages', { limit, text, before: got.next }, signal);
    got = { ...rest, pages: merge(got.pages, rest.pages), looked: got.looked + rest.looked };
  }
  return got;
}

/** usePages asks for the list while it is seen. */
function usePages(text) {
  const [told, setTold] = useState({ pages: null, next: null, now: '', looked: 0, behind: false, problem: null });
  const deep = useRef(1); // how many times limit are shown: somebody has asked for more
  const poll = useRef(null);
  useEffect(() => {
    let times = 0;
    deep.current = 1;
    // Who types is not asked for each letter.
    poll.current = polled(async (signal) => {
      try {
        const all = deep.current === 1 || times++ % round === 0;
        const asked = deep.current;
        const { pages, next, now, looked, behind } = await (all ? newest(asked, text, signal)
          : ask('live/pages', { limit, text }, signal));
        setTold((before) => ({
          pages: (!all || deep.current > asked) && before.pages ? merge(pages, before.pages) : pages,
          ...(all && deep.current === asked ? { next, looked } : { next: before.next, looked: before.looked }),
          now, behind, of: text, problem: null,
        }));
      } catch (problem) {
        if (!isGone(problem)) setTold((before) => ({ ...before, problem }));
      }
      return often;
    }, text ? 250 : 0);
    const end = feed.tap((e) => {
      if (e.kind !== 'removed') return;
      times = 0;
      poll.current.again();
    });
    return () => {
      end();
      poll.current.end();
    };
  }, [text]);
  const [more, busy] = useBusy(async () => {
    const { signal } = poll.current;
    if (told.of !== text) return; // those that are shown are of the filter before
    try {
      const { pages, next, looked } = await ask('live/pages', { limit, text, before: told.next }, signal);
      if (signal.aborted) return;
      deep.current += 1;
      setTold((before) => ({ ...before, pages: merge(before.pages, pages), next,
        looked: before.looked + looked }));
    } catch (problem) {
      if (!isGone(problem)) setTold((before) => ({ ...before, problem }));
    }
  });
  return { ...told, busy: busy || told.of !== text, more };
}

// lastPage is the page at the end of the list.
const lastPage = (button) => [...button.closest('main').querySelectorAll('a.open')].at(-1);

/** Pages is the view. */
export function Pages({ route, recorder }) {
  const text = route.parameters.text ?? '';
  const { pages, next, now, looked, behind, problem, busy, more } = usePages(text);
  const shown = useSlow(pages?.length ?? null);
  const list = useRef(null);
  const key = (e) => move(e, list.current);
  const isNew = feed.captures === 0 && !(recorder.overview?.totals?.captures > 0);
  if (pages && !pages.length && !text && !behind && isNew) return html`<${Empty} recorder=${recorder} />`;
  return html`<div class="title"><h1 tabindex="-1">Pages</h1>
      <form class="find" role="search" onSubmit=${(e) => e.preventDefault()}>
        <label>Filter <input type="search" data-find value=${text} placeholder="title or URL"
          onInput=${(e) => settle('pages', [], { text: e.target.value })} /></label></form></div>
    ${(problem?.status !== 0 || recorder.state !== 'broken') && html`<${Problem} problem=${problem} />`}
    ${pages === null ? !problem && html`<p class="soft">Looking …</p>` : html`
      <${Status} hidden>${shown === null ? '' : `${some(shown, 'page')} shown`}<//>
      ${behind && html`<p class="soft">The collection is still being gone through: more will be here soon.</p>`}
      ${!pages.length && !behind && html`<p class="notice">${text ? none(next, looked)
        : 'No page yet. What is recorded so far belongs to none: '}${!text && html`
        <a href=${to('exchanges')}>see the exchanges</a>.`}</p>`}
      <ol class="pages" ref=${list} onKeyDown=${key} aria-label="Pages, the newest first">
        ${pages.map((p) => html`<${Row} key=${p.id} page=${p} now=${Date.parse(now)} />`)}</ol>
      ${next && html`<p><${Leaving} heir=${lastPage} aria-disabled=${busy} onClick=${more}>${text ? 'Look further'
        : 'Older pages'}<//></p>`}
      ${pages.length > 0 && html`<p class="soft foot">Times are in UTC.</p>`}`}`;
}

// none says of how many pages none has the text: where there are older ones, not all were looked at.
function none(next, looked) {
  return next ? `None of the newest ${some(looked, 'page')} has that in its title or URL. There are older ones.`
    : 'No page has that in its title or URL.';
}

// move takes the focus from page to page.
function move(e, list) {
  if (!e.target.matches('a.open') || e.ctrlKey || e.metaKey || e.altKey) return;
  const all = [...list.querySelectorAll('a.open')];
  const at = all.indexOf(e.target);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[e.key];
  if (next === undefined || !all[next]) return;
  e.preventDefault();
  all[next].focus();
  all[next].closest('li').scrollIntoView({ block: 'nearest' });
}

function Row({ page, now }) {
  return html`<li class="page"><${Thumbnail} image=${page.thumbnail} url=${page.url} />
    <div class="what"><a class="open" href=${to('page', [page.id])}><${Text} text=${page.title || page.url}
        most=${160} /></a>
      <p class="url soft"><${Text} text=${page.url} most=${160} mono /></p></div>
    <p class="state"><${StateOf} page=${page} /></p>
    <p class="figures soft"><span>${some(page.resources, 'resource')}</span> <span>${size(page.size)}</span>${' '}
      <${Time} ts=${page.ts} words=${now - Date.parse(page.ts) < 3600_000
        ? ago(Date.parse(page.ts), now) : `${when(page.ts)}`} /></p>
    ${page.lacks > 0 && html`<${Lacks} id=${page.id} n=${page.lacks} />`}</li>`;
}
