// What a page keeps of what happens: the newest events, bounded in their number and in what they
// take. Pages choose URLs, and a URL may be a MB long: of each text the page keeps 8 KiB, and whoever
// wants the rest opens the exchange. Pure.
import { cut } from './words.js';

/** @typedef {import('./types.js').Event} Event */

/** held is how many rows are kept, and heldBytes about how much they take. */
export const held = 20_000;
export const heldBytes = 32e6;

/** longest is how many characters of a text of an event are kept. */
export const longest = 8192;

// own is a text that holds on to no other: engines keep the whole of what a part was cut from.
const own = (text) => JSON.parse(JSON.stringify(text));

/**
 * shorten cuts the texts of an event that are long, and marks the event as cut then.
 * @param {Event} event
 */
export function shorten(event) {
  for (const [name, value] of Object.entries(event)) {
    if (typeof value !== 'string' || value.length <= longest) continue;
    event[name] = own(cut(value, longest));
    event.cut = true;
  }
  return event;
}

/** weigh says about how many bytes an event takes. */
export function weigh(event) {
  let bytes = 300;
  for (const name in event) if (typeof event[name] === 'string') bytes += 2 * event[name].length;
  return bytes;
}

/** Ring keeps the last rows, and numbers all that ever came: from start to end, without end. */
export class Ring {
  constructor(most = held, mostBytes = heldBytes) {
    this.most = most;
    this.mostBytes = mostBytes;
    this.bytes = 0;
    this.rows = [];
    this.start = 0; // number of the oldest that is kept
    this.end = 0; // number of the next
  }

  push(row) {
    if (this.end - this.start >= this.most) this.drop();
    this.rows[this.end % this.most] = row;
    this.bytes += weigh(row);
    this.end++;
    while (this.bytes > this.mostBytes && this.end - this.start > 1) this.drop();
  }

  // drop forgets the oldest.
  drop() {
    const at = this.start % this.most;
    this.bytes -= weigh(this.rows[at]);
    this.rows[at] = undefined;
    this.start++;
  }

  at(n) {
    return n >= this.start && n < this.end ? this.rows[n % this.most] : undefined;
  }

  /** copy is a ring that nothing comes to: what somebody reads while the other goes on. */
  copy() {
    const other = new Ring(this.most, this.mostBytes);
    const { bytes, start, end } = this;
    return Object.assign(other, { rows: this.rows.slice(), bytes, start, end });
  }

  /** keep lets go of rows for which stays gives nothing, and puts what it gives in the place of others. */
  keep(stays) {
    const rows = [];
    for (let n = this.start; n < this.end; n++) {
      const row = stays(this.at(n));
      if (row) rows.push(row);
    }
    const start = this.end - rows.length;
    Object.assign(this, { rows: [], bytes: 0, start, end: start });
    for (const row of rows) this.push(row);
  }

  /** where is a ring of those rows that agree. */
  where(agrees) {
    const other = new Ring(this.most, this.mostBytes);
    for (let n = this.start; n < this.end; n++) {
      const row = this.at(n);
      if (agrees(row)) other.push(row);
    }
    return other;
  }
}
