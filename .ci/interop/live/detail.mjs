// Exchanges opened from the list: their heads are the bytes of the file, their bodies what the site sent, their
// keys those of the export of each dialect; what is copied and downloaded is the record, and the same request.
import fs from 'node:fs';
import zlib from 'node:zlib';
import { bodies } from './bodies.mjs';
import { Hand } from './hand.mjs';
import { kinds } from './traffic.mjs';
import { Member, written } from './warc.mjs';
import { ASKED, T, lineOf, lines, report, run, same, site, until } from './world.mjs';

const section = (page, name) => page.locator('section.part', {
  has: page.getByRole('heading', { name, exact: true }),
});
const asked = (url) => fs.readFileSync(ASKED, 'utf8').trim().split('\n').map(JSON.parse).filter((r) => r.url === url);

/** openNewest filters the list by a URL, and opens the last row. */
async function openNewest(page, hand, path) {
  await page.evaluate(() => { location.hash = '#/exchanges'; });
  await page.locator('.list.exchanges').waitFor();
  await hand.fill('URL has', path);
  await page.waitForFunction((text) => [...document.querySelectorAll('.list-rows .c-url')]
    .every((cell) => cell.textContent.includes(text)), path);
  await hand.reach('Exchanges');
  await hand.key('End', 'Enter');
  await page.locator('.facts').waitFor();
}

// shownAs is the text of a body as the page shows it.
const shownAs = ({ type, body, shown }) => shown ?? (/json/.test(type)
  ? JSON.stringify(JSON.parse(body), null, 2) : body.toString().slice(0, 65536));

// heads compares what is seen of a message with the bytes in the file.
async function heads(page, path, line) {
  const response = new Member(line.filename, Number(line.offset), Number(line.length));
  const seen = (which) => page.locator(`pre[aria-label="Head of the ${which}"] bdi > span`).allInnerTexts()
    .then((all) => all.map((one) => one.replace(/\n$/, '')));
  same(`${path}: the head of the response is that in the file`, await seen('response'), written(response.head));
  const rows = await section(page, 'Records').locator('tbody tr').evaluateAll((all) => all.map((row) => [0, 1, 2]
    .map((i) => row.cells[i].innerText.replaceAll(',', '')).concat(row.cells[3].innerText.split('\n')[0])));
  const members = rows.map(([, offset, length]) => new Member(line.filename, Number(offset), Number(length)));
  same(`${path}: records lie where the page says`,
    members.map((m) => [m.field('WARC-Type'), m.field('WARC-Record-ID')]), rows.map(([type, , , id]) => [type, id]));
  const request = members.find((m) => m.field('WARC-Type') === 'request');
  same(`${path}: the head of the request is that in the file`, await seen('request'), written(request.head));
  return { response, members };
}

async function body(page, path) {
  const one = bodies[path];
  const part = section(page, 'Body');
  if (!one.body.length) {
    return report(`${path}: no body`, await part.getByText('No body').count() ? '' : 'it shows one');
  }
  if (/octet/.test(one.type)) {
    const hex = await part.locator('pre').innerText();
    return same(`${path}: hex`, hex.split('\n')[1].match(/\b[0-9a-f]{2}\b/g).slice(0, 16).join(''),
      one.body.subarray(16, 32).toString('hex'));
  }
  return same(`${path}: the body`, (await part.locator('pre bdi').textContent()).trim(), shownAs(one).trim());
}

// picture opens an image: its bytes come in a frame that may do nothing, from another origin.
async function picture(page, hand, path) {
  const coming = page.waitForResponse((response) => response.frame() !== page.mainFrame()
    && response.headers()['content-type'].startsWith('image/'));
  await openNewest(page, hand, path);
  const response = await coming;
  const own = new URL(page.url()).origin;
  report(`${path}: the image comes from another origin`, new URL(response.url()).origin === own && 'from the same');
  report(`${path}: it is the recorded one`, !bodies[path].body.equals(await response.body()) && 'it is another');
  same(`${path}: its frame may do nothing`, await page.locator('iframe.preview').getAttribute('sandbox'), '');
}

