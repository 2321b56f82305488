// Charts as SVG: a line of samples, and bars with their figures. Each has its figures beside it, so
// that nobody needs the drawing.
import { html } from './html.js';
import { clock, visible } from './words.js';

const width = 600;
const height = 72;

/**
 * groupsOf halves samples, by their sums, until there are no more than that: a chart has no more
 * columns than pixels.
 */
export function groupsOf(values, most) {
  let sums = values;
  let step = 1;
  while (sums.length > most) {
    const half = [];
    // From the newest on, so that the oldest group is the one that may be short.
    for (let i = sums.length; i > 0; i -= 2) half.unshift(sums[i - 1] + (i > 1 ? sums[i - 2] : 0));
    sums = half;
    step *= 2;
  }
  return { sums, step };
}

// area is the path of one below values; the greatest is as high as the drawing.
function area(values, top) {
  const step = width / Math.max(1, values.length);
  const y = (v) => (height - (v / top) * (height - 2)).toFixed(1);
  const points = values.map((v, i) => `H${(i * step).toFixed(1)}V${y(v)}`);
  return `M0 ${height}${points.join('')}H${width}V${height}Z`;
}

/**
 * Series draws samples over time: title, figure (in words), samples with ts, values of them, say, which
 * says a value in words.
 */
export function Series({ title, figure, samples, values, say, seconds, per = 's' }) {
  const { sums, step } = groupsOf(values, 180);
  const rate = (v) => v / (seconds * step);
  const peak = sums.reduce((m, v) => Math.max(m, v), 0);
  const top = peak || 1;
  const from = samples[0]?.ts;
  const most = peak ? `at most ${say(rate(peak))}/${per}` : 'nothing';
  return html`<figure class="chart"><figcaption><span
    class="name">${title}</span> <strong>${figure}</strong></figcaption>
    <svg viewBox=${`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img"
      aria-label=${`${title}: ${figure}, ${most}`}>
      <line class="base" x1="0" x2=${width} y1=${height} y2=${height} />
      <path class="whole" d=${area(sums, top)} /></svg>
    <p class="axis soft"><span>${from ? clock(from).slice(0, 5) : ''}</span><span>${most}</span>
      <span>now</span></p></figure>`;
}

/**
 * Bars draws a few names with a figure each, the longest bar the greatest, and what others have together;
 * under says of what all of it is.
 */
export function Bars({ title, under, rows, others, none = 'Nothing yet.', value, say, link, worded }) {
  const greatest = rows.reduce((m, r) => Math.max(m, value(r)), 0) || 1;
  return html`<section class=${`card bars${worded ? ' worded' : ''}`}><h2>${title}${under && html` <span
    class="soft under">${under}</span>`}</h2>${rows.length ? html`<table>
    <tbody>${rows.map((r) => html`<tr key=${r.name}><th scope="row"><bdi>${link && link(r)
      ? html`<a href=${link(r)}>${visible(r.name) || 'none'}</a>` : visible(r.name) || 'none'}</bdi></th>
      <td class="drawn" aria-hidden="true"><svg viewBox="0 0 100 10" preserveAspectRatio="none"><rect
        x="0" y="0" height="10" width=${Math.max(0.5, 100 * value(r) / greatest)} /></svg></td>
      <td class="number">${say(r)}</td></tr>`)}${others?.captures > 0 && html`<tr class="others"><th scope="row"
        class="soft">all others</th><td class="drawn"></td>
        <td class="number">${say(others)}</td></tr>`}</tbody></table>`
      : html`<p class="soft">${none}</p>`}</section>`;
}
