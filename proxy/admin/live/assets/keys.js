// The keys of the page, on one sheet.
import { html, useState } from './html.js';
import { areOn, turn } from './shortcuts.js';
import { Dialog } from './text.js';

const keys = [
  ['1 … 5', 'Pages, exchanges, overview, search, control'],
  ['/', 'To the filter or the search of the view'],
  ['↑ ↓', 'Up and down in a list; Page up, Page down, Home and End too'],
  ['Enter', 'Open what is chosen'],
  ['Esc', 'Out of a field, then back to the list'],
  ['p', 'In the exchanges: hold the view, or go on'],
  ['e', 'In the exchanges: to the newest, and follow them'],
  ['?', 'This sheet'],
];

/** Keys shows them. */
export function Keys({ close }) {
  const [on, setOn] = useState(areOn);
  const flip = () => {
    turn(!on);
    setOn(areOn());
  };
  return html`<${Dialog} title="Keys" close=${close}>
    <dl class="keys">${keys.map(([key, words]) => html`<div key=${key}>
      <dt><kbd>${key}</kbd></dt><dd>${words}</dd></div>`)}</dl>
    <p class="soft" role="status">${on ? 'Single characters are keys of this page.'
      : 'Single characters are no keys of this page.'}</p>
    <p class="buttons"><button type="button" onClick=${flip}>${on ? 'Turn these off' : 'Turn them on'}</button>
      <button type="button" onClick=${close}>Close</button></p><//>`;
}
