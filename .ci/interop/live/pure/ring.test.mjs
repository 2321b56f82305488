// The ring of a page: bounded in rows and in bytes, whatever a page has as its URLs.
import assert from 'node:assert/strict';
import test from 'node:test';
import v8 from 'node:v8';
import vm from 'node:vm';
import { Ring, heldBytes, longest, shorten, weigh } from '../../../../proxy/admin/live/assets/ring.js';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

const event = (n, url) => ({ kind: 'capture', id: `5f0c2e2b7a91d3c4.${n}`, ts: '2026-05-01T12:00:00.123456Z', url,
  host: 'example.org', method: 'GET', status: 200, mime: 'text/html', size: 1, length: 1, stored: 'response',
  file: 'warcorder-20260501120000000-00001-host.warc.gz', offset: n });

test('rows are numbered without end, and the newest are kept', () => {
  const ring = new Ring(100);
  for (let n = 0; n < 250; n++) ring.push(event(n, 'http://example.org/'));
  assert.deepEqual([ring.start, ring.end], [150, 250]);
  assert.equal(ring.at(149), undefined);
  assert.equal(ring.at(150).offset, 150);
  assert.equal(ring.at(249).offset, 249);
  assert.equal(ring.at(250), undefined);
});

test('rows that take much are fewer', () => {
  const ring = new Ring();
  const url = `http://example.org/${'a'.repeat(longest)}`;
  for (let n = 0; n < 3000; n++) ring.push(shorten(event(n, url)));
  let bytes = 0;
  for (let n = ring.start; n < ring.end; n++) bytes += weigh(ring.at(n));
  assert.equal(bytes, ring.bytes);
  assert.ok(bytes <= heldBytes && bytes > heldBytes - 40_000, String(bytes));
  assert.equal(ring.rows.filter(Boolean).length, ring.end - ring.start, 'what was dropped is held');
  const other = ring.where((e) => e.offset % 2 === 0);
  assert.equal(other.at(other.end - 1).offset, 2998);
  assert.ok(other.bytes <= heldBytes);
});

test('one row that is too large is kept alone', () => {
  const ring = new Ring(10, 1000);
  ring.push(event(0, 'http://example.org/'));
  ring.push(event(1, 'a'.repeat(5000)));
  assert.deepEqual([ring.start, ring.end], [1, 2]);
});

test('a copy stays as it is', () => {
  const ring = new Ring(10);
  for (let n = 0; n < 15; n++) ring.push(event(n, ''));
  const copy = ring.copy();
  for (let n = 15; n < 40; n++) ring.push(event(n, ''));
  assert.deepEqual([copy.start, copy.end, copy.at(5).offset, copy.at(14).offset], [5, 15, 5, 14]);
});

test('texts are cut, and what was cut off is not held', () => {
  const ring = new Ring();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 60; n++) {
    const url = `http://example.org/${n}${'x'.repeat(1 << 18)}`;
    const line = JSON.stringify({ ...event(n, url), detail: 'd'.repeat(1 << 18) });
    ring.push(shorten(JSON.parse(line)));
  }
  collect();
  const grown = process.memoryUsage().heapUsed - before;
  assert.ok(grown < 8e6, `${grown} bytes for 60 events`);
  const one = ring.at(7);
  assert.ok(one.cut && one.url.length === longest + 1 && one.detail.length === longest + 1);
  assert.ok(one.url.startsWith('http://example.org/7x') && one.url.endsWith('x…'));
  assert.equal(shorten(event(0, 'http://example.org/')).cut, undefined);
});

test('no half of a character is left', () => {
  const { url } = shorten(event(0, `${'a'.repeat(longest - 1)}😀😀`));
  assert.equal(url, `${'a'.repeat(longest - 1)}…`);
});
