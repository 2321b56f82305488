// What a browser asks for and what it gets, seen from the browser: the same eyes for the origin and
// for each replayer.
import crypto from 'node:crypto';

// A replayer that rewrites has the recorded URL behind its own: /collection/20260102030405mp_/URL.
const rewritten = /^http:\/\/127\.0\.0\.1:\d+\/[^?]*?\/(https?:\/.*)$/;
const own = /\/static\/wombat/; // pywb asks for it below the recorded host
const sha256 = (bytes) => crypto.createHash('sha256').update(bytes).digest('hex');

// pairsOf is what a request says, as name=value: of its query, and of its body if that is JSON or a
// form.
function pairsOf(url, sent) {
  const said = [...new URL(url).searchParams];
  const text = sent && sent.length < 1 << 20 ? sent.toString() : '';
  try {
    said.push(...Object.entries(JSON.parse(text)).map(([name, value]) => [name, JSON.stringify(value)]));
  } catch {
    if (/^[^\s=&]+=\S*$/.test(text)) said.push(...new URLSearchParams(text));
  }
  return said.map((pair) => sha256(pair.join('=')).slice(0, 12));
}

// answers notes each request of the browser: its method, its recorded URL, digest of what it sends,
// Range; the status and type of the answer, the digest of its body where the browser tells it, or
// the error. Returns a function that returns them, at most 5 seconds later.
export function answers(browser, rewrites) {
  const requests = new Map();
  const bodies = [];
  const recorded = (request) => {
    const url = request.url().split('#')[0];
    return rewrites ? rewritten.exec(url)?.[1].replace(/^(https?:)\/+/, '$1//') : url;
  };
  browser.on('request', (request) => {
    const url = recorded(request);
    if (!url?.startsWith('http') || (rewrites && own.test(url))) return;
    const sent = request.postDataBuffer();
    requests.set(request, {
      method: request.method(), url, range: request.headers().range ?? null,
      sent: sent && sha256(sent), pairs: pairsOf(url, sent),
      status: null, type: '', body: null, error: null,
    });
  });
  browser.on('response', (response) => {
    const one = requests.get(response.request());
    if (!one) return;
    one.status = response.status();
    one.type = (response.headers()['content-type'] ?? '').split(';')[0].trim().toLowerCase();
    if (one.method === 'HEAD' || (one.status >= 300 && one.status < 400)) return;
    bodies.push(response.body().then((body) => { one.body = sha256(body); }).catch(() => {}));
  });
  browser.on('requestfailed', (request) => {
    const one = requests.get(request);
    if (one) one.error = request.failure()?.errorText ?? 'failed';
  });
  return async () => {
    await Promise.race([Promise.all(bodies), new Promise((done) => { setTimeout(done, 5000); })]);
    // A redirect to the same URL is the replayer's own, to another time.
    return [...requests].filter(([request, { url }]) => {
      const next = request.redirectedTo();
      return !next || recorded(next) !== url;
    }).map(([, one]) => one);
  };
}
