// What a page lacks, and why: the state of a page in a word, and behind it each request.
import { html, useEffect, useState } from './html.js';
import { ask, isGone } from './ask.js';
import { Address, Problem, Text } from './text.js';
import { clock, count, some, visible } from './words.js';

// Why nobody knows whether a page is whole: short, as it stands beside others.
const unsure = {
  paused: 'paused meanwhile',
  crash: 'recorder broke off',
  gaps: 'gaps not known',
};

/** stateOf is the state of a page: its kind, and in words. */
export function stateOf(page) {
  if (page.lacks) return ['bad', `lacks ${some(page.lacks, 'request')}`];
  if (page.whole) return ['good', page.open ? 'whole so far' : 'whole'];
  if (page.pending) return ['', 'being looked at'];
  return page.unsure ? ['bad', unsure[page.unsure] ?? 'not known'] : ['', 'nothing missing so far'];
}

/** StateOf is the state of a page, and whether more is coming. */
export function StateOf({ page }) {
  const [kind, words] = stateOf(page);
  return html`<span class=${`tag ${kind}`}>${words}</span>${page.open && html`${' '}<span class="tag now">${
    page.loading ? `${some(page.loading, 'request')} under way` : 'still loading'}</span>`}`;
}

/** Lacks opens to what a page lacks; it asks for that when it is opened, and when there is more. */
export function Lacks({ id, n }) {
  const [open, setOpen] = useState(false);
  const [told, setTold] = useState({ lacks: null, more: 0, problem: null });
  useEffect(() => {
    if (!open) return undefined;
    const gone = new AbortController();
    ask('live/page', { id }, gone.signal).then(
      ({ lacks, moreLacks }) => setTold({ lacks, more: moreLacks, problem: null }),
      (problem) => isGone(problem) || setTold((before) => ({ ...before, problem })),
    );
    return () => gone.abort();
  }, [open, id, n]);
  return html`<details class="lacks" onToggle=${(e) => setOpen(e.target.open)}>
    <summary>What is missing, and why</summary>
    <${Problem} problem=${told.problem} />
    ${told.lacks ? html`<${Findings} ...${told} />` : !told.problem && html`<p class="soft">Looking …</p>`}
  </details>`;
}

// why says what happened: the sentence, the status, and what was noted.
function why({ words, kind, status, detail }) {
  const said = words || kind;
  return [said, status > 0 && !said.includes(`(${status})`) && `HTTP ${status}`, detail].filter(Boolean).join(' · ');
}

/** Findings are the requests that a page lacks; more is how many there are beside them. */
export function Findings({ lacks, more = 0 }) {
  return html`<ul class="findings">${lacks.map((f, i) => html`<li key=${i}>
    <p><${Address} url=${f.url} most=${200} /></p>
    <p class="soft">${clock(f.ts)}${' '}<${Text} text=${why(f)} />${f.times > 1
      && ` (${some(f.times, 'time')})`}</p></li>`)}</ul>
    ${more > 0 && html`<p class="soft">and ${count(more)} more</p>`}`;
}

const mostAnswered = 100;

/** Answered are the errors that were answered and are no findings: they are kept as they came. */
export function Answered({ detail: { exchanges, lacks, more } }) {
  const known = new Set((lacks ?? []).map((f) => f.url));
  const errors = exchanges.filter((e) => e.status >= 400 && !known.has(e.url));
  if (!errors.length) return null;
  return html`<section class="part"><h2>Answered with an error, kept as it came: ${count(errors.length)}</h2>
    <ul class="findings quiet">${errors.slice(0, mostAnswered).map((e) => html`<li key=${`${e.file} ${e.offset}`}>
      <p>HTTP ${visible(e.status)} <${Address} url=${e.url} most=${200} /></p></li>`)}</ul>
    ${errors.length > mostAnswered && html`<p class="soft">and ${count(errors.length - mostAnswered)} more</p>`}
    ${more > 0 && html`<p class="soft">Of the ${count(exchanges.length)} exchanges that are shown.</p>`}</section>`;
}
