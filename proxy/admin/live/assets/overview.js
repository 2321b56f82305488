// What the recorder does, and how it is with disk, queue and files.
import { html, useEffect, useState } from './vendor/htm-3.1.1/standalone.module.js';
import { ask, isGone } from './ask.js';
import { Bars, Series } from './chart.js';
import { to } from './routes.js';
import { Problem, Text } from './text.js';
import { count, lasts, reason, size, some, visible, when } from './words.js';

const often = 10_000;

/** Overview is the view. */
export function Overview({ recorder }) {
  const [told, setTold] = useState({ o: recorder.overview, problem: null });
  const [span, setSpan] = useState('hour');
  useEffect(() => {
    const gone = new AbortController();
    let timer = 0;
    const get = async () => {
      try {
        if (document.visibilityState === 'visible') {
          const o = await ask('live/overview', {}, gone.signal);
          setTold({ o, problem: null });
        }
      } catch (problem) {
        if (isGone(problem)) return;
        setTold((b) => ({ ...b, problem }));
      }
      timer = setTimeout(get, often);
    };
    get();
    return () => {
      gone.abort();
      clearTimeout(timer);
    };
  }, []);
  const { o, problem } = told;
  const hour = span === 'hour';
  return html`<div class="title"><h1 tabindex="-1">Overview</h1>
      <div class="choices" role="group" aria-label="Span of the charts">
        <button aria-pressed=${hour ? 'true' : 'false'} onClick=${() => setSpan('hour')}>Last hour</button>
        <button aria-pressed=${hour ? 'false' : 'true'} onClick=${() => setSpan('day')}>Last day</button></div></div>
    ${(problem?.status !== 0 || recorder.state !== 'broken') && html`<${Problem} problem=${problem} />`}
    ${o ? html`<${Charts} samples=${(hour ? o.rates : o.day) ?? []} seconds=${hour ? 10 : 60} />
      <div class="columns"><${Bars} title="By type" rows=${o.byType ?? []} value=${(r) => r.bytes}
          say=${(r) => html`${count(r.captures)}<span class="soft"> · ${size(r.bytes)}</span>`} />
        <${Bars} title="By host" rows=${o.byHost ?? []} value=${(r) => r.bytes}
          say=${(r) => html`${count(r.captures)}<span class="soft"> · ${size(r.bytes)}</span>`}
          link=${(r) => r.name !== 'others' && to('exchanges', [], { host: r.name })} />
        <${Bars} title="Gaps" worded rows=${gapsOf(o.gaps)} value=${(r) => r.n} say=${(r) => count(r.n)} />
        <${State} o=${o} /></div>
      <${Files} files=${o.files ?? []} more=${o.moreFiles ?? 0} />`
      : !problem && html`<p class="soft">Looking …</p>`}`;
}

function gapsOf(gaps) {
  return Object.entries(gaps ?? {}).map(([word, n]) => ({ name: reason(word), n }))
    .filter((g) => g.n > 0).sort((a, b) => b.n - a.n);
}

function Charts({ samples, seconds }) {
  const of = (name) => samples.map((s) => s[name] ?? 0);
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const [exchanges, bytes, stored, revisits, gaps] = ['exchanges', 'bytes', 'stored', 'revisits', 'gaps'].map(of);
  const kept = sum(stored) + sum(revisits);
  const rate = (n) => (n < 10 ? n.toFixed(1) : count(Math.round(n)));
  const all = { samples, seconds };
  return html`<div class="charts">
    <${Series} title="Exchanges" figure=${count(sum(exchanges))} values=${exchanges} say=${rate} ...${all} />
    <${Series} title="Bytes" figure=${size(sum(bytes))} values=${bytes} say=${size} ...${all} />
    <${Series} title="Deduplicated"
      figure=${kept ? `${Math.round(100 * sum(revisits) / kept)} % of ${count(kept)}` : '–'}
      values=${stored.map((s, i) => s + revisits[i])} second=${revisits} say=${rate} ...${all} />
    <${Series} title="Gaps" figure=${count(sum(gaps))} values=${gaps} say=${rate} ...${all} /></div>`;
}

function State({ o }) {
  const { disk = {}, queue = {}, recorder = {}, verify } = o;
  const rows = [
    ['State', stateOf(recorder)],
    ['Disk', html`${size(disk.free)} free${disk.minFree > 0 && html`<span
      class="soft"> · recording stops at ${size(disk.minFree)}</span>`}`],
    ['Full in', disk.secondsUntilFull > 0 ? html`${lasts(disk.secondsUntilFull)} <span
      class="soft">at the rate of now</span>` : 'not at the rate of now'],
    ['Queue', html`<${Queue} queue=${queue} />`],
    ['Last verify', verify ? html`<${Verified} verify=${verify} />`
      : html`never: <code>warcorder verify</code> compares files and index`],
    ['Listening', recorder.address], ['Proxy to set', document.documentElement.dataset.proxy],
    ['Collection', recorder.dir || recorder.collection],
    ['Running since', when(recorder.started)], ['Version', recorder.version],
  ];
  return html`<section class="card"><h2>Recorder</h2><dl
    class="table">${rows.filter(([, v]) => v).map(([name, v]) => html`
    <div key=${name}><dt>${name}</dt><dd>${typeof v === 'string' ? html`<${Text}
      text=${v} />` : v}</dd></div>`)}</dl></section>`;
}

function stateOf({ paused, since, reason: why }) {
  if (paused) return `paused${since ? ` since ${when(since)}` : ''}`;
  return why ? `not recording: ${why}` : 'recording';
}

// Verified says what the last verify has found; one that is not to be believed has words alone.
function Verified({ verify }) {
  const words = verify.words && html`<${Text} text=${verify.words} />`;
  if (!verify.ts) return html`<span class="tag">not known</span> <span class="soft">${words}</span>`;
  return html`<span class=${`tag ${verify.ok ? 'good' : 'bad'}`}>${verify.ok ? 'in order'
    : some(verify.problems, 'problem')}</span><span class="soft"> ${when(verify.ts)}${words && ' · '}${words}</span>`;
}

// Queue shows what the recorder says of it, whatever it has: figures under their names.
function Queue({ queue }) {
  const figures = Object.entries(queue).filter(([, v]) => typeof v === 'number');
  if (!figures.length) return 'empty';
  const word = (name) => visible(name).replace(/([A-Z])/g, ' $1').toLowerCase();
  return html`${figures.map(([name, v], i) => html`<span
    key=${name}>${i > 0 && ' · '}${/bytes/i.test(name) ? size(v) : count(v)}
    <span class="soft"> ${word(name)}</span></span>`)}`;
}

function Files({ files, more }) {
  if (!files.length) return null;
  return html`<section class="part"><h2>Files</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Files"><table class="plain">
      <thead><tr><th scope="col">Name</th><th scope="col">State</th>
        <th scope="col" class="number">Size</th><th scope="col" class="number">Not in the index yet</th></tr></thead>
      <tbody>${files.map((f) => html`<tr key=${f.name}><td class="mono">${visible(f.name)}</td>
        <td><span class=${`tag ${{ open: 'now', finished: 'good' }[f.state] ?? 'bad'}`}>${visible(f.state)}</span></td>
        <td class="number">${size(f.size)}</td>
        <td class="number">${f.size > f.indexed ? size(f.size - f.indexed) : '–'}</td></tr>`)}</tbody></table></div>
    ${more > 0 && html`<p class="soft">and ${some(more, 'older file')}</p>`}</section>`;
}
