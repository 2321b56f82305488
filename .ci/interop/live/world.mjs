// What all steps share: the browser that is recorded, the one that looks at the live page, what the
// recorder says to programs, and the lines of ours.
//
// From the environment: LIVE (host:port of the recorder), COLLECTION (its folder), ASKED (of site.mjs).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';

const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
export const { LIVE, COLLECTION, ASKED, T, VENV, WARCORDER } = process.env;
export const PACK = `${process.env.PACKERS}/python/bin/wacz`;
export const base = `http://${LIVE}/`;
export const site = 'https://www.example.org';
const quiet = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** report prints a check: ok without a problem. */
export function report(what, problem) {
  console.log(problem ? `not ok - live: ${what}: ${String(problem).slice(0, 600)}` : `ok - live: ${what}`);
}

/** same reports whether two are equal. */
export function same(what, got, want) {
  const [is, ought] = [got, want].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  report(what, is === ought ? '' : `${is?.slice(0, 280)}, not ${ought?.slice(0, 280)}`);
}

/** launch is a Chromium without a window; those of a proxy trust its root by the home that live.sh has made. */
export function launch(proxy) {
  const args = proxy ? [...quiet, `--proxy-server=${proxy}`, '--proxy-bypass-list=<-loopback>']
    : [...quiet, '--no-proxy-server'];
  return chromium.launch({ executablePath: '/usr/bin/chromium', args });
}

/** text is what the recorder answers to a program; fetch would say that it is a browser. */
export async function text(path) {
  const response = await new Promise((done, no) => { http.get(base + path, done).on('error', no); });
  const body = await response.setEncoding('utf8').reduce((all, piece) => all + piece, '');
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${body.slice(0, 200)}`);
  return body;
}

/** lines are captures as `/export` has them: the parts of a line, the JSON in it taken apart. */
export async function lines(query = '') {
  const all = await text(`export?all=yes${query}`);
  return all.split('\n').filter(Boolean).map((line) => {
    const [key, ts] = line.split(' ', 2);
    return { key, ts, ...JSON.parse(line.slice(key.length + ts.length + 2)) };
  });
}

/** lineOf is the newest capture of a URL, as soon as the index has one that agrees. */
export async function lineOf(url, agrees = () => true) {
  return until(`a capture of ${url}`, async () => (await lines(`&url=${encodeURIComponent(url)}`))
    .filter(agrees).at(-1));
}

/** until asks again until there is something; a step that never gets it ends with its name. */
export async function until(what, get, patience = 20_000) {
  for (const deadline = Date.now() + patience; Date.now() < deadline;) {
    const got = await get();
    if (got) return got;
    await new Promise(setImmediate);
  }
  throw new Error(`in ${patience / 1000} s there is not ${what}`);
}

/** place is where a file of the collection lies, which has another name while it is written. */
export const place = (file) => [file, `${file}.open`]
  .map((name) => `${COLLECTION}/archive/${name}`).find(fs.existsSync);

/** run is a program that must succeed, and what it prints. */
export function run(program, ...args) {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 26 });
  } catch (e) {
    throw new Error(`${program} ${args[0]}: ${e.stderr || e.stdout || e.message}`);
  }
}

/** tries reports whether a program succeeds. */
export function tries(what, ...command) {
  try {
    run(...command);
    report(what);
  } catch (e) {
    report(what, e.message);
  }
}
