// What happens in the recorder, as it tells it over server-sent events; one connection for all views.
//
// The last held events stay in a ring of 20,000. A break is no loss: the browser comes again with the
// last id, and so does this module where the browser gives up.

/** @typedef {import('./types.js').Event} Event */

/** held is how many rows are kept. */
export const held = 20_000;
const beat = 100; // ms between two tellings of who listens, at least
const begin = -2000; // events of before this page that it begins with
const waits = [1000, 2000, 5000, 10_000];

/** Ring keeps the last rows, and numbers all that ever came: from start to end, without end. */
export class Ring {
  constructor(most = held) {
    this.most = most;
    this.rows = [];
    this.start = 0; // number of the oldest that is kept
    this.end = 0; // number of the next
  }

  push(row) {
    this.rows[this.end % this.most] = row;
    this.end++;
    if (this.end - this.start > this.most) this.start++;
  }

  at(n) {
    return n >= this.start && n < this.end ? this.rows[n % this.most] : undefined;
  }

  /** copy is a ring that nothing comes to: what somebody reads while the other goes on. */
  copy() {
    const other = new Ring(this.most);
    Object.assign(other, { rows: this.rows.slice(), start: this.start, end: this.end });
    return other;
  }

  /** where is a ring of those rows that agree. */
  where(agrees) {
    const other = new Ring(this.most);
    for (let n = this.start; n < this.end; n++) {
      const row = this.at(n);
      if (agrees(row)) other.push(row);
    }
    return other;
  }
}

class Feed {
  constructor() {
    this.ring = new Ring();
    this.state = 'connecting'; // open, broken
    this.since = 0; // when it broke, in ms
    this.paused = null; // whether the recorder is; null as long as nobody has said
    this.captures = 0; // that this page has heard of
    this.gaps = 0;
    this.last = ''; // id
    this.listeners = new Set();
    this.taps = new Set();
    this.tries = 0;
    this.timer = 0;
    this.refusedTail = false;
  }

  /** start connects. */
  start() {
    if (this.source) return;
    this.connect();
    addEventListener('online', () => this.state === 'broken' && this.again(0));
  }

  connect() {
    this.source?.close();
    const since = this.last || String(this.refusedTail ? 0 : begin);
    const source = new EventSource(`events?since=${encodeURIComponent(since)}`);
    this.source = source;
    let opened = false;
    source.onopen = () => {
      opened = true;
      this.tries = 0;
      this.become('open');
    };
    source.onmessage = (message) => this.take(message);
    source.onerror = () => {
      // An older recorder knows no negative number there. A restarted one is the same to us.
      if (!opened && !this.last && source.readyState === EventSource.CLOSED) this.refusedTail = true;
      this.become('broken');
      source.close(); // its own next try would ask with the address's old id, where none came since
      this.again(waits[Math.min(this.tries++, waits.length - 1)]);
    };
  }

  again(wait) {
    clearTimeout(this.retry);
    this.retry = setTimeout(() => this.connect(), wait);
  }

  become(state) {
    if (state === 'broken' && this.state !== 'broken') this.since = Date.now();
    this.state = state;
    this.notify();
  }

  take(message) {
    /** @type {Event} */
    let event;
    try {
      event = JSON.parse(message.data);
    } catch {
      return; // a line of a recorder that is newer than this page, at worst
    }
    const begins = !this.last;
    if (message.lastEventId) this.last = message.lastEventId;
    if (begins && event.kind === 'missed') return; // what was before this page is not missed
    if (event.kind === 'paused' || event.kind === 'resumed') this.paused = event.kind === 'paused';
    if (event.kind === 'capture') this.captures++;
    if (event.kind === 'gap') this.gaps += event.count > 0 ? event.count : 1;
    this.ring.push(event);
    for (const tap of this.taps) tap(event);
    this.notify();
  }

  notify() {
    if (this.timer) return;
    this.timer = setTimeout(() => {
      this.timer = 0;
      for (const listener of this.listeners) listener();
    }, beat);
  }

  /** listen calls back after something came, not more often than people see; it returns the end. */
  listen(listener) {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** tap is called with each event. */
  tap(taker) {
    this.taps.add(taker);
    return () => this.taps.delete(taker);
  }
}

/** feed is the page's own. */
export const feed = new Feed();
