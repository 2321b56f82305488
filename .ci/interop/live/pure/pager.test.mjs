// The steps of a search, against an index that answers as the recorder's does.
import assert from 'node:assert/strict';
import test from 'node:test';
import { hasPort, nextStep, parts, start } from '../../../../proxy/admin/live/assets/pager.js';

// index answers questions about captures, which are in the order of keys and times.
function index(captures) {
  let asked = 0;
  const get = async (q) => {
    asked++;
    let found = (captures[q.matchType] ?? []).filter((c) => (!q.to || c.timestamp <= q.to));
    if (q.sort === 'reverse') found = found.slice().reverse();
    const from = Number(q.resumeKey || 0);
    const lines = found.slice(from, from + q.limit).map((c) => q.fl.split(',').map((name) => c[name] ?? '-'));
    const answer = [q.fl.split(','), ...lines];
    if (q.showResumeKey && found.length > from + q.limit) answer.push([], [String(from + q.limit)]);
    return JSON.stringify(lines.length ? answer : []);
  };
  return { get, asked: () => asked };
}

const of = (n, timestamp) => ({ filename: 'a.warc.gz', offset: String(n), timestamp,
  original: `http://example.org/${n}` });
const second = (n) => String(20260501000000 + n);

async function all(asked, captures, want) {
  const { get } = index(captures);
  const rows = [];
  let place = start;
  let steps = 0;
  while (place) {
    const found = await nextStep(asked, place, get, want);
    assert.ok(found.rows.length <= want);
    assert.ok(found.next === null || found.rows.length === want, 'a step that is not full, and not the last');
    rows.push(...found.rows);
    place = found.next;
    assert.ok(++steps < 100, 'without an end');
  }
  return rows;
}

for (const [name, times] of [
  ['none', []], ['one', [1]], ['as many as a step', [1, 2, 3]], ['one more', [1, 2, 3, 4]],
  ['many', Array.from({ length: 50 }, (_, i) => i)],
  ['more of a second than a step', [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3]],
  ['all of a second', Array(20).fill(7)],
]) {
  test(`of one URL, the newest first: ${name}`, async () => {
    const captures = times.map((t, n) => of(n, second(t)));
    const rows = await all({ url: 'example.org', matchType: 'exact' }, { exact: captures }, 3);
    assert.deepEqual(rows.map((r) => r.offset), captures.map((c) => c.offset).reverse());
  });
  test(`of a host, and then of its other ports: ${name}`, async () => {
    const captures = times.map((t, n) => of(n, second(t)));
    const ports = [of(100, second(1)), of(101, second(1))];
    for (const others of [[], ports]) {
      const rows = await all({ url: 'example.org', matchType: 'host' }, { host: captures, ports: others }, 3);
      assert.deepEqual(rows.map((r) => r.offset), [...captures, ...others].map((c) => c.offset));
    }
  });
}

test('a host with its port is that port', () => {
  assert.deepEqual(parts({ url: 'example.org:8080', matchType: 'host' }), ['host']);
  assert.deepEqual(parts({ url: 'http://example.org/', matchType: 'domain' }), ['domain', 'ports']);
  assert.deepEqual(parts({ url: 'example.org', matchType: 'exact' }), ['exact']);
  for (const [url, has] of [['example.org', false], ['example.org:80', true], ['http://example.org:80/a', true],
    ['http://example.org/a:80', false], ['http://[::1]/', false], ['http://[::1]:80/', true], ['[::1]', false],
    ['https://example.org?a=b:1', false]]) assert.equal(hasPort(url), has, url);
});
