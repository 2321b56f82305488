// One exchange: its heads as the bytes they are, its body, where it lies, and by which keys it is found.
import { html, useEffect, useMemo, useState } from './html.js';
import { polled } from './again.js';
import { Refusal, ask, askText, isGone } from './ask.js';
import { Body } from './body.js';
import { Leaving } from './buttons.js';
import { lines, ofBase64, piece, promised } from './bytes.js';
import { Download } from './download.js';
import { feed } from './feed.js';
import { after } from './removed.js';
import { back, settle, to } from './routes.js';
import { Address, Copy, Problem, Text, Time } from './text.js';
import { clock, count, cut, size, some, took, visible, weight, when } from './words.js';

/** @typedef {import('./types.js').ExchangeDetail} ExchangeDetail */

const nameOf = ({ capture: { ts, url } }) => `${ts} ${url}`;

/** Exchange is the view. What was removed is shown no more; what lies elsewhere then has another address. */
export function Exchange({ route }) {
  const [file, offset] = route.names;
  /** @type {[{detail: ExchangeDetail|null, problem: Error|null}, Function]} */
  const [told, setTold] = useState({ detail: null, problem: null });
  useEffect(() => {
    let which = null;
    const { again, end } = polled(async (signal) => {
      try {
        const detail = await ask('live/exchange', { file, offset }, signal);
        which ??= nameOf(detail);
        if (which !== nameOf(detail)) throw new Refusal(404, 'This exchange was removed. Another one lies there now.');
        setTold({ detail, problem: null });
      } catch (problem) {
        if (!isGone(problem)) setTold({ detail: null, problem });
      }
      return 0;
    });
    const untap = feed.tap((e) => {
      if (e.kind !== 'removed') return;
      const now = after(e)({ kind: 'capture', file, offset: Number(offset) });
      if (!now) again();
      else if (now.offset !== Number(offset)) settle('exchange', [file, now.offset]);
    });
    return () => {
      untap();
      end();
    };
  }, [file, offset]);
  const { detail, problem } = told;
  return html`<p class="path"><button class="quiet" onClick=${back}>← Back</button></p>
    <h1 tabindex="-1">Exchange</h1><${Problem} problem=${problem} />
    ${detail ? html`<${Detail} d=${detail} file=${file} offset=${offset} />` : !problem
      && html`<p class="soft">Looking …</p>`}`;
}

function Detail({ d, file, offset }) {
  const c = d.capture;
  return html`<p class="lead"><span class="method">${visible(c.method ?? '')}</span>${' '}
      <${Address} url=${c.url} most=${600} /></p>
    <dl class="facts">
      <div><dt>Status</dt><dd class=${`s${weight(c.status)}`}><span class="code">${c.status || '–'}</span></dd></div>
      <div><dt>Type</dt><dd>${c.mime ? visible(cut(c.mime, 80)) : '–'}</dd></div>
      <div><dt>Body</dt><dd>${size(c.size)}</dd></div>
      <div><dt>In the file</dt><dd>${size(c.length)}</dd></div>
      ${Number.isFinite(c.ms) && html`<div><dt>Took</dt><dd>${took(c.ms)}</dd></div>`}
      <div><dt>Time (UTC)</dt><dd><${Time} ts=${c.ts} words=${`${c.ts.slice(0, 10)} ${clock(c.ts)}`} /></dd></div>
      <div><dt>Stored</dt><dd>${c.stored === 'response' ? 'response' : visible(c.stored ?? '')}${
        c.truncated || d.response?.truncated ? html` <span
          class="tag bad">cut: ${whyCut(d.response?.truncated)}</span>` : ''}</dd></div>
    </dl>
    <div class="buttons">
      ${d.curl && html`<${Copy} text=${d.curl} label="Copy as curl" />`}
      <${Copy} get=${() => askText('live/record', { file, offset, as: 'text' })} label="Copy WARC record" />
      <${Download} path="live/record" asked=${{ file, offset }} label="Download the record" />
      ${d.page && html`<a class="button" href=${to('page', [d.page])}>Its page</a>`}
      <a class="button" href=${to('search', [], { url: c.url })}>All captures of this URL</a></div>
    ${d.curlLacks && html`<p class="soft">As curl it leaves out: <${Text} text=${d.curlLacks} /></p>`}
    ${d.revisitOf && html`<${RevisitOf} of=${d.revisitOf} />`}
    <${Head} title="Request" message=${d.request} />
    ${d.request?.size > 0 && html`<details class="part"><summary>Request body <span
      class="soft">${size(d.request.size)}</span></summary>
      <${Body} file=${file} offset=${offset} of="request" preview=${{ kind: 'text' }}
        total=${d.request.size} /></details>`}
    <${Head} title="Response" message=${d.response} />
    <section class="part"><h2>Body</h2>
      ${d.response && (c.truncated || d.response.truncated) && html`<${Cut} message=${d.response} />`}
      <${Body} file=${file} offset=${offset} of="response" preview=${d.preview ?? { kind: 'none' }}
        total=${d.response?.size ?? 0} why=${d.why} /></section>
    <${Keys} keys=${d.keys} />
    <${Records} d=${d} file=${file} offset=${offset} />`;
}

