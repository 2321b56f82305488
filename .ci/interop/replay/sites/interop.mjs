// The site of the interop run, at localhost, over HTTP and over HTTPS: its page tries what pages do.
import fs from 'node:fs';

const ports = JSON.parse(fs.readFileSync(process.env.REPLAY_PORTS));
const starts = Object.entries(ports).map(([scheme, port]) => `${scheme}://localhost:${port}/`);
export const [start] = starts;

// What no archive has: the messages of a WebSocket, and an origin that waits for what its page does.
export const unarchived = /\/socket$/;
const living = ['WebSocket echo', 'first byte before the origin sends the last'];
// Events come at once.
const atOnce = 'Error: 5 events, 0 of them on their own';

// shows is what the texts of some steps hold, if the site works.
const works = /images: works\n(.+: works\n){15,}SSE: works/;
export const shows = { http: works, https: works };

export async function walk(page, step) {
  for (const url of starts) {
    await page.goto(url);
    await page.waitForFunction('window.done', undefined, { timeout: 60000, polling: 100 });
    await page.evaluate(([left, works]) => {
      const lines = window.results.filter(({ name }) => !left.includes(name))
        .map(({ name, problem }) => `${name}: ${problem.replace(works, '') || 'works'}`);
      document.body.append(Object.assign(document.createElement('pre'), { textContent: lines.join('\n') }));
    }, [living, atOnce]);
    await step(new URL(url).protocol.slice(0, -1));
  }
}
