// A page is removed only after it was seen what goes with it. The recorder does it as a job, which goes on
// whatever becomes of this page; it is found again by the page that it is about.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone, tell } from './ask.js';
import { back } from './routes.js';
import { Dialog, Problem, Text } from './text.js';
import { count, size, some } from './words.js';

const often = 1000;
const goesOn = (job) => ['waiting', 'running'].includes(job?.state);

// useRemoval is the newest job about a page, asked for as long as it goes on.
function useRemoval(page) {
  const [told, setTold] = useState({ job: null, problem: null });
  const poll = useRef(null);
  useEffect(() => {
    poll.current = polled(async (signal) => {
      try {
        const { jobs } = await ask('live/removals', {}, signal);
        const job = jobs.find((j) => j.page === page) ?? null;
        setTold({ job, problem: null });
        return goesOn(job) ? often : 0;
      } catch (problem) {
        if (!isGone(problem)) setTold((b) => ({ ...b, problem }));
        return often;
      }
    });
    return poll.current.end;
  }, [page]);
  const send = async (path, form) => {
    try {
      await tell(path, form);
      await poll.current.again();
    } catch (problem) {
      setTold((b) => ({ ...b, problem }));
    }
  };
  return { ...told, send };
}

/** Remove is the button, and the question behind it. */
export function Remove({ page }) {
  const [asked, setAsked] = useState(false);
  const removal = useRemoval(page.id);
  const busy = goesOn(removal.job) && !removal.job.dryRun;
  return html`<button class="danger" onClick=${() => setAsked(true)}>${busy ? 'Being removed …' : 'Remove …'}</button>
    ${asked && html`<${Question} page=${page} removal=${removal} close=${() => setAsked(false)} />`}`;
}

// doing says what a job does.
function doing(job) {
  if (job.state === 'waiting') return 'Another removal goes on; this one waits.';
  switch (job.step) {
    case 'write': return `The files are written anew: ${size(job.read ?? 0)} of ${size(job.of ?? 0)}.`;
    case 'index': return 'The index is made anew.';
    case 'finish': return 'The files that are being written are finished.';
    default: return 'Looking at what goes with it …';
  }
}

function Question({ page, removal, close }) {
  const { job, problem, send } = removal;
  const busy = goesOn(job);
  const done = job?.result?.done;
  const plan = job?.state === 'done' && !done ? job.result : null;
  const press = (form) => () => send('live/remove', { page: page.id, ...form });
  const end = () => {
    close();
    if (done) back();
  };
  const changed = plan && (plan.changed || plan.waiting > 0);
  const nothing = plan && !plan.captures && !plan.waiting;
  return html`<${Dialog} title="Remove this page?" close=${end}>
    <p><strong><${Text} text=${page.title || page.url} most=${160} /></strong></p>
    <${Problem} problem=${problem ?? (job?.state === 'failed' ? new Error(job.error) : null)} />
    <div role="status">${busy && html`<p>${doing(job)}</p>`}
      ${done && html`<p>Removed: ${some(job.result.captures, 'capture')}, ${size(job.result.bytes)}.</p>`}
      ${job?.state === 'stopped' && html`<p>It was stopped. Nothing has changed.</p>`}
      ${changed && html`<p class="notice">More has come for this page. This is what would go now.</p>`}
      ${plan && html`<${Plan} plan=${plan} />`}</div>
    ${busy && !job.dryRun && html`<p class="soft">It goes on if you close this, or leave the page.</p>`}
    ${!busy && !done && !plan && html`<p>First the recorder finishes the files that it writes, and looks what goes
      with it. Nothing is removed by that.</p>`}
    <p class="buttons">${done && html`<button onClick=${end}>Close</button>`}
      ${busy && html`<button onClick=${() => send('live/remove/stop', { job: job.id })}>Stop it</button>
        <button onClick=${end}>Close</button>`}
      ${!busy && !done && html`${plan ? html`<button class="danger" aria-disabled=${Boolean(nothing)}
          onClick=${press({ plan: plan.plan })}>Remove for good</button>
        ${changed && html`<button class="danger" onClick=${press({ all: 'true' })}>Remove it with what comes</button>`}
        <button onClick=${press({ 'dry-run': 'true' })}>Look again</button>`
        : html`<button onClick=${press({ 'dry-run': 'true' })}>Show what would go</button>`}
      <button onClick=${end}>Keep it</button>`}</p><//>`;
}

function Plan({ plan }) {
  const first = plan.first ?? [];
  const stays = [
    plan.waiting > 0 && `${some(plan.waiting, 'capture')} that came while it was looked, unless you look again`,
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
