// A page is captured from here: a browser without a window, beside the recorder, and what it says.
import { html, useEffect, useRef, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone, tell } from './ask.js';
import { Leaving } from './buttons.js';
import { to } from './routes.js';
import { Problem, Text } from './text.js';
import { visible } from './words.js';

/** @typedef {import('./types.js').Job} Job */

const often = 1500;
const seldom = 15_000; // while none goes on
const goesOn = (job) => ['waiting', 'running'].includes(job.state);
const states = {
  waiting: ['', 'waits'], running: ['now', 'runs'], done: ['good', 'all whole'], failed: ['bad', 'lacks something'],
  stopped: ['', 'stopped'],
};

// useJobs asks for the captures: often as long as one is not at its end.
function useJobs() {
  const [told, setTold] = useState({ jobs: [], problem: null, unprotected: false });
  const poll = useRef(null);
  useEffect(() => {
    poll.current = polled(async (signal) => {
      try {
        const { jobs, unprotected } = await ask('live/captures', {}, signal);
        setTold({ jobs: jobs ?? [], problem: null, unprotected });
        return jobs?.some(goesOn) ? often : seldom;
      } catch (problem) {
        if (!isGone(problem)) setTold((b) => ({ ...b, problem: problem.status === 404 ? null : problem }));
        return seldom;
      }
    });
    return poll.current.end;
  }, []);
  return { ...told, again: () => poll.current.again() };
}

/** addressOf is the URL that is meant: who types a host, or one with a port, means its page. */
export function addressOf(typed) {
  const hasScheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.test(typed);
  return hasScheme ? typed : ['https', typed].join('://');
}

/** Capture is the form, and what has become of what was asked. */
export function Capture({ recorder }) {
  const { jobs, problem, unprotected, again } = useJobs();
  const [url, setUrl] = useState('');
  const [depth, setDepth] = useState('0');
  const [refused, setRefused] = useState(null);
  const start = async (e) => {
    e.preventDefault();
    try {
      const address = addressOf(url.trim());
      await tell('live/capture', depth === '0' ? { url: address } : { url: address, depth });
      setUrl('');
      setRefused(null);
      again();
    } catch (p) {
      setRefused(p);
    }
  };
  return html`<form class="search capture" onSubmit=${start}>
      <label class="wide">URL to capture <input type="text" required inputmode="url" spellcheck="false"
        autocapitalize="off"
        autocomplete="off" placeholder="example.org/page"
          value=${url} onInput=${(e) => setUrl(e.target.value)} /></label>
      <label>With <select value=${depth} onChange=${(e) => setDepth(e.target.value)}><option
        value="0">this page alone</option>
        <option value="1">the pages it links to</option><option value="2">links of links too</option></select></label>
      <button class="first" aria-disabled=${recorder.state === 'broken'}>Capture</button></form>
    ${unprotected && html`<p class="notice">The recorder runs as root: the browser that captures has no sandbox, and
      ${' '}a page that breaks out of it has the whole machine. Capture only what you trust.</p>`}
    <${Problem} problem=${refused ?? problem} />
    ${jobs.length > 0 && html`<ol class="jobs" aria-label="Captures">${jobs.map((j) => html`<${JobRow} key=${j.id}
      job=${j} again=${again} />`)}</ol>`}`;
}

const row = (button) => button.closest('li');

// lastOf is the last line that says something by itself.
const lastOf = (lines) => lines.findLast((line) => !line.endsWith(': see above')) ?? lines.at(-1);

/** @param {{job: Job, again: Function}} props */
function JobRow({ job, again }) {
  const [problem, setProblem] = useState(null);
  const [kind, words] = states[job.state] ?? ['', visible(job.state)];
  const lines = job.lines ?? [];
  const said = [...(job.leftOut > 0 ? [`… (${job.leftOut} lines before)`] : []), ...lines.map(visible)].join('\n');
  const stop = () => tell(`live/capture/stop?job=${encodeURIComponent(job.id)}`).then(again, setProblem);
  return html`<li tabindex="-1"><div class="job"><span class=${`tag ${kind}`}>${words}</span>${' '}
      <span class="url">${job.url ? html`<${Text} text=${job.url} most=${160} mono />`
        : html`<em class="soft">has been removed</em>`}</span>
      ${goesOn(job) && html`<${Leaving} class="small" heir=${row} onClick=${stop}>Stop<//>`}
      ${job.url && ['done', 'failed'].includes(job.state) && html`<a
        href=${to('pages', [], { text: job.url })}>its pages</a>`}</div>
    <${Problem} problem=${problem} />
    ${lines.length > 0 && html`<p class="soft last"><${Text} text=${lastOf(lines)} most=${200} mono /></p>`}
    ${lines.length > 1 && html`<details open=${job.state === 'failed'}><summary>All it says</summary>
      <pre class="body" tabindex="0" role="region"
      aria-label="What the capture says"><bdi>${said}</bdi></pre></details>`}</li>`;
}
