// Words, bytes and routes of the live page.
import assert from 'node:assert/strict';
import test from 'node:test';

const load = (name) => import(new URL(`../../../../proxy/admin/live/assets/${name}`, import.meta.url));
const words = await load('words.js');
const each = (f, rows) => { for (const [given, want] of rows) assert.equal(f(given), want, JSON.stringify(given)); };

test('sizes, spans and times', () => {
  each(words.size, [[0, '0\u00a0B'], [999.6, '1.0\u00a0kB'], [123456, '123\u00a0kB'], [9.99e9, '10\u00a0GB'],
    [NaN, '–'], [undefined, '–'], [-1, '–']]);
  each(words.took, [[12.4, '12\u00a0ms'], [1234, '1.23\u00a0s'], [61000, '1 min'], [null, '–']]);
  each(words.lasts, [[3, '3 s'], [12000, '3 h 20 min'], [864000, '10 days'], [-1, '–']]);
  each(words.clock, [['2026-11-24T14:03:22.123456Z', '14:03:22.123'], ['2026-11-24T14:03:22Z', '14:03:22']]);
  each(words.ofDigits, [['20261124140322', '2026-11-24 14:03:22'], ['202611', '2026-11'], ['', '']]);
});

test('what cannot be seen in recorded text is written out', () => {
  each(words.visible, [['a\u202eb', 'a‹U+202E›b'], ['\u0000\u001b', '‹U+0000›‹U+001B›'], ['\ud800', '‹U+D800›'],
    ['\ufffd', '\ufffd'], ['a\nb', 'a‹U+000A›b'], ['\u200bx', '‹U+200B›x'], ['a\u200db', 'a‹U+200D›b'],
    ['👩\u200d👧', '👩\u200d👧'], ['\u{e0041}', '‹U+E0041›'], ['\ufeff', '‹U+FEFF›'], ['<b>&', '<b>&']]);
  each(words.visibleLines, [['a\r\nb\tc', 'a\nb\tc'], ['a\rb', 'a‹U+000D›b']]);
  assert.equal(words.cut('ab😀', 3), 'ab…');
});

test('kinds of media types', () => each(words.kindOf, [['text/html; charset=x', 'document'], ['IMAGE/PNG', 'image'],
  ['application/ld+json', 'json'], ['text/javascript', 'script'], ['', '–'], ['application/octet-stream', 'binary'],
  ['application/pdf', 'pdf'], ['application/x-tar', 'tar'], ['x/\u202e', 'x/‹U+202E›']]));

test('a head as bytes', async () => {
  const { lines } = await load('bytes.js');
  const of = (text) => lines(Uint8Array.from(text, (c) => c.charCodeAt(0))).lines
    .map((line) => line.map((part) => part.text ?? `{${part.code}}`).join(''));
  assert.deepEqual(of('GET / HTTP/1.1\r\nA: b\r\n\r\n'), ['GET / HTTP/1.1', 'A: b']);
  assert.deepEqual(of('a\nb\r\nc\rd'), ['a{\\n}', 'b', 'c{\\x0d}d']);
  assert.deepEqual(of('\xff\x00'), ['{\\xff}{\\x00}']);
});

test('more of a head than is shown at first', async () => {
  const { lines, piece } = await load('bytes.js');
  const head = Uint8Array.from(`GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(piece / 4)}\r\n`, (c) => c.charCodeAt(0));
  const first = lines(head);
  assert.ok(first.cut);
  const more = lines(head, 5 * piece);
  assert.deepEqual([more.cut, more.lines.length], [false, 1 + piece / 4]);
  assert.deepEqual(more.lines.slice(0, first.lines.length - 1), first.lines.slice(0, -1));
});

test('how long a head says that its body is', async () => {
  const { promised } = await load('bytes.js');
  const of = (fields) => promised(Uint8Array.from(`HTTP/1.1 200 OK\r\n${fields}\r\n\r\n`, (c) => c.charCodeAt(0)));
  each(of, [['Content-Length: 50000', 50000], ['content-length:7\r\nContent-Length: 7', 7], ['A: b', null],
    ['Content-Length: 7\r\nContent-Length: 8', null], ['Content-Length: 7\r\nTransfer-Encoding: chunked', null],
    ['Content-Length: -7', null], ['Content-Length: 7x', null], ['X-Content-Length: 7', null]]);
  assert.equal(promised(new Uint8Array(0)), null);
});

test('routes', async () => {
  Object.assign(globalThis, { history: {}, location: { hash: '' }, addEventListener() {} });
  const { here, to } = await load('routes.js');
  for (const route of [['pages', [], {}], ['page', ['<urn:uuid:1>/%?#'], {}], ['exchange', ['a b.warc.gz', '17'], {}],
    ['exchanges', [], { text: 'größe &=?', status: '4xx' }]]) {
    location.hash = to(...route);
    const { view, names, parameters } = here();
    assert.deepEqual([view, names, parameters], route);
  }
  for (const hash of ['', '#', '#/%zz?%zz', '#/pages/%']) {
    location.hash = hash;
    assert.equal(typeof here().view, 'string');
  }
  assert.equal(to('exchanges', [], { text: '', host: undefined }), '#/exchanges');
});
