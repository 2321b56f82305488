// A download that says what is wrong instead of saving an error as a file: the recorder is asked first
// whether there is anything to be had, and whether there is room for one more.
import { html, useEffect, useRef, useState } from './html.js';
import { ask, isGone, query } from './ask.js';
import { visible } from './words.js';

/**
 * Download is a link to what is asked for: format, and page or url with matchType, from and to; of another
 * path, what that asks for.
 */
export function Download({ path = 'live/download', asked, label }) {
  const [told, setTold] = useState({ words: '', busy: false });
  const gone = useRef(null);
  useEffect(() => () => gone.current?.abort(), []);
  const href = query(path, asked);
  const press = async (e) => {
    if (e.ctrlKey || e.metaKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    if (told.busy) return;
    gone.current = new AbortController();
    setTold({ words: '', busy: true });
    try {
      await ask(path, { ...asked, check: true }, gone.current.signal);
      setTold({ words: '', busy: false });
      save(href);
    } catch (problem) {
      if (!isGone(problem)) setTold({ words: problem.message, busy: false });
    }
  };
  return html`<a class="button" href=${href} download onClick=${press}
      aria-disabled=${told.busy ? 'true' : undefined}>${label}</a>${told.words && html`<span class="bad"
      role="alert"><bdi>${visible(told.words)}</bdi></span>`}`;
}

// save lets the browser load a file, as a link does.
function save(href) {
  const link = document.createElement('a');
  link.href = href;
  link.download = '';
  link.click();
}
