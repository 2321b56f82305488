// When something is asked for again.
import assert from 'node:assert/strict';
import test from 'node:test';
import { isFresh, patiently, polled } from '../../../../proxy/admin/live/assets/again.js';

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

// watched is a page that may be hidden, and a question that counts how often it is asked, and how many times at once.
function watched(wait) {
  const page = Object.assign(new EventTarget(), { visibilityState: 'visible' });
  const told = { asked: 0, most: 0, answer: [] };
  let now = 0;
  const question = async (signal) => {
    told.signal = signal;
    told.asked++;
    told.most = Math.max(told.most, ++now);
    await new Promise((done) => { told.answer.push(done); });
    now--;
    return wait;
  };
  const turn = (state) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event('visibilitychange'));
  };
  const answered = async () => {
    told.answer.shift()();
    await new Promise(setImmediate);
  };
  return { page, told, question, turn, answered };
}

test('what is seen is asked for again and again, until its view ends', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { page, told, question, answered } = watched(1000);
  const { end } = polled(question, 0, page);
  for (let n = 1; n < 4; n++) {
    assert.equal(told.asked, n);
    await answered();
    t.mock.timers.tick(999);
    assert.equal(told.asked, n);
    t.mock.timers.tick(1);
  }
  end();
  assert.ok(told.signal.aborted);
  await answered();
  t.mock.timers.tick(10_000);
  assert.equal(told.asked, 4);
});

test('a page that nobody sees asks for nothing, and at once when it is seen again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { page, told, question, turn, answered } = watched(1000);
  turn('hidden');
  const { again, end } = polled(question, 0, page);
  again();
  t.mock.timers.tick(10_000);
  assert.equal(told.asked, 0);
  turn('visible');
  assert.equal(told.asked, 1);
  await answered();
  turn('hidden');
  t.mock.timers.tick(10_000);
  assert.equal(told.asked, 1);
  turn('visible');
  assert.equal(told.asked, 2);
  turn('hidden');
  again();
  await answered();
  t.mock.timers.tick(10_000);
  assert.equal(told.asked, 2, 'it is hidden while a question goes on');
  end();
  turn('visible');
  assert.equal(told.asked, 2, 'its view has ended');
});

test('one question goes on at a time, and one behind it is for all who asked meanwhile', async () => {
  const { page, told, question, turn, answered } = watched(0);
  const { again, end } = polled(question, 0, page);
  const ends = [again(), again(), again()];
  await answered();
  await answered();
  await Promise.all(ends);
  assert.deepEqual([told.asked, told.most], [2, 1]);
  turn('hidden');
  turn('visible');
  assert.equal(told.asked, 2, 'it is not due');
  again();
  assert.equal(told.asked, 3);
  end();
});

test('the first question may wait', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { page, told, question } = watched(0);
  const { end } = polled(question, 250, page);
  t.mock.timers.tick(249);
  assert.equal(told.asked, 0);
  t.mock.timers.tick(1);
  assert.equal(told.asked, 1);
  end();
});

test('a path of an image is new after nine minutes', () => {
  assert.ok(isFresh(1000, 1000));
  assert.ok(isFresh(1000, 1000 + 9 * 60_000 - 1));
  assert.ok(!isFresh(1000, 1000 + 9 * 60_000));
});
