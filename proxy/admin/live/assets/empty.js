// Nothing is recorded yet: the two ways to begin.
import { html } from './html.js';
import { useHeir } from './buttons.js';
import { Capture } from './capture.js';
import { to } from './routes.js';
import { Copy, Text } from './text.js';

/** Empty says them. */
export function Empty({ recorder }) {
  const box = useHeir(); // what comes takes its place, also of a field in it
  const address = document.documentElement.dataset.proxy || location.host;
  if (recorder.off || recorder.paused || recorder.state === 'broken') {
    return html`<div class="empty" ref=${box}><h1 tabindex="-1">Nothing is recorded yet</h1>
      <p class="notice">${recorder.state === 'broken' ? 'The recorder does not answer: start it first.'
        : recorder.paused ? html`Recording is paused: what goes through the recorder is not kept.
          ${' '}<a href=${to('control')}>Resume it</a>`
          : html`Nothing can be recorded now: <${Text} text=${recorder.off} />.`}</p></div>`;
  }
  return html`<div class="empty" ref=${box}><h1 tabindex="-1">Nothing is recorded yet</h1>
    <p class="soft">This page fills by itself as soon as something goes through the recorder.</p>
    <section><h2>Browse through the recorder</h2>
      <p>Set this as the proxy of a browser or a program, for HTTP and for HTTPS too:</p>
      <p class="big"><code>${address}</code>${' '}<${Copy} text=${address} /></p>
      <p><a href="trust">Set up a browser, step by step</a>: it must trust the recorder's certificate.
        ${' '}Or let <code>warcorder browser</code> open one that is ready.</p></section>
    ${recorder.control && html`<section><h2>Or capture a page from here</h2>
      <p>A browser without a window opens it through the recorder, with all that belongs to it.</p>
      <${Capture} recorder=${recorder} /></section>`}</div>`;
}
