// The HAR that was written, in the hands of others.
//
//   node har.mjs record PROXY PORTS PROFILE HAR   Chromium over the site; Playwright writes a HAR too
//   node har.mjs check HAR CDXJ LOG PORTS         against the lines, and against what the origin sent
//   node har.mjs clients HAR PLAYWRIGHT PORTS     Chromium's importer, and replays by Playwright
//
// playwright-core is taken from the folder that PLAYWRIGHT names, har-validator from HARVALIDATOR.
import crypto from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [step, ...args] = process.argv.slice(2);
const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const executablePath = '/usr/bin/chromium';
const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

function report(name, problems) {
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  console.log(problems.length ? `not ok - ${name}: ${problems[0]}${more}` : `ok - ${name}`);
}
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'));
const bytesOf = ({ text = '', encoding }) => Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
const sha = (bytes, name = 'sha256') => crypto.createHash(name).update(bytes).digest('hex');

// differ says what one list has more often than another, each way.
function differ(got, want) {
  const count = new Map();
  for (const one of got) count.set(one, (count.get(one) ?? 0) + 1);
  for (const one of want) count.set(one, (count.get(one) ?? 0) - 1);
  return [...count].filter(([, n]) => n).map(([one, n]) => `${n > 0 ? 'too much' : 'missing'}: ${one.slice(0, 600)}`);
}

// visit opens the page of the site and returns what its own checks found, by their names.
async function visit(page, url) {
  await page.goto(url);
  await page.waitForFunction('window.done', undefined, { timeout: 60000 });
  return Object.fromEntries((await page.evaluate('window.results')).map(({ name, problem }) => [name, problem]));
}

async function record(proxy, ports, profile, har) {
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath,
    args: [...quiet, `--proxy-server=${proxy}`, '--proxy-bypass-list=*;<-loopback>',
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'],
    recordHar: { path: har, content: 'embed' },
  });
  try {
    const results = await visit(await browser.newPage(), `https://localhost:${read(ports).https}/`);
    report('Chromium over the site', Object.entries(results).filter(([, p]) => p).map((pair) => pair.join(': ')));
  } finally {
    await browser.close(); // writes the HAR
  }
}

