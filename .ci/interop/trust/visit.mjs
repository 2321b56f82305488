// Opens an address in Firefox, on a profile that is there, through a proxy.
//
//   node visit.mjs PROXY PROFILE URL
//
// Prints the status of the answer, or why there is none. puppeteer-core is taken from the folder
// that PUPPETEER names.
import { createRequire } from 'node:module';

const [proxy, profile, url] = process.argv.slice(2);
const puppeteer = createRequire(`${process.env.PUPPETEER}/`)('puppeteer-core');
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
    'network.proxy.allow_hijacking_localhost': true,
  },
});
try {
  const page = await browser.newPage();
  const answer = await page.goto(url, { timeout: 30000 }).catch((error) => error.message);
  console.log(typeof answer === 'string' ? answer : answer.status());
} finally {
  await browser.close();
}
