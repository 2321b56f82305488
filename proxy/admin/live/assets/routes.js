// Where one is: #/page/ID, #/exchanges?host=…. All of it is in the address, so that it can be kept
// and handed on.

let depth = history.state?.depth ?? 0; // steps that were made on this page, up to here
const watchers = new Set();

/** here is the route: its view, what is named, its parameters. */
export function here() {
  const [path, q = ''] = location.hash.replace(/^#\/?/, '').split(/\?(.*)/s);
  const [view, ...names] = path.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { view: view || 'pages', names, parameters: Object.fromEntries(new URLSearchParams(q)) };
}

/** to is the address of a route. */
export function to(view, names = [], parameters = {}) {
  const kept = Object.entries(parameters).filter(([, v]) => v !== '' && v !== null && v !== undefined);
  const q = new URLSearchParams(kept).toString();
  return `#/${[view, ...names.map((n) => encodeURIComponent(n))].join('/')}${q ? `?${q}` : ''}`;
}

/** go goes there. */
export function go(...route) {
  location.hash = to(...route);
}

/**
 * settle says anew where one is, without a step back to where one was: what is typed into a filter, or
 * another place of what is shown, which is a view of its own.
 */
export function settle(...route) {
  const [before] = location.hash.split('?');
  history.replaceState({ depth }, '', to(...route));
  const isOther = location.hash.split('?')[0] !== before && before !== '';
  for (const watcher of watchers) watcher(isOther);
}

const above = { page: 'pages', exchange: 'exchanges' };

/** back goes out of what is in a list, to where one came from on this page, or else to the list. */
export function back() {
  const parent = above[here().view];
  if (parent && depth > 0) history.back();
  else if (parent) go(parent);
}

/** watch calls back when the route is another, with whether that was a step; it returns the end. */
export function watch(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

addEventListener('hashchange', () => {
  if (history.state?.depth === undefined) history.replaceState({ depth: depth + 1 }, '');
  depth = history.state.depth;
  for (const watcher of watchers) watcher(true);
});
