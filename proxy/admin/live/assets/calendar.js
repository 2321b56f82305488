// When what is searched was captured: a year after the other, each month with its days; a day with captures is a
// button that narrows the search to it.
import { html, useEffect, useState } from './html.js';
import { ask, isGone } from './ask.js';
import { captures, depth, shapeOf, together } from './days.js';
import { parts } from './pager.js';
import { go } from './routes.js';
import { count } from './words.js';

const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September',
  'October', 'November', 'December'];

/** Calendar asks for the captures of what is searched, anew in each round, and draws the year that is chosen. */
export function Calendar({ url, asked, round }) {
  const { matchType } = asked;
  const [told, setTold] = useState(null);
  const [year, setYear] = useState('');
  useEffect(() => {
    const gone = new AbortController();
    const of = (part) => ask('live/calendar', { url, matchType: part }, gone.signal);
    Promise.all(parts({ url, matchType }).map(of)).then((all) => {
      const c = together(all);
      setTold(c);
      const years = Object.keys(c.years).sort();
      const wanted = (asked.from ?? '').slice(0, 4);
      setYear((y) => [round && y, wanted].find((one) => years.includes(one)) ?? years.at(-1) ?? '');
    }, (problem) => isGone(problem) || setTold(null)); // the list below says what is wrong
    return () => gone.abort();
  }, [url, matchType, round]);
  const years = Object.keys(told?.years ?? {}).sort();
  if (!years.length) return null;
  const more = new Set(told.more ?? []);
  const plus = (start) => ([...more].some((day) => day.startsWith(start)) ? '+' : '');
  const total = (y) => told.years[y].reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...years.map(total));
  const inYear = told.years[year] ?? [];
  const [first, last] = [inYear.findIndex(Boolean), inYear.findLastIndex(Boolean)];
  return html`<section class="part calendar"><h2>Calendar</h2>
    <div class="years" role="group" aria-label="Years">${years.map((y) => html`<button
      key=${y} onClick=${() => setYear(y)}
      aria-pressed=${y === year ? 'true' : 'false'}><svg viewBox="0 0 10 24"
        aria-hidden="true" preserveAspectRatio="none"><rect
      x="0" width="10" y=${24 - 24 * total(y) / most} height=${24 * total(y) / most} /></svg>${y}
      <span class="soft">${count(total(y))}${plus(y)}</span></button>`)}</div>
    ${told.cut && html`<p class="soft">There are more captures than are counted here.</p>`}
    <div class="months">${months.map((name, m) => m >= first && m <= last && html`<${Month}
      key=${m} name=${name} year=${year} month=${m} days=${told.days ?? {}}
      more=${more} asked=${asked} />`)}</div></section>`;
}

const two = (n) => String(n).padStart(2, '0');

function Month({ name, year, month, days, more, asked }) {
  const shape = shapeOf(Number(year), month);
  const all = Array.from({ length: shape.days }, (_, i) => `${year}-${two(month + 1)}-${two(i + 1)}`);
  const most = Math.max(1, ...Object.values(days));
  const found = all.reduce((sum, day) => sum + (days[day] ?? 0), 0);
  const isMore = all.some((day) => more.has(day));
  const pick = (day) => {
    const d = day.replaceAll('-', '');
    go('search', [], { ...asked, from: d, to: d });
  };
  const narrow = asked.from && asked.from === asked.to ? asked.from : '';
  return html`<div class=${found ? 'month' : 'month none'} role="group"
    aria-label=${`${name} ${year}, ${captures(found, isMore)}`}>
    <h3>${name.slice(0, 3)}${found > 0 && html` <span class="soft">${count(found)}${isMore && '+'}</span>`}</h3>
    <div class="days">${Array.from({ length: shape.before }, (_, i) => html`<span key=${`b${i}`}></span>`)}
      ${all.map((day, i) => (days[day] ? html`<button key=${day} class=${`d${depth(days[day], most)}`}
        aria-pressed=${narrow === day.replaceAll('-', '') ? 'true' : 'false'} onClick=${() => pick(day)}
        aria-label=${`${i + 1} ${name} ${year}, ${captures(days[day], more.has(day))}`}
          title=${captures(days[day], more.has(day))}>${i + 1}</button>`
        : html`<span key=${day}>${i + 1}</span>`))}</div></div>`;
}
