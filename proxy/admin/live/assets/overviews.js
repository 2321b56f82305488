// What the overview says of what the recorder tells. Pure.
import { count, lasts, reason, size, some } from './words.js';

const most = { rates: 360, day: 1440 }; // samples: an hour of 10 s, a day of minutes

// follow puts newer samples behind those that are known; those of the same time are newer ones.
function follow(known, newer, limit) {
  if (!newer.length) return known;
  const from = Date.parse(newer[0].ts);
  return known.filter((s) => Date.parse(s.ts) < from).concat(newer).slice(-limit);
}

/** joined is an overview with the samples that are known from the one before, if it is of the same process. */
export function joined(before, now) {
  const { rates = [], day = [] } = now;
  if (!before || before.recorder?.started !== now.recorder?.started) return { ...now, rates, day };
  return { ...now, rates: follow(before.rates, rates, most.rates), day: follow(before.day, day, most.day) };
}

/** gapsOf are the reasons of gaps with their numbers, the greatest first. */
export function gapsOf(gaps) {
  return Object.entries(gaps ?? {}).map(([word, n]) => ({ name: reason(word), n }))
    .filter((g) => g.n > 0).sort((a, b) => b.n - a.n);
}

/** untilFull says when recording stops for want of room: the figure, and what it is said of. */
export function untilFull({ free, secondsUntilFull: seconds, minFree }) {
  if (free == null) return ['not known', 'while the free space is not'];
  if (free <= (minFree ?? 0) || seconds === 0) return ['now', 'make room, and recording goes on by itself'];
  if (seconds == null) return ['not soon', 'hardly anything was recorded within a day'];
  return [lasts(seconds), 'at the rate of the last day'];
}

/** queueOf says what is not on disk yet. */
export function queueOf({ inFlight = 0, queuedBytes = 0, large = 0 }) {
  const words = [];
  if (inFlight > 0) words.push(`${some(inFlight, 'exchange')} in flight`);
  if (queuedBytes > 0) words.push(`${size(queuedBytes)} to be written`);
  if (large > 0) words.push(`${count(large)} of them large, in spill/`);
  return words;
}
