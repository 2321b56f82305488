// The browser that looks at the live page, and what must not happen in it: no request leaves the page's
// own origin but those of the frame that shows recorded images, nothing is said on the console, and
// the policy of the page is never offended.
import { base, launch } from './world.mjs';

const own = new URL(base).origin;

/** Viewer opens tabs on the live page. */
export class Viewer {
  static async start() {
    const viewer = new Viewer();
    viewer.browser = await launch();
    viewer.problems = [];
    return viewer;
  }

  /** open is a tab of its own in a context of its own, at a view; options are Playwright's of a context. */
  async open(hash = '', options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'], ...options });
    return this.tab(context, hash);
  }

  async tab(context, hash = '') {
    const page = await context.newPage();
    const problem = (what) => this.problems.push(`${page.url().slice(own.length)}: ${what}`);
    await page.addInitScript(() => addEventListener('securitypolicyviolation',
      (e) => console.error(`policy: ${e.effectiveDirective} ${e.blockedURI}`)));
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && problem(`${m.text()} ${m.location().url}`));
    page.on('pageerror', (e) => problem(e.stack));
    page.on('request', (request) => {
      const inFrame = request.frame() !== page.mainFrame(); // of its own origin; detail.mjs looks at it
      if (!inFrame && !request.url().startsWith(`${own}/`)) problem(`asks for ${request.url()}`);
    });
    await page.goto(`${base}${hash}`);
    return page;
  }

  /** taken are the problems since the last time. */
  taken() {
    return this.problems.splice(0).join('\n#   ');
  }
}