// message takes a message of the origin's log apart: its first line, its fields, and its body.
function message(base64) {
  const bytes = Buffer.from(base64, 'base64');
  const end = bytes.indexOf('\r\n\r\n');
  const [first, ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const fields = lines.map((line) => [line.split(':', 1)[0], line.slice(line.indexOf(':') + 1).trim()]);
  return { first, fields, body: bytes.subarray(end + 4), size: end + 4 };
}
const isChunked = (fields) => fields
  .some(([name, value]) => /^transfer-encoding$/i.test(name) && /chunked/i.test(value));
function withoutChunks(body) {
  const pieces = [];
  for (let at = 0; ;) {
    const line = body.indexOf('\r\n', at);
    const size = parseInt(body.subarray(at, line).toString('latin1'), 16);
    if (!size) return Buffer.concat(pieces);
    pieces.push(body.subarray(line + 2, line + 2 + size));
    at = line + 4 + size;
  }
}
const entityOf = (m) => (isChunked(m.fields) ? withoutChunks(m.body) : m.body);

// asSent is a field of a HAR with the bytes that it had.
const asSent = ({ name, value, comment }) => (comment ? [name, value]
  : [Buffer.from(name).toString('latin1'), Buffer.from(value).toString('latin1')]);

async function check(harPath, cdxj, log, portsPath) {
  const har = read(harPath);
  const { entries } = har.log;
  const validator = createRequire(`${process.env.HARVALIDATOR}/`)('har-validator');
  const wrong = await validator.har(har).then(() => [], ({ errors }) => errors.map((e) => JSON.stringify(e)));
  report(`har-validator takes the ${entries.length} exchanges`, wrong);

  const stamp = (date) => date.replace(/\D/g, '').slice(0, 14);
  report('each line of the index is an exchange, and each exchange a line', differ(
    entries.map(({ startedDateTime, request }) => `${stamp(startedDateTime)} ${request.url}`),
    fs.readFileSync(cdxj, 'utf8').trimEnd().split('\n')
      .map((line) => [line.split(' ')[1], JSON.parse(line.slice(line.indexOf(' {'))).url].join(' '))
      .filter((line) => / https?:/.test(line))));
  report('the exchanges are in the order of time',
    entries.filter(({ startedDateTime }, i) => startedDateTime < entries[i - 1]?.startedDateTime)
      .map(({ request }) => request.url));

  const own = entries.filter(({ pageref, request }) => pageref && request.headers.some(({ name, value }) =>
    /^sec-fetch-site$/i.test(name) && value !== 'none'));
  report(`the page of the site is listed, and ${own.length} exchanges belong to it`, differ(
    har.log.pages.map(({ title }) => title), ['warcorder interop'])
    .concat(own.length < 20 ? own.map(({ request }) => request.url) : []));

  // What the origin has received and sent, against what the HAR tells.
  const ports = read(portsPath);
  const logged = fs.readFileSync(log, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const origins = Object.entries(ports).flatMap(([scheme, port]) => ['localhost', '127.0.0.1']
    .map((host) => `${scheme}://${host}:${port}/`));
  const ofOrigin = entries.filter(({ request }) => origins.some((o) => request.url.startsWith(o))
    && !/\/(big|load)(\/|$)/.test(new URL(request.url).pathname));
  const digest = ({ request, response }) => JSON.stringify([request.headers.map(asSent), request.headersSize,
    request.method, sha(bytesOf(request.postData ?? {})), response.headers.map(asSent), response.headersSize,
    response.status, response.bodySize]);
  report(`${ofOrigin.length} exchanges are as the origin's log has them`, differ(ofOrigin.map(digest),
    logged.filter(({ response }) => response).map(({ request, response }) => {
      const [asked, answer] = [message(request), message(response)];
      return JSON.stringify([asked.fields, asked.size, asked.first.split(' ')[0], sha(entityOf(asked)), answer.fields,
        answer.size, Number(answer.first.split(' ')[1]),
        answer.first.includes(' 101 ') ? 0 : entityOf(answer).length]);
    })));
  const digested = ofOrigin.filter(({ request, response }) => request.method !== 'HEAD'
    && response.headers.some(({ name }) => name === 'X-SHA256'));
  report(`${digested.length} bodies, without their codings, are those that the origin has made`,
    digested.filter(({ response }) => sha(bytesOf(response.content)) !== response.headers.find(({ name }) =>
      name === 'X-SHA256').value || bytesOf(response.content).length !== response.content.size)
      .map(({ request }) => request.url));
}

// imported gives what Chromium's own importer makes of a HAR.
async function imported(browser, har) {
  const page = await browser.newPage();
  await page.goto('devtools://devtools/bundled/devtools_app.html');
  const requests = await page.evaluate(async (text) => {
    const from = (room) => import(`devtools://devtools/bundled/${room}`);
    const { HARFormat, Importer } = await from('models/har/har.js');
    const root = new HARFormat.HARRoot(JSON.parse(text));
    return Promise.all(Importer.Importer.requestsFromHARLog(root.log).map(async (request) => {
      const data = await request.requestContentData();
      return { url: request.url(), method: request.requestMethod, status: request.statusCode, error: data.error,
        text: data.isTextContent ? data.text : undefined, base64: data.isTextContent ? undefined : data.base64,
        fields: request.responseHeaders.length, cookies: request.includedRequestCookies().length,
        started: request.pseudoWallTime(request.startTime), address: request.remoteAddress() };
    }));
  }, har);
  await page.close();
  return requests;
}

async function clients(ours, theirs, portsPath) {
  const text = fs.readFileSync(ours, 'utf8');
  const { entries } = JSON.parse(text).log;
  const browser = await chromium.launch({ executablePath, args: [...quiet, '--host-resolver-rules=MAP * ~NOTFOUND'] });
  try {
    const requests = await imported(browser, text);
    const told = ({ url, method, status, fields, cookies, address, started, text, base64, error }) =>
      JSON.stringify([url, method, status, fields, cookies, address, Math.round(started * 1000), error ?? '',
        sha(text === undefined ? Buffer.from(base64, 'base64') : text)]);
    report(`Chromium's importer takes the ${entries.length} exchanges as they are`, differ(requests.map(told),
      entries.map(({ startedDateTime, serverIPAddress, request, response }) => told({ url: request.url,
        method: request.method, status: response.status, fields: response.headers.length,
        cookies: request.cookies.length, address: `${serverIPAddress}:80`, started: Date.parse(startedDateTime) / 1000,
        base64: bytesOf(response.content).toString('base64') }))));
    const url = `https://localhost:${read(portsPath).https}/`;
    const replayed = async (har) => {
      const context = await browser.newContext();
      await context.routeFromHAR(har, { notFound: 'abort' });
      const results = await visit(await context.newPage(), url);
      await context.close();
      return results;
    };
    const [mine, own] = await Promise.all([replayed(ours), replayed(theirs)]);
    const worked = Object.entries(own).filter(([, problem]) => !problem).map(([name]) => name);
    report(`replayed by Playwright, the ${worked.length} things work that do so from a HAR of its own`,
      worked.filter((name) => mine[name] !== '').map((name) => `${name}: ${mine[name]}`)
        .concat(worked.length < 15 ? [`only ${worked} work from its own`] : []));
    report('replayed by Playwright, a form with bytes finds its answer',
      [mine['form upload of 2 MiB'] ?? 'it was not tried'].filter(Boolean));
  } finally {
    await browser.close();
  }
}

await { record, check, clients }[step](...args);
