// What can be changed from here: recording itself, the files, a capture.
import { html, useState } from './html.js';
import { tell } from './ask.js';
import { Capture } from './capture.js';
import { Problem, Text } from './text.js';
import { some, when } from './words.js';

/** Control is the view. */
export function Control({ recorder }) {
  const [told, setTold] = useState({ words: '', problem: null, busy: false });
  const { overview, paused, control, state, off } = recorder;
  const press = (path, words) => async () => {
    setTold({ words: '', problem: null, busy: true });
    try {
      const answer = await tell(path);
      setTold({ words: words(answer), problem: null, busy: false });
    } catch (problem) {
      setTold({ words: '', problem, busy: false });
    }
    recorder.again();
  };
  const pause = press('pause', () => 'Paused. What passes now is only counted.');
  const resume = press('resume', () => 'Recording goes on.');
  const rotate = press('rotate', ({ files }) => (files?.length
    ? `${some(files.length, 'file')} finished; what comes goes into new ones.`
    : 'No file was open: nothing to finish.'));
  const r = overview?.recorder ?? {};
  if (!control) {
    return html`<h1 tabindex="-1">Control</h1><p class="notice">From here you may look, and change nothing.
      ${' '}To pause, capture or remove, open the page on the recorder's machine, or once with
      ${' '}<code>token=TOKEN/</code> behind its address. The token is in <code>recorder.token</code> beside the
      ${' '}collection's files. (The setting is <code>page-control</code>.)</p>`;
  }
  return html`<h1 tabindex="-1">Control</h1>
    <section class="card"><h2>Recording</h2>
      <p>${state === 'broken' ? 'The recorder does not answer.' : paused ? html`<strong>Paused</strong>${r.since
        && ` since ${when(r.since)} UTC`}: what goes through the recorder passes, and is not kept.`
        : off ? html`<strong>Not recording</strong>: <${Text} text=${off} />.`
        : html`<strong>Recording</strong> into <${Text} text=${r.dir || r.collection || 'the collection'} mono />.`}</p>
      <div class="buttons">${paused
        ? html`<button class="first" aria-disabled=${told.busy} onClick=${resume}>Resume recording</button>`
        : html`<button aria-disabled=${told.busy} onClick=${pause}>Pause recording</button>`}
        <button aria-disabled=${told.busy} onClick=${rotate}>Finish the files</button></div>
      <p class="soft">A finished file gets its final name, and can be copied away or handed on.</p>
      <${Problem} problem=${told.problem} /><p role="status">${told.words}</p></section>
    <section class="card"><h2>Capture a page</h2>
      <p class="soft">A browser without a window opens it through the recorder, with all that belongs to it.
        ${' '}One at a time; the rest wait.</p>
      <${Capture} recorder=${recorder} /></section>`;
}
