// The hostile site, on a raw socket, and a client that is no browser: what no browser and no server
// would send goes through the recorder too.
import net from 'node:net';
import { acts, answers, breaks } from './bodies.mjs';

/** Site answers at /NAME/… with the answer of that name, and at /attack with a page of its own. */
export class Site {
  constructor(beacons, at = '127.0.0.2') {
    Object.assign(this, { beacons, at, pages: new Map() });
  }

  async start() {
    for (const { name } of answers) await this.beacons.add(name);
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      let head = '';
      socket.on('data', (bytes) => {
        head += bytes.toString('latin1');
        if (!head.includes('\r\n\r\n')) return;
        socket.end(this.answer(head.split(' ')[1] ?? ''));
        head = '';
      });
    });
    await new Promise((done) => {
      server.listen(0, this.at, done);
    });
    server.unref();
    this.port = server.address().port;
    this.url = `http://${this.at}:${this.port}`;
  }

  answer(target) {
    const [, name = ''] = /^\/([a-z0-9]*)/.exec(target) ?? [];
    const page = this.pages.get(name);
    if (page !== undefined) return message('200 OK', ['Content-Type: text/html'], page);
    const known = answers.find((a) => a.name === name);
    if (!known) return message('404 Not Found', ['Content-Type: text/plain'], 'nothing');
    const beacon = this.beacons.all.get(name);
    const fields = [...(known.type ? [`Content-Type: ${known.type}`] : []), ...(known.fields?.(beacon) ?? [])];
    return message(known.status ?? '200 OK', fields, known.body(beacon));
  }

  /** urlOf is where an answer is. */
  urlOf({ name, path = '/' }) {
    return `${this.url}/${name}${path}`;
  }
}

function message(status, fields, body) {
  const bytes = Buffer.from(body);
  const head = [
    `HTTP/1.1 ${status}`,
    ...fields,
    ...(status.startsWith('204') ? [] : [`Content-Length: ${bytes.length}`]),
    'Connection: close',
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'utf8'), bytes]);
}

const navigation = ['Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document', 'Upgrade-Insecure-Requests: 1'];

/** record sends a request through the recorder as no browser would, and waits for the end of the answer. */
export async function record(proxy, url, { page = false, method = 'GET', fields = [], body = '' } = {}) {
  const { host } = new URL(url);
  const head = [
    `${method} ${url} HTTP/1.1`,
    `Host: ${host}`,
    ...(page ? navigation : []),
    ...fields,
    ...(body ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
    'Connection: close',
    '',
    '',
  ];
  return exchange(proxy, Buffer.from(head.join('\r\n') + body));
}

/** exchange sends bytes to an address, and returns what comes until the end. */
export function exchange(address, bytes) {
  const at = new URL(`http://${address}`);
  return new Promise((done, fail) => {
    const came = [];
    const socket = net.connect(Number(at.port), at.hostname.replace(/^\[|\]$/g, ''), () => socket.write(bytes));
    socket.setTimeout(20_000, () => socket.destroy(new Error('no end in 20 s')));
    socket.on('data', (piece) => came.push(piece));
    socket.on('end', () => done(Buffer.concat(came).toString('latin1')));
    socket.on('error', fail);
  });
}

/** recordAll records every answer, with hostile requests, and gaps of hostile URLs. */
export async function recordAll(proxy, site, closed) {
  const failed = [];
  const some = async (url, options) => {
    const head = (await record(proxy, url, options)).split('\r\n')[0];
    if (!/^HTTP\/1\.1 (200|204|403)/.test(head)) failed.push(`${url.slice(0, 80)}: ${head.slice(0, 80)}`);
  };
  for (const answer of answers) {
    const b = site.beacons.all.get(answer.name);
    await some(site.urlOf(answer), {
      page: answer.page,
      fields: [
        `Referer: ${b.url}/<script>`,
        `User-Agent: Mozilla/5.0 ${breaks(b)[0]}`,
        `Cookie: ${breaks(b)[1]}`,
        `X-Requested: ${breaks(b)[2]}`,
      ],
    });
  }
  const b = site.beacons.all.get('html');
  await some(`${site.url}/html/posted?<script>`, {
    method: 'POST',
    body: `a=${encodeURIComponent(acts(b))}&<script>=1`,
    fields: ['Content-Type: application/x-www-form-urlencoded; charset="><script>'],
  });
  await some(`${site.url}/json/posted`, {
    method: 'PUT',
    body: JSON.stringify({ [breaks(b)[0]]: breaks(b) }),
    fields: ['Content-Type: application/json'],
  });
  await some(`${site.url}/html/method`, { method: "X'!$&*`|~" });
  for (const text of ['"><svg/onload=window.HOSTILE=1>', '<script>window.HOSTILE=1</script>', '%E2%80%AE']) {
    await record(proxy, `http://${closed}/${text}`, { page: true, fields: [`Referer: ${site.url}/html/`] });
  }
  return failed;
}
