// Small things that all views show: recorded text, copying, a question before something goes.
// Recorded text goes in as text, and nothing that was recorded becomes a link to where it came from.
import { html, useEffect, useRef, useState } from './html.js';
import { Leaving } from './buttons.js';
import { count, cut, visible, visibleLines } from './words.js';

/** Text is recorded text on one line or several, apart from the direction of what is around it. */
export function Text({ text, most = 300, lines = false, mono = false }) {
  const [all, setAll] = useState(false);
  const long = String(text ?? '').length > most;
  const show = lines ? visibleLines : visible;
  return html`<bdi class=${mono ? 'mono' : ''}>${show(all ? text : cut(text, most))}</bdi>${long && html`
    ${' '}<button class="quiet small" onClick=${() => setAll(!all)}>
      ${all ? 'less' : `all ${count(text.length)} characters`}</button>`}`;
}

/** copy puts text on the clipboard, also where the page is no secure context. */
export async function copy(text) {
  if (navigator.clipboard && window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.className = 'away';
  // beside a dialog that is open nothing can be selected
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const done = document.execCommand('copy');
  area.remove();
  if (!done) throw new Error('this browser does not let the page copy');
}

/** Copy is a button that copies what it is given, or what it then gets. */
export function Copy({ text, get, label = 'Copy', quiet = false }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (!said) return undefined;
    const timer = setTimeout(() => setSaid(''), 2500);
    return () => clearTimeout(timer);
  }, [said]);
  const press = async () => {
    try {
      await copy(get ? await get() : text);
      setSaid('Copied');
    } catch (problem) {
      setSaid(`Not copied: ${problem.message}`);
    }
  };
  return html`<button type="button" class=${quiet ? 'quiet small' : ''} onClick=${press}>
    ${said || label}</button><span class="away" role="status">${said}</span>`;
}

/** Address is a recorded URL: text with a button that copies it, never a link. */
export function Address({ url, most = 500 }) {
  return html`<span class="address"><${Text} text=${url} most=${most} mono />
    ${' '}<${Copy} text=${url} label="Copy URL" quiet /></span>`;
}

/** Time is a time in UTC. */
export function Time({ ts, words }) {
  return html`<time datetime=${ts} title=${`${visible(ts)} (UTC)`}>${words}</time>`;
}

/** Problem says what did not work, and lets one try again. */
export function Problem({ problem, again }) {
  if (!problem) return null;
  return html`<div class="notice bad" role="alert"><p><${Text} text=${problem.message} /></p>
    ${problem.status === 401 ? html`<button type="button" onClick=${() => location.reload()}>Load the page
      again</button>` : again && html`<${Leaving} type="button" onClick=${again}>Try again<//>`}</div>`;
}

/** Dialog shows something over the page until it is closed; Escape closes it. */
export function Dialog({ title, close, children }) {
  const box = useRef(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current.showModal();
    // Behind a dialog that is still open nothing takes the focus.
    return () => queueMicrotask(() => before?.isConnected && before.focus());
  }, []);
  useEffect(() => { // a button that was pressed may have gone with what it did
    if (box.current.open && document.activeElement === document.body) box.current.querySelector('h2').focus();
  });
  return html`<dialog ref=${box} aria-labelledby="dialog-title" onClose=${close}
    onCancel=${(e) => { e.stopPropagation(); close(); }}>
    <h2 id="dialog-title" tabindex="-1">${title}</h2>${children}</dialog>`;
}

/** Status is said by screen readers when it changes, and only then. */
export function Status({ children, hidden }) {
  return html`<p class=${hidden ? 'away' : 'soft'} role="status">${children}</p>`;
}

/** useSlow gives a value as it was at most so often: what changes ten times a second is not said. */
export function useSlow(value, ms = 5000) {
  const [shown, setShown] = useState(value);
  const latest = useRef(value);
  latest.current = value;
  useEffect(() => {
    const timer = setInterval(() => setShown(latest.current), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return shown;
}
