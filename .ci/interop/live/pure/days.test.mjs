// The days of a calendar.
import assert from 'node:assert/strict';
import test from 'node:test';
import { captures, depth, shapeOf, together } from '../../../../proxy/admin/live/assets/days.js';

test('months have their length, and begin on their day of the week', () => {
  assert.deepEqual(shapeOf(2024, 1), { days: 29, before: 3 });
  assert.deepEqual(shapeOf(2026, 1), { days: 28, before: 6 });
  assert.deepEqual(shapeOf(2026, 11), { days: 31, before: 1 });
});

test('a day is as dark as it has captures', () => {
  assert.deepEqual([0, 1, 10, 100, 1000].map((n) => depth(n, 1000)), [0, 1, 2, 3, 4]);
  assert.equal(depth(1, 1), 1);
  assert.equal(captures(500, true), '500 captures or more');
});

test('calendars together', () => {
  const months = (m, n) => Array.from({ length: 12 }, (_, i) => (i === m ? n : 0));
  const both = together([
    { years: { 2026: months(4, 3) }, days: { '2026-05-01': 3 }, more: [], cut: false },
    { years: { 2026: months(4, 2), 2027: months(0, 1) }, days: { '2026-05-01': 1, '2026-05-02': 1, '2027-01-01': 1 },
      more: ['2026-05-02'], cut: true },
  ]);
  assert.deepEqual(both, { years: { 2026: months(4, 5), 2027: months(0, 1) },
    days: { '2026-05-01': 4, '2026-05-02': 1, '2027-01-01': 1 }, more: ['2026-05-02'], cut: true });
});
