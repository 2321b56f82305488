// What the recorder does, and how it is with disk, queue and files.
import { html, useEffect, useState } from './html.js';
import { polled } from './again.js';
import { ask, isGone } from './ask.js';
import { Bars, Series } from './chart.js';
import { to } from './routes.js';
import { gapsOf, joined, queueOf, untilFull } from './overviews.js';
import { Problem, Text } from './text.js';
import { count, size, some, visible, when } from './words.js';

const often = 10_000;

/** Overview is the view. */
export function Overview({ recorder }) {
  const [told, setTold] = useState({ o: null, problem: null });
  const [span, setSpan] = useState('hour');
  useEffect(() => {
    let known = null;
    const { end } = polled(async (signal) => {
      try {
        const since = known?.rates.at(-1)?.ts;
        known = joined(known, await ask('live/overview', { since }, signal));
        setTold({ o: known, problem: null });
      } catch (problem) {
        if (!isGone(problem)) setTold((b) => ({ ...b, problem }));
      }
      return often;
    });
    return end;
  }, []);
  const { o, problem } = told;
  const hour = span === 'hour';
  return html`<div class="title"><h1 tabindex="-1">Overview</h1>
      <div class="choices" role="group" aria-label="Span of the charts">
        <button aria-pressed=${hour ? 'true' : 'false'} onClick=${() => setSpan('hour')}>Last hour</button>
        <button aria-pressed=${hour ? 'false' : 'true'} onClick=${() => setSpan('day')}>Last day</button></div></div>
    ${(problem?.status !== 0 || recorder.state !== 'broken') && html`<${Problem} problem=${problem} />`}
    ${o ? html`<${Charts} samples=${(hour ? o.rates : o.day) ?? []} seconds=${hour ? 10 : 60} />
      <div class="columns"><${Bars} title="By type" under="since the recorder began" rows=${o.byType ?? []}
          others=${o.otherTypes} value=${(r) => r.bytes} say=${figures} />
        <${Bars} title="By host" under="since the recorder began" rows=${o.byHost ?? []} others=${o.otherHosts}
          value=${(r) => r.bytes} say=${figures} link=${(r) => to('exchanges', [], { host: r.name })} />
        <${Bars} title="Gaps" under="of the whole collection" none="The collection has none." worded
          rows=${gapsOf(o.gaps)} value=${(r) => r.n} say=${(r) => count(r.n)} />
        <${State} o=${o} /></div>
      <${Files} files=${o.files ?? []} more=${o.moreFiles ?? 0} />`
      : !problem && html`<p class="soft">Looking …</p>`}`;
}

const figures = (r) => html`${count(r.captures)}<span class="soft"> · ${size(r.bytes)}</span>`;

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
      values=${revisits} say=${rate} ...${all} />
    <${Series} title="Gaps" figure=${count(sum(gaps))} values=${gaps} say=${rate} ...${all} /></div>`;
}

function State({ o }) {
  const { disk = {}, queue = {}, recorder = {}, verify } = o;
  const rows = [
    ['State', stateOf(recorder)],
    ['Disk', html`${disk.free == null ? 'free space not known' : `${size(disk.free)} free`}${disk.minFree > 0
      && html`<span class="soft"> · recording stops at ${size(disk.minFree)}</span>`}`],
    ['Full in', html`<${Full} words=${untilFull(disk)} />`],
    ['Queue', html`<${Queue} figures=${queueOf(queue)} />`],
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

function Full({ words: [figure, rest] }) {
  return html`${figure}${rest && html` <span class="soft">${rest}</span>`}`;
}

function Queue({ figures: [first, ...rest] }) {
  return html`${first ?? 'empty'}${rest.map((words) => html`<span class="soft" key=${words}> · ${words}</span>`)}`;
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
