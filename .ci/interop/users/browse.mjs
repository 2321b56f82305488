// Loads the page of the local site, over HTTP and HTTPS, in a browser that has to name its user to
// the proxy. The page's scripts say what of it works.
//
//   node browse.mjs BROWSER PROXY PORTS PROFILE [USER PASSWORD]
//
// BROWSER is chromium (playwright's proxy credentials), chromium-cdp (Fetch.authRequired) or
// firefox (WebDriver BiDi). playwright-core and puppeteer-core are taken from the folders that
// PLAYWRIGHT and PUPPETEER name.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [browserName, proxy, ports, profile, username, password] = process.argv.slice(2);
const login = username ? { username, password } : undefined;
const library = (folder, name) => createRequire(`${folder}/`)(name);

// Only the site goes through the proxy: what Chromium asks its maker's hosts finds none.
const chromiumArgs = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update',
  '--disable-sync', '--proxy-bypass-list=*;<-loopback>',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'];

// Each opens a browser and gives back how to open a page, and how to end.
const browsers = {
  async chromium() {
    const { chromium } = library(process.env.PLAYWRIGHT, 'playwright-core');
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      args: chromiumArgs,
      proxy: { server: `http://${proxy}`, bypass: '*,<-loopback>', ...login },
    });
    return { open: () => browser.newPage(), close: () => browser.close() };
  },
  async 'chromium-cdp'() {
    const { chromium } = library(process.env.PLAYWRIGHT, 'playwright-core');
    const browser = await chromium.launchPersistentContext(profile, {
      executablePath: '/usr/bin/chromium',
      args: [...chromiumArgs, `--proxy-server=${proxy}`],
    });
    const open = async () => {
      const page = await browser.newPage();
      const session = await browser.newCDPSession(page);
      const send = (method, params) => session.send(method, params).catch(() => {}); // it has gone
      session.on('Fetch.requestPaused', ({ requestId }) => {
        send('Fetch.continueRequest', { requestId });
      });
      session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
        const authChallengeResponse = authChallenge.source === 'Proxy' && login
          ? { response: 'ProvideCredentials', ...login } : { response: 'CancelAuth' };
        send('Fetch.continueWithAuth', { requestId, authChallengeResponse });
      });
      await session.send('Fetch.enable', { handleAuthRequests: true });
      return page;
    };
    return { open, close: () => browser.close() };
  },
  async firefox() {
    const puppeteer = library(process.env.PUPPETEER, 'puppeteer-core');
    const [host, port] = proxy.split(':');
    const browser = await puppeteer.launch({
      browser: 'firefox',
      executablePath: '/usr/bin/firefox-esr',
      headless: true,
      userDataDir: profile,
      extraPrefsFirefox: {
        'network.proxy.type': 1,
        'network.proxy.http': host,
        'network.proxy.http_port': Number(port),
        'network.proxy.ssl': host,
        'network.proxy.ssl_port': Number(port),
        'network.proxy.no_proxies_on': '',
        'network.proxy.allow_hijacking_localhost': true,
        'network.captive-portal-service.enabled': false,
        'network.connectivity-service.enabled': false,
      },
    });
    const open = async () => {
      const page = await browser.newPage();
      await page.authenticate(login ?? null);
      return page;
    };
    return { open, close: () => browser.close() };
  },
};

const browser = await browsers[browserName]();
try {
  for (const [scheme, port] of Object.entries(JSON.parse(fs.readFileSync(ports)))) {
    const name = `${browserName}: a page over ${scheme} and all that its scripts do`;
    const page = await browser.open();
    const response = await page.goto(`${scheme}://localhost:${port}/`, { timeout: 60000 });
    if (response.status() !== 200) throw new Error(`${scheme}: status ${response.status()}`);
    await page.waitForFunction('window.done', { timeout: 60000 });
    const wrong = (await page.evaluate('window.results')).filter(({ problem }) => problem)
      .map(({ name: what, problem }) => `${what}: ${problem}`);
    console.log(wrong.length ? `not ok - ${name}: ${wrong.join('; ')}` : `ok - ${name}`);
    await page.close();
  }
} finally {
  await browser.close();
}
