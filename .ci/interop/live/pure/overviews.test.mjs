// What the overview says.
import assert from 'node:assert/strict';
import test from 'node:test';
import { gapsOf, joined, queueOf, untilFull } from '../../../../proxy/admin/live/assets/overviews.js';

test('when the disk is full', () => {
  const minFree = 1e9;
  for (const [disk, figure] of [
    [{ free: 9e9, minFree, secondsUntilFull: 7200 }, '2 h'],
    [{ free: 9e9, minFree, secondsUntilFull: null }, 'not soon'],
    [{ free: 9e9, minFree }, 'not soon'],
    [{ free: 9e8, minFree, secondsUntilFull: 0 }, 'now'],
    [{ free: 9e8, minFree, secondsUntilFull: null }, 'now'],
    [{ free: 0, minFree: 0, secondsUntilFull: null }, 'now'],
    [{ free: null, minFree, secondsUntilFull: null }, 'not known'],
  ]) assert.equal(untilFull(disk)[0], figure, JSON.stringify(disk));
  assert.match(untilFull({ free: 9e9, minFree, secondsUntilFull: 60 })[1], /rate of the last day/);
});

test('the queue has its units', () => {
  assert.deepEqual(queueOf({ inFlight: 0, queuedBytes: 0, large: 0 }), []);
  assert.deepEqual(queueOf({ inFlight: 1, queuedBytes: 2_500_000, large: 2 }),
    ['1 exchange in flight', '2.5\u00a0MB to be written', '2 of them large, in spill/']);
});

test('gaps, the greatest first', () => {
  assert.deepEqual(gapsOf({ cut: 1, upstream: 3, write: 0 }).map((g) => g.n), [3, 1]);
  assert.deepEqual(gapsOf(undefined), []);
});

const sample = (s, exchanges) => ({ ts: new Date(Date.UTC(2026, 4, 1, 12, 0, s)).toISOString(), exchanges });
const of = (rates, started = 'a') => ({ rates, day: [], recorder: { started } });

test('samples that come later go behind those that are known', () => {
  const before = of([sample(0, 1), sample(10, 2), sample(20, 3)]);
  const now = joined(before, of([sample(20, 5), sample(30, 6)]));
  assert.deepEqual(now.rates.map((s) => s.exchanges), [1, 2, 5, 6]);
  assert.deepEqual(joined(null, before).rates.length, 3);
  assert.deepEqual(joined(now, of([])).rates, now.rates);
});

test('another process begins anew', () => {
  assert.equal(joined(of([sample(0, 1)]), of([sample(50, 2)], 'b')).rates.length, 1);
});

test('no more than an hour is kept', () => {
  let all = null;
  for (let n = 0; n < 500; n++) all = joined(all, of([sample(10 * n, n)]));
  assert.equal(all.rates.length, 360);
  assert.equal(all.rates[359].exchanges, 499);
});
