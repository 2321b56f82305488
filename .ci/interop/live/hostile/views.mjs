// Every view of the live page, and all that can be pressed in it.
const pressable =
  'main a, main button, main summary, main [role=row], main bdi, main pre, main canvas, main iframe, ' +
  'main dd, main td, main li, main .url';

/** Views walks them, in one tab. */
export class Views {
  constructor(page, watch) {
    Object.assign(this, { page, watch, pressed: new Set() });
  }

  async go(hash) {
    await this.page.evaluate((to) => {
      location.hash = to;
    }, hash);
    await this.settle();
  }

  /** settle waits until a view has what it has asked for. */
  async settle() {
    await this.page
      .waitForFunction(
        () =>
          document.querySelector('main h1') &&
          ![...document.querySelectorAll('main p')].some(
            (p) => p.checkVisibility() && /^Looking …/.test(p.textContent),
          ),
        null,
        { timeout: 20_000 },
      )
      .catch(async () =>
        this.watch.problem(
          `the view does not come: ${
            (await this.page.locator('main p').allTextContents()).filter((text) => text.startsWith('Looking'))
              .length
          } are still looked at`,
        ),
      );
    await this.page.waitForTimeout(60);
  }

  async openAll() {
    await this.page.evaluate(() =>
      document.querySelectorAll('main details:not([open])').forEach((d) => {
        d.open = true;
      }),
    );
    await this.settle();
  }

  /** middle clicks on all that might be a link, but not on what leads where it has led already. */
  async middle(where, most = 30) {
    const handles = await this.page.locator(pressable).elementHandles();
    let pressed = 0;
    for (const handle of handles) {
      const name = await handle
        .evaluate((e) => {
          const [path, query = ''] = (e.getAttribute('href') ?? '').split('?');
          const route = path.split('/').slice(0, 2).join('/');
          return `${e.localName} ${e.className} ${route} ${/format=\w+/.exec(query) ?? ''}`;
        })
        .catch(() => '');
      if (!name || this.pressed.has(name) || pressed >= most) continue;
      this.pressed.add(name);
      pressed++;
      await handle.click({ button: 'middle', timeout: 500, force: true }).catch(() => {});
      await this.watch.shut(`${where}, a middle click on ${name}`);
    }
    if (pressed) await this.watch.check(this.page, `${where}, after middle clicks`);
  }

  async look(hash, where, most) {
    this.watch.where = where;
    await this.go(hash);
    await this.watch.check(this.page, where);
    await this.openAll();
    await this.watch.check(this.page, `${where}, unfolded`);
    await this.middle(where, most);
    if (!this.page.url().includes(hash.split('?')[0])) await this.go(hash);
  }

  /** exchange walks one: each way to see its bodies, and what its frame shows as a tab of its own. */
  async exchange({ file, offset, url }) {
    const where = `the exchange of ${url.slice(0, 60)}`;
    await this.look(`#/exchange/${encodeURIComponent(file)}/${offset}`, where);
    const ways = this.page.locator('main .choices button');
    const shown = [];
    for (let i = 0; i < (await ways.count()); i++) {
      await ways
        .nth(i)
        .click({ timeout: 3000 })
        .catch(() => {});
      await this.settle();
      shown.push(await ways.nth(i).textContent());
      await this.watch.check(this.page, `${where}, ${shown.at(-1)}`);
      const frame = this.page.locator('main iframe');
      if (await frame.count()) await this.frame(await frame.first().getAttribute('src'), where);
    }
    for (const button of await this.page.locator('main button:has-text("characters")').elementHandles()) {
      await button.click({ timeout: 1000 }).catch(() => {});
    }
    await this.watch.check(this.page, `${where}, at its length`);
    return shown;
  }

  /** frame opens what is in a frame as a page: there is nothing. */
  async frame(source, where) {
    await this.page.waitForTimeout(150);
    await this.watch.check(this.page, `${where}, its frame`);
    this.framed = (this.framed ?? 0) + 1;
    if (this.framed > 4) return;
    for (const url of [source, `${source}/image`]) {
      this.watch.elsewhere = true;
      const tab = await this.page.context().newPage();
      let status = 0;
      tab.on('response', (response) => {
        status = response.status();
      });
      await tab.goto(url, { timeout: 5000 }).catch(() => {}); // a 404 without a body is an error
      if (status !== 404) this.watch.problem(`its frame is a page of its own: ${status} ${url}`);
      await this.watch.shut(`${where}, its frame as a page`);
      this.watch.elsewhere = false;
    }
  }

  /** all of them: rows are captures that were told, pages those that the recorder lists. */
  async all(captures, pages, urls) {
    const { page } = this;
    const counts = { pages: pages.length, exchanges: captures.length, ways: new Set() };
    await this.look('#/pages', 'the pages');
    await this.look('#/pages?text=%3Cscript%3Ewindow.HOSTILE%3D1%3C%2Fscript%3E', 'the pages, filtered');
    for (const { id, url } of pages)
      await this.look(`#/page/${encodeURIComponent(id)}`, `the page of ${url.slice(0, 60)}`, 12);
    await this.remove(pages[0].id);
    await this.look('#/exchanges', 'the exchanges', 60);
    for (const name of ['host', 'text', 'type', 'status', 'stored']) {
      await this.look(
        `#/exchanges?${name}=${encodeURIComponent('"><script>window.HOSTILE=1</script>')}`,
        `the exchanges by a hostile ${name}`,
      );
    }
    for (const capture of captures) (await this.exchange(capture)).forEach((way) => counts.ways.add(way));
    await this.look('#/overview', 'the overview');
    for (const url of urls) {
      for (const kind of ['exact', 'prefix', 'host', 'domain', '<script>']) {
        await this.look(
          `#/search?${new URLSearchParams({ url, matchType: kind })}`,
          `the search for ${url.slice(0, 50)}`,
          8,
        );
      }
    }
    await page
      .locator('main .days button')
      .first()
      .click({ timeout: 2000 })
      .catch(() => {});
    await this.settle();
    await this.watch.check(page, 'the calendar');
    await this.look('#/control', 'control');
    for (const hash of [
      '#/%3Cscript%3E',
      '#/page/%3Cimg%20src=x%20onerror=window.HOSTILE=1%3E',
      '#/exchange/..%2f..%2fx/-1',
      '#/__proto__',
      '#/constructor/x',
      '#/search?url=javascript:window.HOSTILE=1',
      '#/search?url=%00&from=%3Cscript%3E',
      '#/exchanges?__proto__=x&constructor=y',
      `#/search?url=${'%3Cb%3E'.repeat(3000)}`,
    ]) {
      await this.look(hash, `the address ${hash.slice(0, 40)}`, 4);
    }
    return counts;
  }

  /** remove shows what would go of a page, and leaves it. */
  async remove(id) {
    await this.go(`#/page/${encodeURIComponent(id)}`);
    const { page } = this;
    await page
      .getByRole('button', { name: 'Remove …' })
      .click({ timeout: 3000 })
      .catch(() => this.watch.problem('no Remove'));
    await page
      .getByRole('button', { name: 'Show what would go' })
      .click({ timeout: 3000 })
      .catch(() => {});
    await page.waitForTimeout(500);
    await this.watch.check(page, 'what a removal would take');
    await page.keyboard.press('Escape');
  }
}
