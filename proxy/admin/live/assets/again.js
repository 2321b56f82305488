// When something is asked for again: where the recorder was busy or away, and where what was had before is
// too old. Pure.

const tries = 4; // where the recorder is busy, or does not answer

/** isPassing reports that the next try may succeed: too much is asked, or the recorder is away. */
export function isPassing(problem) {
  return problem.status === 503 || problem.status === 0;
}

/** patiently does something again where it may succeed a little later. */
export async function patiently(work, signal, pause = 1000) {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (problem) {
      if (signal.aborted || !isPassing(problem) || n === tries) throw problem;
    }
    await new Promise((after) => { setTimeout(after, n * pause * (0.5 + Math.random())); });
    if (signal.aborted) throw signal.reason;
  }
}

const good = 9 * 60_000; // milliseconds for which a path of an image surely opens it

/** isFresh reports that a path of an image which was had at a time opens it now; both are in ms. */
export function isFresh(since, now) {
  return now - since < good;
}
