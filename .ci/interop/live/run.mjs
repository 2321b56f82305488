// Goes through the steps: each is a module that exports a function of what is here, and uses the live
// page by keyboard alone, while another browser is recorded.
//
//   node run.mjs STEP...    world.mjs says what it wants of the environment
import { Viewer } from './viewer.mjs';
import { launch, LIVE, report, site } from './world.mjs';

const patience = 90_000;
const viewer = await Viewer.start();
const recorded = await launch(LIVE);
const visitor = await (await recorded.newContext()).newPage();
const visit = async (path) => {
  await visitor.goto(site + path);
  await visitor.waitForFunction('window.done');
};
await visit('/');

for (const name of process.argv.slice(2)) {
  const began = Date.now();
  const { default: step } = await import(`./${name}.mjs`);
  let timer;
  const late = new Promise((_, no) => { timer = setTimeout(() => no(new Error('it takes too long')), patience); });
  try {
    await Promise.race([step({ viewer, visitor, visit }), late]);
  } catch (e) {
    report(`${name}.mjs comes to its end`, e.stack.slice(0, 500));
  }
  clearTimeout(timer);
  report(`${name}: nobody else is asked, and nothing offends the policy or is said on the console`, viewer.taken());
  await Promise.all(viewer.browser.contexts().map((context) => context.close()));
  console.log(`# live: ${name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
}
await Promise.all([viewer.browser, recorded].map((browser) => browser.close()));
