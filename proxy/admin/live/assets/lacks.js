// What a page lacks, and why: the state of a page in a word, and behind it each request.
import { html, useEffect, useState } from './vendor/htm-3.1.1/standalone.module.js';
import { ask, isGone } from './ask.js';
import { Address, Problem, Text } from './text.js';
import { clock, some } from './words.js';

/** StateOf is the state of a page: whole, or what it lacks; and whether more is coming. */
export function StateOf({ page }) {
  const [kind, words] = page.lacks ? ['bad', `lacks ${some(page.lacks, 'request')}`]
    : page.whole ? ['good', 'whole'] : page.pending ? ['', 'being looked at'] : ['', 'nothing is known to lack'];
  return html`<span class=${`tag ${kind}`}>${words}</span>${page.open && html`${' '}<span class="tag now">still
    loading</span>`}`;
}

/** Lacks opens to what a page lacks; it asks for that when it is opened, and when there is more. */
export function Lacks({ id, n }) {
  const [open, setOpen] = useState(false);
  const [told, setTold] = useState({ lacks: null, problem: null });
  useEffect(() => {
    if (!open) return undefined;
    const gone = new AbortController();
    ask('live/page', { id }, gone.signal).then(
      ({ lacks }) => setTold({ lacks, problem: null }),
      (problem) => isGone(problem) || setTold({ lacks: null, problem }),
    );
    return () => gone.abort();
  }, [open, id, n]);
  return html`<details class="lacks" onToggle=${(e) => setOpen(e.target.open)}>
    <summary>What is missing, and why</summary>
    <${Problem} problem=${told.problem} />
    ${told.lacks ? html`<${Findings} lacks=${told.lacks} />` : !told.problem && html`<p class="soft">Looking …</p>`}
  </details>`;
}

/** Findings are the requests that a page lacks. */
export function Findings({ lacks }) {
  return html`<ul class="findings">${lacks.map((f, i) => html`<li key=${i}>
    <p><${Address} url=${f.url} most=${200} /></p>
    <p class="soft">${clock(f.ts)}${' '}<${Text} text=${f.words || f.detail || f.kind} />${f.times > 1
      && ` (${some(f.times, 'time')})`}</p></li>`)}</ul>`;
}
