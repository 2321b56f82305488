// Whether single characters are keys of the page. Whoever speaks to the browser, or types with a device of
// their own, may not want them (WCAG 2.1.4).

const name = 'warcorder-shortcuts';
let on = true;
try {
  on = localStorage.getItem(name) !== 'off';
} catch { /* a browser that stores nothing: on, as long as nobody turns them off */ }

/** areOn reports that they are. */
export const areOn = () => on;

/** turn turns them on or off, and the browser remembers that if it stores anything. */
export function turn(to) {
  on = to;
  try {
    localStorage.setItem(name, on ? 'on' : 'off');
  } catch { /* then it holds as long as the page is open */ }
}

/** isMeant reports that a key was pressed for the page: alone, in no field, and with no dialog open. */
export function isMeant(e) {
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing) return false;
  if (e.key.length === 1 && !on) return false;
  const field = 'input:not([type=checkbox]):not([type=radio]), textarea, select';
  return !e.target.matches?.(field) && !document.querySelector('dialog[open]');
}
