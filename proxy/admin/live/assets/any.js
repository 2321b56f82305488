// Whether the index has anything of what is asked, without all of it.
import { useEffect, useState } from './html.js';
import { askText, isGone } from './ask.js';

/**
 * useAny reports whether the index has a capture of one of these questions; null as long as that is not
 * known, and where nothing is asked. It asks after so many ms, and anew when round is another.
 */
export function useAny(questions, wait = 0, round = 0) {
  const [has, setHas] = useState(null);
  useEffect(() => {
    if (!questions.length) return undefined;
    const gone = new AbortController();
    const any = (question) => askText('cdx/search/cdx', { ...question, all: true, limit: 1, fl: 'timestamp' },
      gone.signal);
    const timer = setTimeout(() => Promise.all(questions.map(any)).then(
      (texts) => setHas(texts.some((text) => text.trim() !== '')),
      (problem) => isGone(problem) || setHas(null),
    ), wait);
    return () => {
      clearTimeout(timer);
      gone.abort();
    };
  }, [JSON.stringify(questions), round]);
  return has;
}
