// Visits the local site in Chromium with Playwright, which saves a HAR: once
// with bodies in the JSON, once with bodies in files beside it, once as a zip
// file. Then in Firefox, whose own tools save one when a page has loaded.
//
//   node hars.mjs PORTS FOLDER     makes embedded.har, attached.har with its files, zipped.zip, firefox.har
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { createRequire } from 'node:module';

const [ports, folder] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const { http, https } = JSON.parse(fs.readFileSync(ports));
const args = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost'];

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
const makes = { 'embedded.har': 'embed', 'attached.har': 'attach', 'zipped.zip': 'attach' };
for (const [name, content] of Object.entries(makes)) {
  const context = await browser.newContext({
    ignoreHTTPSErrors: true,
    recordHar: { path: path.join(folder, name), mode: 'full', content },
  });
  const page = await context.newPage();
  for (const url of [`http://localhost:${http}/`, `https://localhost:${https}/`]) {
    await page.goto(url);
    await page.waitForFunction('window.done', undefined, { timeout: 60000 });
  }
  await context.close();
}
await browser.close();

// Firefox: its developer tools are opened, asked for their HAR, and it is saved as they save it.
const profile = path.join(folder, 'firefox');
fs.mkdirSync(profile);
fs.writeFileSync(path.join(profile, 'user.js'), `user_pref("marionette.port", 0);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("app.normandy.enabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
`);
const firefox = spawn('firefox-esr', ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access',
  '--profile', profile, 'about:blank'], { stdio: 'ignore' });
const ended = new Promise((go) => firefox.on('exit', go));
process.on('exit', () => firefox.kill()); // whatever goes wrong
const sleep = (ms) => new Promise((go) => setTimeout(go, ms));
const port = path.join(profile, 'MarionetteActivePort');
for (let i = 0; i < 300 && !fs.existsSync(port); i++) await sleep(100);
const socket = net.connect(Number(fs.readFileSync(port)), '127.0.0.1');

// Marionette speaks JSON, each message with its length before it.
let rest = Buffer.alloc(0);
const waiting = [];
function take() {
  const colon = rest.indexOf(':');
  const end = colon + 1 + Number(rest.subarray(0, Math.max(colon, 0)));
  if (colon < 0 || rest.length < end || waiting.length === 0) return;
  const message = JSON.parse(rest.subarray(colon + 1, end));
  rest = rest.subarray(end);
  waiting.shift()(message);
}
socket.on('data', (bytes) => { rest = Buffer.concat([rest, bytes]); take(); });
const next = () => new Promise((go) => { waiting.push(go); take(); });
let serial = 0;
async function call(name, params = {}) {
  const text = JSON.stringify([0, ++serial, name, params]);
  socket.write(`${Buffer.byteLength(text)}:${text}`);
  const [, , error, result] = await next();
  if (error) throw new Error(`${name}: ${error.message}`);
  return result?.value;
}
const tools = (work) => call('WebDriver:ExecuteAsyncScript', { args: [], script: `
  const { require } = ChromeUtils.importESModule('resource://devtools/shared/loader/Loader.sys.mjs');
  const { gDevTools } = require('devtools/client/framework/devtools');
  ${work}.then(arguments[arguments.length - 1], (error) => arguments[arguments.length - 1](String(error)));` });
await next();
await call('WebDriver:NewSession');
await call('WebDriver:SetTimeouts', { script: 60000 });
await call('Marionette:SetContext', { value: 'chrome' });
await tools("gDevTools.showToolboxForTab(gBrowser.selectedTab, { toolId: 'netmonitor' }).then(() => null)");
await call('Marionette:SetContext', { value: 'content' });
await call('WebDriver:Navigate', { url: `http://localhost:${http}/` });
const done = () => call('WebDriver:ExecuteScript', { args: [],
  script: 'return Boolean((window.wrappedJSObject ?? window).done)' });
for (let i = 0; i < 300 && !await done(); i++) await sleep(100);
await call('Marionette:SetContext', { value: 'chrome' });
const log = await tools('gDevTools.getToolboxForTab(gBrowser.selectedTab).getHARFromNetMonitor()');
fs.writeFileSync(path.join(folder, 'firefox.har'), JSON.stringify({ log }));
socket.destroy();
firefox.kill();
await ended;
