// A template keeps nothing of what it has made: what is kept knows what it was seen in.
import assert from 'node:assert/strict';
import test from 'node:test';
import { html } from '../../../../proxy/admin/live/assets/html.js';

test('an element without values is made anew each time, as is what is in it', () => {
  const make = (x) => html`<p>${x}<b>always</b></p>`;
  const still = () => html`<p><b>always</b></p>`;
  assert.notEqual(still(), still());
  const [one, other] = [make(1), make(2)].map((made) => made.props.children[1]);
  assert.equal(one.type, 'b');
  assert.notEqual(one, other);
});
