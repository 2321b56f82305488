// Chromium over a site on which much goes wrong, and what `warcorder report` says of it.
//
//   node drive.mjs visit PROXY PORTS PROFILE   a page, then two at once in two tabs, by localhost
//   node drive.mjs check REPORT PORTS          each finding, under its own page
//
// playwright-core is taken from the folder that PLAYWRIGHT names.
import fs from 'node:fs';
import { createRequire } from 'node:module';

const [step, ...args] = process.argv.slice(2);
const read = (path) => JSON.parse(fs.readFileSync(path, 'utf8'));
function verdict(name, got, want) {
  console.log(got === want ? `ok - ${name}` : `not ok - ${name}: ${got}, not ${want}`);
}

async function visit(proxy, ports, profile) {
  const { chromium } = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: '/usr/bin/chromium',
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
      '--disable-background-networking', '--disable-component-update', '--disable-sync',
      `--proxy-server=${proxy}`, '--proxy-bypass-list=*;<-loopback>'],
  });
  const site = `http://localhost:${read(ports).pages}`;
  const open = async (path) => {
    const page = await context.newPage();
    await page.goto(site + path);
    await page.waitForFunction('window.done', undefined, { timeout: 60000 });
  };
  try {
    await open('/whole');
    await Promise.all([open('/wrong'), open('/other')]);
  } finally {
    await context.close();
  }
}

function check(path, ports) {
  const { pages, images } = read(ports);
  const lines = fs.readFileSync(path, 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const { total } = lines.pop();
  const of = (name) => lines.filter(({ url }) => url === `http://localhost:${pages}/${name}`);
  const found = (findings) => findings.map(({ kind, url }) => `${kind} ${url
    .replace(`http://localhost:${pages}`, '').replace(`:${images}`, '')}`).sort().join('\n');
  const isOwn = ({ url }) => url.startsWith(`http://localhost:${pages}/`);
  verdict('report: the pages', lines.length, 4); // one more by curl
  verdict('report: the whole ones are whole', of('whole').map(({ whole }) => whole).join(), 'true,true');
  const others = [];
  for (const name of ['wrong', 'other']) {
    const [page = { findings: [] }] = of(name);
    verdict(`report: what is wrong with /${name}, which was open beside another`, found(page.findings.filter(isOwn)), [
      `challenge /challenge?${name}`, `coding /zstd?${name}`, `cut /cut?${name}`, `failed /none?${name}`,
      `forbidden /forbidden?${name}`, `part /part?${name}`, `tooMany /busy?${name}`,
      `unavailable /unavailable?${name}`,
    ].sort().join('\n'));
    others.push(...page.findings.filter((finding) => !isOwn(finding)));
  }
  // of two tabs of one site nobody can tell which has asked, if only their origin is told
  verdict('report: what is wrong with what others gave is under one of the two', found(others), [
    'refused http://127.0.0.2/?other', 'refused http://127.0.0.2/?wrong',
    'tooMany http://127.0.0.1/busy?other', 'tooMany http://127.0.0.1/busy?wrong',
  ].join('\n'));
  verdict('report: curl\'s page that did not come is of no page', found(total.elsewhere.findings), 'failed /none?curl');
  verdict('report: the total', `${total.pages} ${total.whole}`, '4 2');
}

if (step === 'visit') await visit(...args); else check(...args);
