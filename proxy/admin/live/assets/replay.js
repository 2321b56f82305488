// A page opens under replay: in a browser that the recorder starts, or by what it says to do.
import { html, useState } from './html.js';
import { ask, tell } from './ask.js';
import { Copy, Dialog, Problem, Text } from './text.js';

/** Replay is the button, and what comes of it. */
export function Replay({ url, ts, control }) {
  const [told, setTold] = useState({ answer: null, problem: null, busy: false });
  const press = async () => {
    setTold({ answer: null, problem: null, busy: true });
    try {
      setTold({ answer: await (control ? tell : ask)('live/replay', { url, ts }), problem: null, busy: false });
    } catch (problem) {
      setTold({ answer: null, problem, busy: false });
    }
  };
  const close = () => setTold({ answer: null, problem: null, busy: false });
  return html`<button class="first"
    aria-disabled=${told.busy} onClick=${press}>${told.busy ? 'Opening …' : 'Replay'}</button>
    ${(told.answer || told.problem) && html`<${Dialog} title="Replay" close=${close}>
      <${Problem} problem=${told.problem} />${told.answer && html`<${Answer} answer=${told.answer} />`}
      <p class="buttons"><button onClick=${close}>Close</button></p><//>`}`;
}

function Answer({ answer }) {
  if (answer.started) return html`<p>A browser has opened, with the page as it was recorded.</p>`;
  if (answer.command) {
    return html`${answer.why && html`<p class="soft">No browser has opened: <${Text} text=${answer.why} />.</p>`}
      <p>Run this where the collection lies:</p>
      <pre class="body"><code><${Text} text=${answer.command} most=${4000} /></code></pre>
      <p><${Copy} text=${answer.command} label="Copy the command" /></p>`;
  }
  return html`<p>The recorder has not said how.</p>`;
}
