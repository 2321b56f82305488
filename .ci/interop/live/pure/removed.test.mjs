// What a page makes of a removal that it is told of.
import assert from 'node:assert/strict';
import test from 'node:test';
import { after } from '../../../../proxy/admin/live/assets/removed.js';
import { Ring } from '../../../../proxy/admin/live/assets/ring.js';

const rows = () => [
  { kind: 'files', id: 'b.1', file: 'f' }, { kind: 'capture', id: 'b.2', file: 'f', offset: 0 },
  { kind: 'capture', id: 'b.3', file: 'f', offset: 100 }, { kind: 'note', id: 'b.4', file: 'f', offset: 200 },
  { kind: 'capture', id: 'b.5', file: 'g', offset: 100 }, { kind: 'gap', id: 'b.6' }, { kind: 'gap', id: 'a.6' },
];

const left = (removed) => {
  const ring = new Ring();
  for (const row of rows()) ring.push(row);
  ring.keep(after({ kind: 'removed', id: 'b.9', ...removed }));
  assert.equal(ring.end, 7);
  const all = [];
  for (let n = ring.start; n < ring.end; n++) all.push(`${ring.at(n).id} ${ring.at(n).offset ?? ''}`.trim());
  return all.join(', ');
};

test('what went goes, and what stays has its new place', () => {
  assert.equal(left({ file: 'f', stays: [[0, 100, 0], [200, 300, 100]] }),
    'b.1, b.2 0, b.4 100, b.5 100, b.6, a.6');
  assert.equal(left({ file: 'f', stays: [] }), 'b.1, b.5 100, b.6, a.6');
});

test('where too much went to be told, all of the file goes', () => {
  assert.equal(left({ file: 'f' }), 'b.1, b.5 100, b.6, a.6');
  assert.equal(left({}), 'b.1, b.6, a.6');
});

test('gaps go by their numbers, of this recorder alone', () => {
  assert.equal(left({ events: [[1, 1], [4, 6]] }), 'b.1, b.2 0, b.3 100, b.4 200, b.5 100, a.6');
});
