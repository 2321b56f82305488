// How many captures there are of each day. Pure.
import { count, some } from './words.js';

/** shapeOf is a month's length, and how many days of the week are before its first, from Monday on. */
export function shapeOf(year, month) {
  return {
    days: new Date(Date.UTC(year, month + 1, 0)).getUTCDate(),
    before: (new Date(Date.UTC(year, month, 1)).getUTCDay() + 6) % 7,
  };
}

/** depth says in which of four steps a number is. */
export function depth(n, most) {
  if (!n) return 0;
  return most <= 1 ? 1 : Math.min(4, 1 + Math.floor(3 * Math.log(n) / Math.log(most)));
}

/** captures says how many a day or a month has: those that were counted, or more than these. */
export const captures = (n, more) => (more ? `${count(n)} captures or more` : some(n, 'capture'));

/** together is what several calendars count. */
export function together(all) {
  const sum = { years: {}, days: {}, more: [], cut: all.some((c) => c.cut) };
  for (const { years = {}, days = {}, more = [] } of all) {
    for (const [year, months] of Object.entries(years)) {
      sum.years[year] = months.map((n, m) => n + (sum.years[year]?.[m] ?? 0));
    }
    for (const [day, n] of Object.entries(days)) sum.days[day] = n + (sum.days[day] ?? 0);
    sum.more.push(...more);
  }
  return sum;
}
