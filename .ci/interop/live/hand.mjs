// The live page in the hands of somebody who has no mouse: Tab, Shift+Tab, arrows, Enter, Space, Escape.
// What has the focus must be seen to have it, and the focus must not get lost.
import { report } from './world.mjs';

// focused says what has the focus: its name as it is read out, and whether one sees that it has it.
function focused() {
  const e = document.activeElement;
  if (!e || e === document.body) return { name: '', tag: 'BODY', drawn: true, inSight: true };
  const name = e.getAttribute('aria-label') ?? [...(e.labels ?? [])].map((l) => l.innerText).join(' ')
    ?? '';
  const style = getComputedStyle(e);
  const behind = getComputedStyle(e, '::after');
  const box = e.getBoundingClientRect();
  const drawn = [style, behind].some((s) => s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1);
  const inSight = box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
  return { name: (name || e.innerText || e.title || '').replace(/\s+/g, ' ').trim(), tag: e.tagName,
    drawn, inSight, what: e.outerHTML.slice(0, 90) };
}

/** Hand is one person at one tab. */
export class Hand {
  constructor(page) {
    this.page = page;
    this.unseen = new Set();
    this.lost = [];
  }

  async at() {
    const now = await this.page.evaluate(focused);
    if (!now.drawn || !now.inSight) this.unseen.add(now.what);
    return now;
  }

  key(...keys) {
    return keys.reduce((before, key) => before.then(() => this.page.keyboard.press(key)), Promise.resolve());
  }

  /** reach goes on with Tab until what has that name has the focus; a name is a text or a pattern. */
  async reach(name, key = 'Tab') {
    const fits = ({ name: is }) => (name instanceof RegExp ? name.test(is) : is === name);
    let now = await this.drawn();
    for (let i = 0; i < 200 && !fits(now); i++) {
      await this.key(key);
      now = await this.at();
    }
    if (!fits(now)) throw new Error(`Tab does not reach ${name}`);
    return now;
  }

  /** press reaches a button or a link and presses it; the focus must then be somewhere. */
  async press(name, key = 'Enter') {
    await this.reach(name);
    await this.key(key);
  }

  /** drawn says what has the focus; what came since may have moved it out of sight, but it has its outline. */
  async drawn() {
    const now = await this.page.evaluate(focused);
    if (!now.drawn) this.unseen.add(now.what);
    return now;
  }

  /** kept reports a loss, once what was pressed has had its effect. */
  async kept(what) {
    if ((await this.drawn()).tag === 'BODY') this.lost.push(what);
  }

  /** fill reaches a field and types. */
  async fill(name, text) {
    await this.reach(name);
    await this.key('ControlOrMeta+a');
    await this.page.keyboard.type(text);
  }

  /** choose takes of a select what has these words. */
  async choose(name, words) {
    await this.reach(name);
    await this.page.keyboard.type(words);
  }

  told(what) {
    report(`${what}: the focus is always seen`, [...this.unseen].join(' '));
    report(`${what}: the focus is never lost`, this.lost.join(', '));
  }
}
