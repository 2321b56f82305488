// When something is asked for again.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isFresh, patiently } from '../../../../proxy/admin/live/assets/again.js';

const refusal = (status) => Object.assign(new Error(`status ${status}`), { status });

// tried counts how often work is done that ends so, one after the other; the last end stays.
async function tried(ends, signal = new AbortController().signal) {
  let n = 0;
  const work = async () => {
    const end = ends[Math.min(n++, ends.length - 1)];
    if (end instanceof Error) throw end;
    return end;
  };
  return [await patiently(work, signal, 0).catch((problem) => problem.message), n];
}

test('what is busy or away is asked for again, four times in all', async () => {
  assert.deepEqual(await tried([refusal(503), refusal(0), 'there']), ['there', 3]);
  assert.deepEqual(await tried([refusal(503)]), ['status 503', 4]);
  assert.deepEqual(await tried([refusal(404)]), ['status 404', 1]);
  assert.deepEqual(await tried([new Error('no image')]), ['no image', 1]);
});

test('who has gone asks no more', async () => {
  const gone = new AbortController();
  gone.abort();
  assert.deepEqual(await tried([refusal(503)], gone.signal), ['status 503', 1]);
  const goes = new AbortController();
  let n = 0;
  const work = async () => {
    n++;
    queueMicrotask(() => goes.abort());
    throw refusal(503);
  };
  await assert.rejects(patiently(work, goes.signal, 0));
  assert.equal(n, 1);
});

test('a path of an image is new after nine minutes', () => {
  assert.ok(isFresh(1000, 1000));
  assert.ok(isFresh(1000, 1000 + 9 * 60_000 - 1));
  assert.ok(!isFresh(1000, 1000 + 9 * 60_000));
});
