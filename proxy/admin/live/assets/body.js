// What the body of a message looks like: text in its charset, JSON, hex, or an image in a frame that
// may do nothing, on an origin of its own. It comes in pieces of 64 KiB.
import { html, useEffect, useState } from './html.js';
import { isFresh } from './again.js';
import { ask, isGone } from './ask.js';
import { Leaving } from './buttons.js';
import { Problem, Text } from './text.js';
import { count, size, visible, visibleLines } from './words.js';

/** @typedef {import('./types.js').Piece} Piece */

const most = 1 << 20; // characters that are shown at once; beyond it, the download

/** Body shows a body: file, offset, of ('response' or 'request'), preview. */
export function Body({ file, offset, of, preview, total, why }) {
  const kinds = [
    preview.kind === 'image' && { as: 'image', title: 'Image' },
    (preview.text || ['text', 'json'].includes(preview.kind))
      && { as: 'text', title: preview.kind === 'json' ? 'JSON' : 'Text' },
    { as: 'hex', title: 'Hex' },
  ].filter(Boolean);
  const [as, setAs] = useState(kinds[0].as);
  const [since] = useState(Date.now);
  if (!total || preview.kind === 'none') {
    return html`<p class="soft">No body${why && html`: <${Text} text=${why} />`}.</p>`;
  }
  return html`<div class="choices" role="group" aria-label="How the body is shown">${kinds.map((k) => html`
      <button key=${k.as}
        aria-pressed=${as === k.as ? 'true' : 'false'} onClick=${() => setAs(k.as)}>${k.title}</button>`)}</div>
    ${as === 'image' ? html`<${Frame} first=${preview} since=${since} file=${file} offset=${offset} />`
      : html`<${Pieces} key=${as} file=${file} offset=${offset} of=${of} as=${as} />`}`;
}

/** Frame shows an image by the path that was had first, or by a new one where that is too old. */
function Frame({ first, since, file, offset }) {
  const [told, setTold] = useState({ preview: isFresh(since, Date.now()) ? first : null, problem: null });
  const again = (signal) => ask('live/exchange', { file, offset }, signal).then(
    ({ preview }) => setTold({ preview, problem: null }),
    (problem) => isGone(problem) || setTold({ preview: null, problem }),
  );
  useEffect(() => {
    if (told.preview) return undefined;
    const gone = new AbortController();
    again(gone.signal);
    return () => gone.abort();
  }, [file, offset]);
  const { previews } = document.documentElement.dataset;
  if (!previews) {
    return html`<p class="soft">Images come from an address of their own, which this browser does not reach:
      see the setting <code>preview-listen</code>.</p>`;
  }
  if (!told.preview) return html`<${Problem} problem=${told.problem} again=${() => again()} />`;
  const source = told.preview.path && new URL(told.preview.path, previews).href;
  return html`${source && html`<iframe key=${source} class="preview" sandbox="" referrerpolicy="no-referrer"
      src=${source} title="The recorded image"></iframe>`}
    <p class="soft">From <span class="mono">${previews}</span>, which shows recorded images and nothing else. If
      nothing is seen, this browser does not reach that address (setting <code>preview-listen</code>), or cannot
      draw the image. <button class="quiet small" onClick=${() => again()}>Load it again</button></p>`;
}

// textAbove is the text that a button has made longer.
const textAbove = (button) => button.parentNode.parentNode.querySelector('pre.body');

function Pieces({ file, offset, of, as }) {
  /** @type {[{pieces: Piece[], problem: Error|null, busy: boolean}, Function]} */
  const [told, setTold] = useState({ pieces: [], problem: null, busy: true });
  const get = (from, signal) => ask('live/body', { file, offset, of, as, from }, signal).then(
    (piece) => setTold((b) => ({ pieces: from ? [...b.pieces, piece] : [piece], problem: null, busy: false })),
    (problem) => isGone(problem) || setTold((b) => ({ ...b, problem, busy: false })),
  );
  useEffect(() => {
    const gone = new AbortController();
    get(0, gone.signal);
    return () => gone.abort();
  }, [file, offset, of, as]);
  const last = told.pieces.at(-1);
  const text = told.pieces.map((p) => p.text).join('');
  const more = last?.more;
  const next = () => {
    setTold((b) => ({ ...b, busy: true }));
    get(last.to);
  };
  return html`<${Problem} problem=${told.problem} />
    ${last && html`<p class="soft">${[
      last.charset && `charset ${visible(last.charset)}`, last.coding && `coding ${visible(last.coding)} taken off`,
      last.size >= 0 && size(last.size), last.why && visible(last.why),
    ].filter(Boolean).join(' · ')}</p>`}
    ${!last && !told.problem && html`<p class="soft">Looking …</p>`}
    ${last && html`<pre class="body" tabindex="0" role="region" aria-label=${`The body as ${as}`}><bdi>${
      visibleLines(text)}</bdi></pre>`}
    ${more && (text.length < most ? html`<p><${Leaving} heir=${textAbove} aria-disabled=${told.busy}
        onClick=${next}>More: from byte ${count(last.to)}${last.size >= 0 ? ` of ${count(last.size)}` : ''}<//></p>`
      : html`<p class="soft">There is more than a page shows well: the record can be downloaded.</p>`)}`;
}
