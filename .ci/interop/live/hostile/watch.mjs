// What a browser does, seen from outside of its pages: every request, dialog, new tab, navigation and
// refusal by a policy. What must not be is a problem, with where it came up.
const allowed = new Set([
  'a',
  'article',
  'b',
  'bdi',
  'blockquote',
  'body',
  'br',
  'button',
  'canvas',
  'code',
  'dd',
  'details',
  'dialog',
  'div',
  'dl',
  'dt',
  'em',
  'fieldset',
  'figcaption',
  'figure',
  'footer',
  'form',
  'h1',
  'h2',
  'h3',
  'h4',
  'head',
  'header',
  'html',
  'input',
  'label',
  'legend',
  'li',
  'main',
  'nav',
  'ol',
  'option',
  'output',
  'p',
  'pre',
  'progress',
  'section',
  'select',
  'small',
  'span',
  'strong',
  'summary',
  'table',
  'tbody',
  'td',
  'textarea',
  'tfoot',
  'th',
  'thead',
  'time',
  'title',
  'tr',
  'ul',
  'iframe',
  'noscript',
  'svg',
  'rect',
  'path',
  'line',
  'g',
  'text',
  'polyline',
  'polygon',
  'circle',
  'defs',
  'meta',
  'link',
  'script',
  'kbd',
  'datalist',
  'meter',
  'hr',
  'colgroup',
  'col',
  'caption',
  'optgroup',
  'desc',
  'sup',
  'sub',
  'address',
  'aside',
  'search',
  'i',
  'u',
  's',
  'mark',
  'clippath',
]);

export class Watch {
  /** A watch of a browser: base is the address of the live page, previews that of its frames. */
  constructor(context, base) {
    Object.assign(this, {
      context,
      base,
      previews: '',
      where: 'the start',
      problems: new Set(),
      tabs: [],
      dialogs: 0,
    });
    this.seen = { requests: 0, downloads: [], tabs: 0 };
    context.on('request', (request) => this.request(request.url()));
    context.on('dialog', (dialog) => {
      this.dialogs++;
      this.problem(`a dialog: ${dialog.message()}`);
      dialog.dismiss().catch(() => {});
    });
    context.on('page', (page) => this.tab(page));
    context.pages().forEach((page) => this.tab(page));
  }

  problem(words) {
    this.problems.add(`${this.where}: ${words}`.slice(0, 300));
  }

  request(url) {
    this.seen.requests++;
    if (
      url.startsWith(this.base) ||
      (this.previews && url.startsWith(`${this.previews}/`)) ||
      url === 'about:blank' ||
      url.startsWith('chrome-error:')
    )
      return;
    this.problem(`asks for ${url}`);
  }

  tab(page) {
    this.seen.tabs++;
    if (this.main && page !== this.main) this.tabs.push(page);
    page.on('console', (message) => {
      const text = message.text();
      if (/Content Security Policy|Content-Security-Policy|Trusted ?Type|sandbox/i.test(text)) {
        this.problem(`a policy was needed: ${text}`);
      }
    });
    page.on('pageerror', (error) => this.problem(`an error in the page: ${error.message}`));
    page.on('download', (download) => {
      this.seen.downloads.push(download.suggestedFilename());
      download.cancel().catch(() => {});
    });
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      const url = frame.url();
      if (!url.startsWith(this.base) && !/^(about:blank|chrome-error:)/.test(url) && !this.elsewhere) {
        this.problem(`went to ${url}`);
      }
    });
  }

  /** ran reports whether a script of a recorded page has run in one of the frames. */
  async ran(page) {
    for (const frame of page.frames()) {
      const marker = await Promise.race([
        frame.evaluate(() => window.HOSTILE).catch(() => undefined),
        new Promise((done) => {
          setTimeout(done, 1500);
        }),
      ]);
      if (marker) return frame.url();
    }
    return '';
  }

  /** check looks at the page as it is now. */
  async check(page, where) {
    this.where = where;
    const frame = await this.ran(page);
    if (frame) this.problem(`a script has run in ${frame}`);
    if (!page.url().startsWith(this.base)) this.problem(`the page is ${page.url()} now`);
    const odd = await page.evaluate(
      ([names, previews]) => {
        const found = [];
        const own = new Set([
          'src',
          'href',
          'action',
          'formaction',
          'data',
          'poster',
          'srcset',
          'ping',
          'background',
          'xlink:href',
          'srcdoc',
          'manifest',
          'http-equiv',
        ]);
        for (const e of document.querySelectorAll('*')) {
          const name = e.localName;
          if (!names.includes(name)) found.push(`an element <${name}>`);
          if (name === 'iframe' && (e.getAttribute('sandbox') !== '' || !e.src.startsWith(`${previews}/`))) {
            found.push(`a frame ${e.outerHTML.slice(0, 90)}`);
          }
          if (['script', 'meta', 'link'].includes(name) && !e.closest('head'))
            found.push(`<${name}> in the body`);
          for (const { name: attribute, value } of e.attributes) {
            if (/^on/i.test(attribute)) found.push(`${attribute} of <${name}>`);
            if (attribute === 'style' && /url|expression|image/i.test(value)) found.push(`a style ${value}`);
            if (
              own.has(attribute.toLowerCase()) &&
              name !== 'iframe' &&
              new URL(value, location.href).origin !== location.origin
            )
              found.push(`${attribute}=${value}`);
          }
        }
        if (document.querySelectorAll('script').length > 1) found.push('more than one script');
        return found.slice(0, 5);
      },
      [[...allowed], this.previews],
    );
    odd.forEach((words) => this.problem(`there is ${words}`));
  }

  /** shut looks at the tabs that have come, and closes them. */
  async shut(where) {
    this.where = where;
    while (this.tabs.length) {
      const page = this.tabs.pop();
      await page.waitForLoadState('domcontentloaded', { timeout: 5000 }).catch(() => {});
      if (!page.isClosed()) {
        const frame = await this.ran(page);
        if (frame) this.problem(`a script has run in a new tab, ${frame}`);
      }
      await page.close().catch(() => {});
    }
  }
}
