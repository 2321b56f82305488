// Fetches one of everything that the sites have, in the recorded browser, and waits until the index has it.
import { bodies, pages } from './bodies.mjs';
import { site, lineOf } from './world.mjs';

export const kinds = Object.keys(bodies).filter((path) => !(path in pages) && path !== '/search');

export default async function traffic({ visit, visitor }) {
  await visit('/');
  await visitor.evaluate(async (paths) => {
    for (const path of paths) await (await fetch(path)).arrayBuffer();
  }, [...kinds, '/old.txt', '/style.css', '/nowhere', '/nowhere?else']);
  await lineOf(`${site}/nowhere?else`);
}
