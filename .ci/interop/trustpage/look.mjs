// Looks at the trust page as a person does: what it says in this browser, at the addresses that are
// given; that it fits a phone, light and dark, is usable by keyboard alone, and asks nobody else.
// Screenshots are left in the folder SHOTS.
//
//   node look.mjs BROWSER PROFILE PROXY SHOTS NAME URL=THROUGH/TRUST...
//
// BROWSER is chromium or firefox, and chromium without scripts if NAME is noscript; PROXY is
// host:port, the URL of a script (http://…), or - for none. THROUGH and TRUST are the verdicts that
// the page must show.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [browserName, profile, proxy, shots, name, ...visits] = process.argv.slice(2);
const library = (folder, what) => createRequire(`${folder}/`)(what);
const report = (what, problem) => {
  const full = `${browserName}, ${name}: ${what}`;
  console.log(problem ? `not ok - ${full}: ${problem}` : `ok - ${full}`);
};

// Each opens a browser. A look at a page is in a width, light or dark.
const browsers = {
  async chromium() {
    const { chromium } = library(process.env.PLAYWRIGHT, 'playwright-core');
    const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync'];
    if (proxy.startsWith('http')) args.push(`--proxy-pac-url=${proxy}`);
    else if (proxy !== '-') args.push(`--proxy-server=${proxy}`);
    else args.push('--no-proxy-server');
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      args,
      viewport: { width: 1000, height: 900 },
      javaScriptEnabled: name !== 'noscript',
    });
    return {
      open: () => browser.newPage(),
      size: (page, width) => page.setViewportSize({ width, height: 900 }),
      dark: (page, on) => page.emulateMedia({ colorScheme: on ? 'dark' : 'light' }),
      close: () => browser.close(),
    };
  },
  async firefox() {
    const puppeteer = library(process.env.PUPPETEER, 'puppeteer-core');
    const [host, port] = proxy.split(':');
    const type = proxy === '-' ? { 'network.proxy.type': 0 }
      : proxy.startsWith('http') ? { 'network.proxy.type': 2, 'network.proxy.autoconfig_url': proxy }
        : { 'network.proxy.type': 1, 'network.proxy.http': host, 'network.proxy.http_port': Number(port),
          'network.proxy.ssl': host, 'network.proxy.ssl_port': Number(port) };
    const scheme = 'layout.css.prefers-color-scheme.content-override';
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      headless: true,
      userDataDir: profile,
      extraPrefsFirefox: { ...type, [scheme]: name.endsWith('dark') ? 0 : 1,
        'network.captive-portal-service.enabled': false,
        'network.connectivity-service.enabled': false },
    });
    return {
      open: () => browser.newPage(),
      size: (page, width) => page.setViewport({ width, height: 900 }),
      dark: () => false, // the profile is one or the other
      close: () => browser.close(),
    };
  },
};

// said are the verdicts that the page shows.
const said = () => [...document.querySelectorAll('.verdict')]
  .filter((verdict) => verdict.checkVisibility()).map((verdict) => verdict.dataset.is).join('/');

// checked waits until the page has looked n times.
const times = () => Number(document.body.dataset.checked ?? 0);
const checked = (page, n) => page.evaluate((want) => new Promise((done) => {
  const look = () => { if (Number(document.body.dataset.checked ?? 0) >= want) done(); };
  new MutationObserver(look).observe(document.body, { attributes: true });
  look();
}), n);

// over is how much wider the page is than the window.
const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;

async function keyboard(page) {
  // every link, button and summary is reached by Tab, and what is focused can be seen
  const want = await page.evaluate(() => [...document.querySelectorAll('a[href], button, summary')]
    .filter((e) => e.checkVisibility()).length);
  const reached = new Set();
  await page.evaluate(() => document.querySelector('main :is(a[href], button):not([hidden] *)').focus());
  for (let i = 0; i < want; i++) {
    if (i) await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      const e = document.activeElement;
      if (!e || e === document.body) return '';
      const outlined = getComputedStyle(e).outlineStyle !== 'none';
      const number = [...document.querySelectorAll('*')].indexOf(e);
      return `${outlined ? '' : 'unseen: '}${number} ${e.outerHTML.slice(0, 60)}`;
    });
    if (at) reached.add(at);
  }
  const unseen = [...reached].filter((at) => at.startsWith('unseen'));
  if (unseen.length) return unseen.join(', ');
  return reached.size >= want ? '' : `Tab reaches ${reached.size} of ${want}`;
}

async function byHand(page) {
  const links = page.locator('noscript a');
  if (await links.count() !== 2 || !await links.first().isVisible()) return 'there are no links';
  return await page.locator('.verdict:visible, button:visible').count() ? 'there is a verdict' : '';
}

async function axe(page) {
  await page.evaluate(fs.readFileSync(process.env.AXE, 'utf8'));
  const { violations } = await page.evaluate('axe.run()');
  return violations.map(({ id, nodes }) => `${id} (${nodes[0].html.slice(0, 80)})`).join('; ');
}

const { open, size, dark, close } = await browsers[browserName]();
try {
  for (const [number, visit] of visits.entries()) {
    const at = visit.lastIndexOf('=');
    const [url, want] = [visit.slice(0, at), visit.slice(at + 1)];
    const page = await open();
    const asked = new Set();
    page.on('request', (request) => asked.add(request.url()));
    await page.goto(url, { timeout: 40000 });
    if (name === 'noscript') {
      report(`${url} says what to open by hand, and shows no verdict`, await byHand(page));
      await size(page, 360);
      await page.screenshot({ path: `${shots}/${name}-360.png`, fullPage: true });
      continue;
    }
    await checked(page, 1);
    const got = await page.evaluate(said);
    report(`${url} says ${want}`, got === want ? '' : `it says ${got}`);
    const before = await page.evaluate(times);
    await page.focus('#again');
    await page.keyboard.press('Enter');
    await checked(page, before + 1);
    const again = await page.evaluate(said);
    report(`${url} says so again`, again === want ? '' : `it says ${again}`);
    const own = new URL(url).host;
    const others = [...asked].filter((one) => !/^(data|about|blob):/.test(one)
      && ![own, 'warcorder.internal', 'trust.warcorder.internal'].includes(new URL(one).host));
    report(`${url} asks nobody else`, others.join(' '));

    const label = `${browserName}-${name}-${number}`;
    for (const isDark of [false, true]) {
      const emulated = await dark(page, isDark);
      if (emulated === false && isDark) continue;
      for (const width of [360, 1000]) {
        await size(page, width);
        const wide = await page.evaluate(over);
        report(`${url} fits ${width} px`, wide > 0 ? `${wide} px too wide` : '');
        await page.screenshot({ path: `${shots}/${label}-${width}${isDark ? '-dark' : ''}.png`, fullPage: true });
      }
      if (process.env.AXE) report(`${url} axe${isDark ? ', dark' : ''}`, await axe(page));
    }
    await page.evaluate(() => {
      for (const one of document.querySelectorAll('details')) { one.removeAttribute('name'); one.open = true; }
    });
    await size(page, 360);
    const wide = await page.evaluate(over);
    report(`${url} fits 360 px, all of it`, wide > 0 ? `${wide} px too wide` : '');
    await page.screenshot({ path: `${shots}/${label}-360-all.png`, fullPage: true });
    report(`${url} by keyboard`, await keyboard(page));
    await page.close();
  }
} finally {
  await close();
}
