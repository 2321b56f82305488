// A page is removed only after it was seen what goes with it.
import { html, useState } from './vendor/htm-3.1.1/standalone.module.js';
import { tell } from './ask.js';
import { back } from './routes.js';
import { Dialog, Problem, Text } from './text.js';
import { count, size, some } from './words.js';

/** Remove is the button, and the question behind it. */
export function Remove({ page }) {
  const [asked, setAsked] = useState(false);
  return html`<button class="danger" onClick=${() => setAsked(true)}>Remove …</button>
    ${asked && html`<${Question} page=${page} close=${() => setAsked(false)} />`}`;
}

function Question({ page, close }) {
  const [told, setTold] = useState({ step: 'ask', plan: null, problem: null });
  const plan = async () => {
    setTold({ step: 'planning', plan: null, problem: null });
    try {
      setTold({ step: 'planned', plan: await tell('remove', { page: page.id, 'dry-run': 'true' }), problem: null });
    } catch (problem) {
      setTold({ step: 'ask', plan: null, problem });
    }
  };
  const remove = async () => {
    setTold((b) => ({ ...b, step: 'removing' }));
    try {
      const done = await tell('remove', { page: page.id, plan: told.plan.plan ?? '' });
      setTold({ step: done.changed ? 'planned' : 'done', plan: done,
        problem: done.changed ? new Error('The collection has changed meanwhile. This is what would go now.') : null });
    } catch (problem) {
      setTold((b) => ({ ...b, step: 'planned', problem }));
    }
  };
  const end = () => {
    close();
    if (told.step === 'done') back();
  };
  const busy = told.step === 'planning' || told.step === 'removing';
  return html`<${Dialog} title="Remove this page?" close=${end}>
    <p><strong><${Text} text=${page.title || page.url} most=${160} /></strong></p>
    <${Problem} problem=${told.problem} />
    <div role="status">${told.step === 'planning' && html`<p>Looking at what goes with it …</p>`}
      ${told.step === 'removing' && html`<p>The files are written anew …</p>`}
      ${told.plan && (told.step === 'done' ? html`<p>Removed: ${some(told.plan.captures, 'capture')},
        ${' '}${size(told.plan.bytes)}.</p>` : html`<${Plan} plan=${told.plan} />`)}</div>
    ${told.step === 'ask' && html`<p>First the recorder looks what goes with it. Nothing changes by that.</p>`}
    <p class="buttons">${told.step === 'done' ? html`<button onClick=${end}>Close</button>` : html`
      ${told.plan ? html`<button class="danger"
        aria-disabled=${busy || !told.plan.captures} onClick=${remove}>Remove for good</button>`
        : html`<button aria-disabled=${busy} onClick=${plan}>Show what would go</button>`}
      <button aria-disabled=${told.step === 'removing'} onClick=${end}>Keep it</button>`}</p><//>`;
}

function Plan({ plan }) {
  const first = plan.first ?? [];
  const stays = [
    plan.waiting > 0 && `${some(plan.waiting, 'capture')} in the file that is being written: finish it first`,
    plan.away > 0 && `${some(plan.away, 'capture')} in files that are away`,
    plan.needed > 0 && `what ${some(plan.needed, 'file')} may need`,
    plan.confirmed > 0 && `${some(plan.confirmed, 'capture')} that a 304 confirms`,
  ].filter(Boolean);
  return html`<p>${plan.captures ? html`<strong>${some(plan.captures, 'capture')}</strong>, ${''}
      ${some(plan.records, 'record')}, ${size(plan.bytes)} go for good;
      ${' '}${some(plan.files, 'file')} ${plan.files === 1 ? 'is' : 'are'} written anew.`
      : 'Nothing would go.'}</p>
    ${plan.moved > 0 && html`<p>${plan.moved === 1 ? 'A revisit elsewhere gets its body'
      : `${count(plan.moved)} revisits elsewhere get their bodies`} first, so that nothing else is lost.</p>`}
    ${stays.length > 0 && html`<p>What stays:</p><ul>${stays.map((s) => html`<li key=${s}>${s}</li>`)}</ul>`}
    ${first.length > 0 && html`<ul class="going" tabindex="0" aria-label="What goes">${first.map((u, i) => html`<li
      key=${i}>
      <${Text} text=${u.url}
        most=${160} mono />${u.captures > 1 && ` (${count(u.captures)})`}</li>`)}${plan.urls > first.length
      && html`<li class="soft">and ${some(plan.urls - first.length, 'more URL')}</li>`}</ul>`}`;
}
