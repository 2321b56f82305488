// What happens in the recorder, as it tells it over server-sent events; one connection for all views.
//
// The newest events stay in a ring. A break is no loss: this module comes again with the last id. Nor
// is it one that a page which nobody sees ends its connection: a browser has six for all pages of a
// recorder, and each stream takes one.
import { after } from './removed.js';
import { Ring, shorten } from './ring.js';

/** @typedef {import('./types.js').Event} Event */

const beat = 100; // ms between two tellings of who listens, at least
const begin = -2000; // events of before this page that it begins with
const waits = [1000, 2000, 5000, 10_000];
const unseen = 3000; // ms after which a page that is not seen ends its connection

class Feed {
  constructor() {
    this.ring = new Ring();
    this.state = 'connecting'; // open, broken, resting
    this.since = 0; // when it broke, in ms
    this.paused = null; // whether the recorder is; null as long as nobody has said
    this.captures = 0; // that this page has heard of
    this.gaps = 0;
    this.last = ''; // id
    this.listeners = new Set();
    this.taps = new Set();
    this.tries = 0;
    this.timer = 0;
  }

  /** start connects. */
  start() {
    if (this.source) return;
    this.connect();
    addEventListener('online', () => this.state === 'broken' && this.again(0));
    document.addEventListener('visibilitychange', () => this.look());
    this.look();
  }

  // look ends the connection of a page that nobody sees, and goes on where it was when somebody does.
  look() {
    clearTimeout(this.rest);
    if (document.visibilityState === 'hidden') {
      this.rest = setTimeout(() => this.pause(), unseen);
    } else if (this.state === 'resting') this.again(0);
  }

  pause() {
    clearTimeout(this.retry);
    this.source?.close();
    this.become('resting');
  }

  connect() {
    this.source?.close();
    const since = this.last || String(begin);
    const source = new EventSource(`events?since=${encodeURIComponent(since)}`);
    this.source = source;
    source.onopen = () => {
      this.tries = 0;
      this.become('open');
    };
    source.onmessage = (message) => this.take(message);
    source.onerror = () => {
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
      event = shorten(JSON.parse(message.data));
    } catch {
      return; // a line of a recorder that is newer than this page, at worst
    }
    const begins = !this.last;
    if (message.lastEventId) this.last = message.lastEventId;
    if (begins && event.kind === 'missed') return; // what was before this page is not missed
    if (event.kind === 'paused' || event.kind === 'resumed') {
      this.paused = event.kind === 'paused';
      this.pausedAt = Date.parse(event.ts); // in ms
    }
    if (event.kind === 'capture') this.captures++;
    if (event.kind === 'gap') this.gaps += event.count > 0 ? event.count : 1;
    if (event.kind === 'removed') this.ring.keep(after(event));
    else this.ring.push(event);
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
