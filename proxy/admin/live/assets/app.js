// The page: what is above all views, and which of them is seen.
import { html, render, useEffect, useErrorBoundary, useRef, useState } from './html.js';
import { feed } from './feed.js';
import { Recorder, useRecorder } from './recorder.js';
import { Keys } from './keys.js';
import { back, here, to, watch } from './routes.js';
import { isMeant } from './shortcuts.js';
import { Pages } from './pages.js';
import { PageView } from './page.js';
import { Exchanges } from './exchanges.js';
import { Exchange } from './exchange.js';
import { Overview } from './overview.js';
import { Search } from './search.js';
import { Control } from './control.js';

const tabs = [
  { view: 'pages', title: 'Pages', shows: ['pages', 'page'] },
  { view: 'exchanges', title: 'Exchanges', shows: ['exchanges', 'exchange'] },
  { view: 'overview', title: 'Overview', shows: ['overview'] },
  { view: 'search', title: 'Search', shows: ['search'] },
  { view: 'control', title: 'Control', shows: ['control'] },
];

const views = {
  pages: Pages, page: PageView, exchanges: Exchanges, exchange: Exchange, overview: Overview,
  search: Search, control: Control,
};

function Nothing() {
  return html`<h1 tabindex="-1">Nothing here</h1>
    <p>This address names no view. <a href=${to('pages')}>The pages</a></p>`;
}

/** View is one of the views; what goes wrong in it does not take the rest along. */
function View({ route, recorder }) {
  const [problem, forget] = useErrorBoundary((e) => console.error(e));
  if (problem) {
    return html`<h1 tabindex="-1">This view has broken</h1><p>${String(problem.message)}</p>
      <button onClick=${forget}>Show it again</button>`;
  }
  const Shown = views[route.view] ?? Nothing;
  // A view of something else is a new one: nothing of the old must stay.
  return html`<${Shown} key=${[route.view, ...route.names].join('/')} route=${route} recorder=${recorder} />`;
}

function App() {
  const [route, setRoute] = useState(here);
  const [keys, setKeys] = useState(false);
  const recorder = useRecorder();
  const main = useRef(null);
  const stepped = useRef(false);
  useEffect(() => watch((step) => {
    stepped.current = step;
    setRoute(here());
  }), []);
  useEffect(() => {
    const tab = tabs.find((t) => t.shows.includes(route.view));
    document.title = tab ? `${tab.title} – warcorder` : 'warcorder';
    if (!stepped.current) return;
    stepped.current = false;
    scrollTo(0, 0);
    if (!main.current.contains(document.activeElement)) {
      main.current.querySelector('h1')?.focus({ preventScroll: true });
    }
  }, [route]);
  useKeys(() => setKeys(true));
  const skip = (e) => {
    e.preventDefault();
    main.current.querySelector('h1')?.focus();
  };
  return html`<header class="top">
      <a class="skip" href=${to(route.view, route.names)} onClick=${skip}>Skip to the content</a>
      <a class="brand" href=${to('pages')}>warcorder</a>
      <nav aria-label="Views"><ul>${tabs.map((t) => html`<li key=${t.view}><a href=${to(t.view)}
        aria-current=${t.shows.includes(route.view) ? 'page' : undefined}>${t.title}</a></li>`)}</ul></nav>
      <${Recorder} recorder=${recorder} />
      <button class="quiet help" onClick=${() => setKeys(true)} aria-label="Keys of this page"
        title="Keys of this page (?)">?</button>
    </header>
    <main id="main" ref=${main}><${View} route=${route} recorder=${recorder} /></main>
    ${keys && html`<${Keys} close=${() => setKeys(false)} />`}`;
}

// leaves reports that somebody wants to leave a field: a word that is still being composed is not all of it.
function leaves(e) {
  return e.key === 'Escape' && !e.defaultPrevented && !e.isComposing && !e.ctrlKey && !e.metaKey && !e.altKey;
}

/** useKeys are the keys that all views have. */
function useKeys(help) {
  useEffect(() => {
    const press = (e) => {
      if (!isMeant(e)) {
        if (leaves(e) && !document.querySelector('dialog[open]')) e.target.blur?.();
        return;
      }
      if (e.key === 'Escape') back();
      else if (e.key === '?') help();
      else if (e.key === '/') {
        const field = document.querySelector('main [data-find]');
        if (!field) return;
        field.focus();
        field.select();
      } else if (/^[1-5]$/.test(e.key)) location.hash = to(tabs[e.key - 1].view);
      else return;
      e.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

// A button that waits for something stays where the focus is, which a disabled one would lose.
document.addEventListener('click', (e) => {
  if (!e.target.closest?.('[aria-disabled=true]')) return;
  e.preventDefault();
  e.stopPropagation();
}, true);
feed.start();
const root = document.getElementById('app');
root.replaceChildren();
render(html`<${App} />`, root);
