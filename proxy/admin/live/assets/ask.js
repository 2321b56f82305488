// Questions to the recorder. All paths are relative: the page also works below a prefix, and asks
// nobody else.

const patience = 30_000;

/** Refusal is an answer that is none, with what the recorder says about it. */
export class Refusal extends Error {
  constructor(status, words) {
    super(words);
    this.status = status;
  }
}

/** query is a path with parameters; those that are empty are left out. */
export function query(path, parameters = {}) {
  const q = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== '' && value !== null && value !== undefined) q.set(name, value);
  }
  const text = q.toString();
  return text ? `${path}?${text}` : path;
}

async function answer(path, options) {
  const { signal: own, ...rest } = options;
  const limits = [AbortSignal.timeout(patience)];
  if (own) limits.push(own);
  let response;
  try {
    response = await fetch(path, {
      credentials: 'same-origin', cache: 'no-store', ...rest, signal: AbortSignal.any(limits),
    });
  } catch (problem) {
    if (own?.aborted) throw problem;
    throw new Refusal(0, 'The recorder does not answer. Is it still running?');
  }
  if (!response.ok) throw new Refusal(response.status, await wordsOf(response));
  return response;
}

async function wordsOf(response) {
  const text = await response.text().catch(() => '');
  try {
    const { error } = JSON.parse(text);
    if (error) return String(error);
  } catch { /* not one of our answers: its beginning must do */ }
  return text.slice(0, 300) || `The recorder answers ${response.status}.`;
}

/** ask gets what is JSON. */
export async function ask(path, parameters, signal) {
  return (await answer(query(path, parameters), { signal })).json();
}

/** askText gets what is text. */
export async function askText(path, parameters, signal) {
  return (await answer(query(path, parameters), { signal })).text();
}

/** askBytes gets what is neither. */
export async function askBytes(path, parameters, signal) {
  return (await answer(query(path, parameters), { signal })).blob();
}

/** tell changes something, and gets what the recorder says then. */
export async function tell(path, form = {}) {
  const response = await answer(path, { method: 'POST', body: new URLSearchParams(form) });
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

/** isGone reports that nobody wants the answer any more. */
export function isGone(problem) {
  return problem?.name === 'AbortError';
}
