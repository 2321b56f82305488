// Drives a real Chromium through the proxy over the local site. It shows that
// a page works as it would without us, over HTTP and over HTTPS, and that a
// browser that was given the root certificate trusts the leaves: no switch
// that turns certificate errors off is used.
//
//   node drive.mjs PROXY PORTS PROFILE [PATH]    (PROXY "direct": without a proxy; PATH: of the page, else /)
//
// playwright-core is taken from the folder that PLAYWRIGHT names.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [proxy, ports, profile, path = '/'] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');

const args = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
// Chromium itself asks for pages of its maker: those bypass the proxy, and find no host. Loopback, which it
// would not send through a proxy, goes there: of two rules that match the later one counts.
args.push('--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost');
if (proxy !== 'direct') args.push(`--proxy-server=${proxy}`, '--proxy-bypass-list=*;<-loopback>');

function report(name, problem) {
  console.log(problem ? `not ok - ${name}: ${problem}` : `ok - ${name}`);
}

const browser = await chromium.launchPersistentContext(profile, { executablePath: '/usr/bin/chromium', args });
try {
  console.log(`# Chromium ${browser.browser()?.version() ?? ''}`);
  for (const [scheme, port] of Object.entries(JSON.parse(fs.readFileSync(ports)))) {
    const page = await browser.newPage();
    const lost = [];
    page.on('requestfailed', (request) => lost.push(`${request.url()} ${request.failure()?.errorText}`));
    const response = await page.goto(`${scheme}://localhost:${port}${path}`);
    const certificate = await response.securityDetails();
    if (certificate?.issuer) console.log(`# ${scheme}: ${certificate.protocol}, certificate by ${certificate.issuer}`);
    await page.waitForFunction('window.done', undefined, { timeout: 60000 });
    for (const { name, problem } of await page.evaluate('window.results')) report(`${scheme}: ${name}`, problem);
    report(`${scheme}: every request of the page ended well`, lost.join('; '));
    await page.close();
  }
} finally {
  await browser.close();
}