const cuts = { length: 'it was too long', time: 'it took too long', disconnect: 'the connection broke off' };

function whyCut(word) {
  return cuts[word] ?? visible(word || 'the record does not say why');
}

// Cut says how much of a body is there, and how much there should be.
function Cut({ message }) {
  const want = promised(ofBase64(message.head));
  return html`<p class="notice bad">This body is cut: ${whyCut(message.truncated)}. ${some(message.size,
    'byte')} came${want > message.size ? `, of the ${count(want)} that its head says`
    : '; its head does not say how many there should be'}.</p>`;
}

function RevisitOf({ of }) {
  return html`<p class="notice">A revisit: the same body is there already, of
    ${' '}<${Text} text=${of.uri} most=${200} mono /> at ${when(of.date)} UTC. ${of.file
      && html`<a href=${to('exchange', [of.file, of.offset])}>See that one</a>`}</p>`;
}

// headAbove is the head that a button has made longer.
const headAbove = (button) => button.closest('details').querySelector('pre');

function Head({ title, message }) {
  const [shown, setShown] = useState(piece);
  const bytes = useMemo(() => ofBase64(message?.head), [message?.head]);
  if (!message) return html`<section class="part"><h2>${title}</h2><p class="soft">Not recorded.</p></section>`;
  const head = lines(bytes, shown);
  return html`<details class="part" open><summary>${title}</summary>
    <pre class="head" tabindex="0" role="region" aria-label=${`Head of the ${title.toLowerCase()}`}>
      <bdi>${head.lines.map((line, i) => html`<span
      key=${i} class=${i ? 'field' : 'start'}>${partsOf(line, i)}${'\n'}</span>`)}</bdi></pre>
    ${head.cut && html`<p><${Leaving} heir=${headAbove} onClick=${() => setShown(shown + 4 * piece)}>
      More of the head: ${size(shown)} of ${size(bytes.length)} are shown<//></p>`}</details>`;
}

// partsOf sets a field's name apart, if the line has one in its first part.
function partsOf(line, i) {
  return line.map((part, j) => {
    if (part.code) return html`<span class="written" key=${j}>${part.code}</span>`;
    const colon = i && j === 0 ? part.text.indexOf(':') : -1;
    return colon > 0 ? html`<span class="name" key=${j}>${part.text.slice(0, colon)}</span>${part.text.slice(colon)}`
      : part.text;
  });
}

const dialects = ['pywb', 'spec', 'warciojs', 'path', 'wwwoffle', 'form', 'query'];

function Keys({ keys }) {
  const names = Object.keys(keys ?? {});
  names.sort((a, b) => dialects.indexOf(a) - dialects.indexOf(b));
  if (!names.length) return null;
  return html`<section class="part"><h2>Keys</h2><p class="soft">By which it is found, in each dialect.</p>
    <dl class="table">${names.map((name) => html`<div key=${name}><dt>${visible(name)}</dt>
      <dd><${Text} text=${keys[name]} most=${400} mono />${' '}<${Copy} text=${keys[name]}
        label="Copy" quiet /></dd></div>`)}</dl></section>`;
}

function Records({ d, file, offset }) {
  const place = `${file} ${offset}`;
  return html`<section class="part"><h2>Records</h2>
    <p>In <span class="mono">${visible(file)}</span> at <span class="mono">${count(Number(offset))}</span>${' '}
      <${Copy} text=${place} label="Copy file and offset" quiet /></p>
    <div class="scroll" tabindex="0" role="region" aria-label="Records"><table class="plain">
      <thead><tr><th scope="col">Type</th><th scope="col" class="number">Offset</th><th scope="col"
        class="number">Length</th>
        <th scope="col">Record ID and digests</th></tr></thead>
      <tbody>${(d.records ?? []).map((r) => html`<tr key=${r.offset}><td>${visible(r.type)}</td>
        <td class="number">${count(r.offset)}</td><td class="number">${count(r.length)}</td>
        <td class="mono">${visible(r.id)}${Object.entries(r.digests ?? {}).map(([name, digest]) => html`<div
          key=${name}>
          <span class="soft">${visible(name)}</span> ${visible(digest)}</div>`)}</td></tr>`)}</tbody></table></div>
    ${d.metadata && html`<h3>Metadata</h3><pre class="body" tabindex="0" role="region" aria-label="Metadata"><${Text}
      text=${d.metadata} lines most=${20000} /></pre>`}
  </section>`;
}
