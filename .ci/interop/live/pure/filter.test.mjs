// The filter of the exchanges.
import assert from 'node:assert/strict';
import test from 'node:test';
import { filterOf, isEmpty, nameOf, older, parameters } from '../../../../proxy/admin/live/assets/filter.js';

const capture = { kind: 'capture', url: 'https://www.Example.org:8443/a b/Login', host: 'www.example.org',
  method: 'GET', status: 404, mime: 'text/html', stored: 'response', truncated: false };
const gap = { kind: 'gap', url: 'https://example.org/x', host: 'example.org', reason: 'upstream' };

for (const [filter, agrees, gaps] of [
  [{}, true, true],
  [{ text: 'login' }, true, false], [{ text: 'a b' }, true, false], [{ text: ' login ' }, true, false],
  [{ text: 'logout' }, false, false], [{ text: '  ' }, true, true],
  [{ host: 'example.org' }, true, true], [{ host: 'Example.org ' }, true, true], [{ host: 'ample.org' }, false, false],
  [{ host: 'www.example.org' }, true, false],
  [{ mime: 'text/' }, true, false], [{ mime: 'document' }, true, false], [{ mime: 'image' }, false, false],
  [{ status: '404' }, true, false], [{ status: '4xx' }, true, false], [{ status: '4XX ' }, true, false],
  [{ status: '5xx' }, false, false],
  [{ stored: 'response' }, true, false], [{ stored: 'gap' }, false, true], [{ stored: 'cut' }, false, false],
  [{ stored: 'revisit' }, false, false],
  [{ wrong: 'yes' }, true, true], [{ wrong: 'yes', host: 'www.example.org' }, true, false],
  [{ wrong: 'yes', stored: 'gap' }, false, true],
]) {
  test(JSON.stringify(filter), () => {
    const is = filterOf(parameters(filter));
    assert.equal(is(capture), agrees);
    assert.equal(is(gap), gaps);
    assert.equal(is({ kind: 'files', file: 'x' }), false);
  });
}

test('what went wrong', () => {
  const is = filterOf(parameters({ wrong: 'yes' }));
  for (const [more, wrong] of [[{ status: 200 }, false], [{ status: 304 }, false], [{ status: 399 }, false],
    [{ status: 400 }, true], [{ status: 503 }, true], [{ status: 200, truncated: true }, true],
    [{ status: 0 }, false]]) {
    assert.equal(is({ ...capture, ...more }), wrong, JSON.stringify(more));
  }
  assert.ok(!isEmpty(parameters({ wrong: 'yes' })));
});

test('what is typed is kept as it is, and spaces around it change nothing', () => {
  assert.equal(parameters({ text: 'a ' }).text, 'a ');
  assert.ok(isEmpty(parameters({ text: ' ' })));
  assert.equal(nameOf(parameters({ text: 'a ' })), nameOf(parameters({ text: 'A' })));
  assert.notEqual(nameOf(parameters({ text: 'a b' })), nameOf(parameters({ text: 'ab' })));
});

test('what is older is searched by URL', () => {
  assert.deepEqual(older(parameters({ host: 'example.org ', text: 'x' })), { url: 'example.org', matchType: 'domain' });
  assert.deepEqual(older(parameters({ text: 'https://example.org/a' })),
    { url: 'https://example.org/a', matchType: 'prefix' });
  assert.equal(older(parameters({ text: 'login', status: '4xx' })), null);
});
