// A row is seen within a second of the end of its exchange: from the moment when the recorded browser
// has the last byte, to that when the row is in the document.
import { report, site } from './world.mjs';

const most = 1000; // ms
const times = 20;

function watchRows() {
  window.seenAt = {};
  const look = () => {
    for (const cell of document.querySelectorAll('.list-rows .c-url')) {
      window.seenAt[cell.textContent] ??= performance.timeOrigin + performance.now();
    }
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}

// ask returns when the last byte was there.
async function ask(url) {
  await (await fetch(url)).arrayBuffer();
  return performance.timeOrigin + performance.now();
}

export default async function rows({ viewer, visitor }) {
  const page = await viewer.open('#/exchanges');
  await page.locator('.list-rows .row').first().waitFor();
  await page.evaluate(watchRows);
  const took = [];
  for (let i = 0; i < times; i++) {
    const url = `${site}/row/${i}`;
    const ended = await visitor.evaluate(ask, url);
    const seen = await page.waitForFunction((at) => window.seenAt[at], url);
    took.push(Math.max(0, Math.round(await seen.jsonValue() - ended)));
  }
  took.sort((a, b) => a - b);
  const said = `median ${took[times / 2]} ms, at most ${took.at(-1)} ms`;
  console.log(`# live: ${times} rows: ${said}`);
  report('a row is seen within a second of its exchange', took.at(-1) > most && said);
}
