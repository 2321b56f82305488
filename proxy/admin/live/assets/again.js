// When something is asked for again: as long as it is seen, where the recorder was busy or away, and where
// what was had before is too old. No network.

const tries = 4; // where the recorder is busy, or does not answer

/** mayPass reports that the next try may succeed: too much is asked, or the recorder is away. */
export function mayPass(problem) {
  return problem.status === 503 || problem.status === 0;
}

/** patiently does something again where it may succeed a little later. */
export async function patiently(work, signal, pause = 1000) {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (problem) {
      if (signal.aborted || !mayPass(problem) || n === tries) throw problem;
    }
    await new Promise((after) => { setTimeout(after, n * pause * (0.5 + Math.random())); });
    if (signal.aborted) throw signal.reason;
  }
}

/**
 * polled asks as long as somebody sees the page: not while it is hidden, at once when it is seen again, and one
 * question at a time, with one more behind it for all who ask meanwhile. A question takes a signal, which says
 * that nobody wants the answer any more; it answers after how many ms it is due again, 0 if by itself never.
 * again asks now, and ends when the answer is there; end is the end of the view;
 * signal is for what else the view asks.
 * @param {(signal: AbortSignal) => Promise<number|undefined>} question
 * @param {number} first after how many ms the first is asked
 * @param {Document} seen
 */
export function polled(question, first = 0, seen = document) {
  const gone = new AbortController();
  const { signal } = gone;
  let timer = 0;
  let asking = null; // the question that goes on, and the one behind it
  let due = false; // one is to be asked, as soon as it may be
  const isHidden = () => seen.visibilityState === 'hidden';
  const askAll = async () => {
    let wait = 0;
    try {
      while (due && !isHidden()) {
        due = false;
        wait = await question(signal);
        if (signal.aborted) return;
      }
    } finally {
      asking = null;
    }
    if (!due && wait > 0) later(wait);
  };
  const again = () => {
    clearTimeout(timer);
    due = true;
    if (!isHidden() && !signal.aborted) asking ??= askAll();
    return asking;
  };
  const later = (wait) => {
    due = true;
    timer = setTimeout(again, wait);
  };
  const look = () => due && !isHidden() && again();
  seen.addEventListener('visibilitychange', look);
  if (first > 0) later(first);
  else again();
  const end = () => {
    seen.removeEventListener('visibilitychange', look);
    clearTimeout(timer);
    gone.abort();
  };
  return { again, end, signal };
}

const good = 9 * 60_000; // milliseconds for which a path of an image surely opens it

/** isFresh reports that a path of an image which was had at a time opens it now; both are in ms. */
export function isFresh(since, now) {
  return now - since < good;
}
