// A single-page application, built by Vite: React, client-side routing, chunks that come when they
// are needed, a worker, and Workbox's service worker, which has all files in its cache and controls
// the page from its second load on, and as soon as it can on the first.
import { files, send } from '../origin.mjs';

const site = 'https://spa.example.org';
export const start = `${site}/`;

const controlled = (page) => page.waitForSelector('footer >> text=controls this page');

// shows is what the texts of some steps hold, if the site works.
export const shows = {
  home: 'a service worker controls this page',
  Ghent: 'Ghent has 265086 people.',
  Bruges: 'Bruges has 119445 people.',
  chart: '180',
  sum: 'The worker says 450.',
  again: 'Ghent has 265086 people.',
};

export async function walk(page, step) {
  await page.goto(start);
  await controlled(page);
  await step('home');
  // Nothing that the step before has shown, which is there until React has taken it away.
  const links = { Ghent: 'Ghent has', Bruges: 'Bruges has', chart: '42', sum: 'worker' };
  for (const [link, shown] of Object.entries(links)) {
    await page.click(`nav >> text=${link}`);
    await page.waitForSelector(`.shown >> text=${shown}`);
    await step(link);
  }
  await page.goto(`${site}/cities/ghent?again`); // from the service worker's cache
  await controlled(page);
  await page.waitForSelector('.shown >> text=Ghent has');
  await step('again');
}

const api = {
  '/api/cities/ghent.json': { name: 'Ghent', people: 265086 },
  '/api/cities/bruges.json': { name: 'Bruges', people: 119445 },
  '/api/heights.json': [42, 120, 75, 180, 33],
};

// The built files are in the folder that REPLAYSITES names.
export function serve() {
  const built = files(`${process.env.REPLAYSITES}/spa/dist`);
  return {
    'spa.example.org': (request, response) => {
      const known = api[request.url.split('?')[0]];
      if (!known) return built(request, response);
      return send(request, response, 'json', JSON.stringify(known));
    },
  };
}
