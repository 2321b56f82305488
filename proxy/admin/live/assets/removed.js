// What an event of a removal makes of what a page knows already: some of it has gone, and some lies
// elsewhere in its file. Pure.

/** @typedef {import('./types.js').Event} Event */

/**
 * after returns what becomes of a row: itself, one with another place, or null if it is to go.
 * @param {Event & {stays?: number[][], events?: number[][]}} removed
 */
export function after(removed) {
  if (removed.events) {
    const [boot] = removed.id.split('.');
    return (row) => {
      const [of, number] = String(row.id).split('.');
      return row.kind === 'gap' && of === boot && within(removed.events, Number(number)) ? null : row;
    };
  }
  const stays = (removed.stays ?? []).map(([from, to, at]) => [from, to - 1, at]);
  return (row) => {
    if (!['capture', 'note'].includes(row.kind) || (removed.file && row.file !== removed.file)) return row;
    const stretch = within(stays, row.offset);
    return stretch ? { ...row, offset: stretch[2] + row.offset - stretch[0] } : null;
  };
}

// within is the one of [first, last, …] in rising order that has a number.
function within(ranges, number) {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const half = (from + to) >> 1;
    if (ranges[half][1] < number) from = half + 1;
    else to = half;
  }
  return from < ranges.length && ranges[from][0] <= number ? ranges[from] : undefined;
}