async function keys(page, path, line) {
  const rows = await section(page, 'Keys').locator('dl.table > div').evaluateAll((all) => Object.fromEntries(all
    .map((row) => [row.querySelector('dt').innerText, row.querySelector('dd bdi').textContent])));
  for (const dialect of ['pywb', 'spec', 'warciojs']) {
    const want = (await lines(`&dialect=${dialect}`))
      .find((l) => l.filename === line.filename && l.offset === line.offset);
    same(`${path}: the key of ${dialect}`, rows[dialect], want.key);
  }
}

const copied = (page, begin) => until(`a copy of ${begin}`, async () => {
  const got = await page.evaluate(() => navigator.clipboard.readText());
  return got.startsWith(begin) && got;
});

// again runs what was copied as curl: the site is asked the same.
async function again(page, hand, path) {
  await hand.press('Copy as curl');
  const before = asked(path).at(-1);
  run('bash', '-c', `${await copied(page, 'curl ')} --silent --output ${T}/curled`);
  const parts = ({ method, host, body: sent, fields }) => [method, host, sent, fields
    .reduce((all, word, i) => (i % 2 ? all : [...all, `${word.toLowerCase()}: ${fields[i + 1]}`]), [])
    .filter((field) => !/^(connection|content-length):/.test(field)).sort()];
  same(`${path}: as curl it asks for the same`, parts(asked(path).at(-1)), parts(before));
}

async function records(page, hand, path, { response, members }) {
  await hand.press('Copy WARC record');
  const ascii = (bytes) => bytes.toString('latin1').replace(/\r\n/g, '\n').replace(/[^\n -~].*/g, '').trim();
  same(`${path}: the copied record is that of the file`, ascii(Buffer.from(await copied(page, 'WARC/'))),
    ascii(Buffer.concat([response.header, response.head])));
  const coming = page.waitForEvent('download');
  await hand.press('Download the record');
  const got = fs.readFileSync(await (await coming).path());
  report(`${path}: the download has the bytes of the file`,
    members.every((member) => got.includes(member.bytes)) ? '' : `${got.length} bytes`);
  report(`${path}: and nothing else`, zlib.gunzipSync(got).length
    === members.reduce((n, member) => n + member.record.length, 0) ? '' : 'it has more');
}

export default async function detail({ viewer }) {
  const page = await viewer.open('#/exchanges');
  const hand = new Hand(page);
  for (const path of [...kinds, '/search']) {
    if (/^image/.test(bodies[path].type)) {
      if (path !== '/icon.png') await picture(page, hand, path);
      continue;
    }
    await openNewest(page, hand, path);
    const [, file, offset] = new URL(page.url()).hash.slice(2).split('/').map(decodeURIComponent);
    const line = (await lines()).find((l) => l.filename === file && l.offset === offset);
    const found = await heads(page, path, line);
    if (bodies[path].body.length) await section(page, 'Body').locator('pre bdi').waitFor();
    await body(page, path);
    await keys(page, path, line);
    if (['/tides.json', '/search'].includes(path)) {
      await again(page, hand, path);
      await records(page, hand, path, found);
    }
  }
  const revisit = await lineOf(`${site}/style.css`, (l) => l.mime === 'warc/revisit');
  await page.evaluate((hash) => { location.hash = hash; }, `#/exchange/${revisit.filename}/${revisit.offset}`);
  await page.getByText('A revisit:').waitFor();
  await hand.press('See that one');
  const first = (await lines()).find((l) => l.url.endsWith('.example.org/style.css') && l.mime !== 'warc/revisit');
  await page.waitForURL((url) => url.hash === `#/exchange/${first.filename}/${first.offset}`);
  report('a revisit leads to what it is one of');
  hand.told('exchanges');
}
