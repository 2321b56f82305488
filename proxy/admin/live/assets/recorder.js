// What the recorder is doing, as the head of the page says it: recording, paused, not there.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone } from './ask.js';
import { Leaving } from './buttons.js';
import { feed } from './feed.js';
import { Text } from './text.js';
import { lasts, visible } from './words.js';

const often = 15_000;

/** offOf is why the recorder turns requests away, as on a full disk; '' while it records. */
export function offOf(overview) {
  const r = overview?.recorder;
  return r?.recording === false && !r.paused ? r.reason || 'it says no reason' : '';
}

/** useRecorder is what is known of it: overview, its problem, whether the feed is there, ask. */
export function useRecorder() {
  const [told, setTold] = useState({ overview: null, problem: null });
  const [, tick] = useState(0);
  const poll = useRef(null);
  useEffect(() => {
    poll.current = polled(async (signal) => {
      try {
        const overview = await ask('live/overview', { brief: true }, signal);
        // It may be older than what the feed has told since.
        if (!(Date.parse(overview.at) < feed.pausedAt)) feed.paused = Boolean(overview.recorder?.paused);
        setTold({ overview, problem: null });
      } catch (problem) {
        if (!isGone(problem)) setTold((before) => ({ ...before, problem }));
      }
      return often;
    });
    let state = feed.state + feed.paused;
    const end = feed.listen(() => {
      if (state === feed.state + feed.paused) return;
      if (!state.startsWith(feed.state)) poll.current.again();
      state = feed.state + feed.paused;
      tick((n) => n + 1);
    });
    return () => {
      poll.current.end();
      end();
    };
  }, []);
  return {
    ...told, state: feed.state, paused: feed.paused, again: () => poll.current.again(), off: offOf(told.overview),
    control: document.documentElement.dataset.control !== 'false',
  };
}

/** Recorder says it in the head of the page. */
export function Recorder({ recorder }) {
  const { state, paused, overview, off } = recorder;
  if (state === 'resting') return null; // nobody sees the page
  const name = visible(overview?.recorder?.collection ?? '');
  const [kind, words] = state === 'broken' ? ['bad', 'Not connected']
    : paused ? ['held', 'Paused'] : off ? ['bad', 'Not recording']
      : state === 'open' ? ['good', 'Recording'] : ['', 'Connecting'];
  return html`<p class=${`recorder ${kind}`} role="status">
      <span class="dot" aria-hidden="true"></span>${words}${name && state === 'open' && html`
      <span class="soft into"> ${paused || off ? '·' : 'into'} <bdi>${name}</bdi></span>`}</p>
    ${state === 'broken' && html`<${Broken} answers=${recorder.overview && !recorder.problem} />`}
    ${state === 'open' && !paused && off && html`<div class="notice bad broken" role="alert"><p>
      <strong>Nothing is recorded, and requests are turned away:</strong>
      ${' '}<${Text} text=${`${off}.`} />
      ${' '}It goes on by itself when that is mended.</p></div>`}`;
}

// Broken says since when, and that nobody has to do anything.
function Broken({ answers }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  const since = lasts((Date.now() - feed.since) / 1000);
  return html`<div class="notice bad broken"><p>${answers ? html`<strong>What happens is not told at present.</strong>
      ${' '}The recorder answers, but has sent no events for ${since}: too many may look at it.`
      : html`<strong>The recorder does not answer.</strong> What you see is as it was ${since} ago. If it has ended,
      ${' '}<code>warcorder record</code> starts it.`}
    ${' '}This page tries again by itself, and goes on where it was.</p>
    <${Leaving} type="button" onClick=${() => feed.again(0)}>Try now<//></div>`;
}
