// The page's own checks: each thing that a page does works as it would without
// a proxy in between. drive.mjs reads window.results once window.done is set.
window.results = [];

const same = (got, want) => {
  if (got !== want) throw new Error(`got ${got}, want ${want}`);
};

async function check(name, test) {
  const late = new Promise((_, fail) => setTimeout(fail, 15000, new Error('no end after 15 s')));
  let problem = '';
  try {
    await Promise.race([test(), late]);
  } catch (error) {
    problem = String(error);
  }
  window.results.push({ name, problem });
}

// whole fetches url and holds the body against the digest that the origin sent.
async function whole(url, options) {
  const response = await fetch(url, { cache: 'no-store', ...options });
  const body = await response.arrayBuffer();
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  same([...digest].map((b) => b.toString(16).padStart(2, '0')).join(''), response.headers.get('X-SHA256'));
  return { response, text: new TextDecoder().decode(body) };
}

async function tests() {
  await check('stylesheet (gzip)', async () => same(getComputedStyle(document.body).color, 'rgb(1, 2, 3)'));
  await check('stylesheet font', async () => {
    const faces = await document.fonts.load('40px Interop', 'I');
    same(`${faces.length} ${faces[0]?.status}`, '1 loaded');
  });
  await check('images', async () => {
    await Promise.all([...document.images].map((image) => image.decode()));
    same([...document.images].map((image) => image.naturalWidth).join(), '64,8,800');
  });
  await check('image of another host name', async () => {
    const image = new Image();
    image.src = `${location.protocol}//127.0.0.1:${location.port}/logo.png?other`;
    await image.decode();
    same(image.naturalWidth, 64);
  });
  for (const kind of ['plain', 'gzip', 'br', 'deflate']) {
    await check(`fetch GET JSON, ${kind}`, async () => {
      const { text } = await whole(`/${kind}.json`);
      same(JSON.parse(text).text.startsWith('the quick'), true);
    });
  }
  await check('fetch with a query out of order', async () => {
    const { text } = await whole('/search?q=ü&b=2&a=1&a=0#part');
    same(JSON.parse(text).target, '/search?q=%C3%BC&b=2&a=1&a=0');
  });
  await check('fetch POST JSON', async () => {
    const body = JSON.stringify({ name: 'größer', list: [1, 2, 3] });
    const { text } = await whole('/echo', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } });
    same(text, body);
  });
  await check('form upload of 2 MiB', async () => {
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(2 << 20).map((_, i) => (i * 2654435761) >>> 13)]), 'file.bin');
    const { text } = await whole('/form', { method: 'POST', body: form });
    same(JSON.parse(text).length > 2 << 20, true);
  });
  await check('redirect', async () => {
    const { response, text } = await whole('/redirect');
    same(`${response.redirected} ${new URL(response.url).pathname} ${text}`, 'true /landed gelandet');
  });
  await check('HEAD', async () => {
    const response = await fetch('/plain.json', { method: 'HEAD', cache: 'no-store' });
    const length = Number(response.headers.get('Content-Length'));
    same(`${response.status} ${length > 100} ${(await response.text()).length}`, '200 true 0');
  });
  await check('204', async () => {
    const response = await fetch('/empty');
    same(`${response.status} ${await response.text()}`, '204 ');
  });
  await check('304 from the cache', async () => {
    for (let n = 0; n < 2; n++) await whole('/tagged', { cache: 'default' });
  });
  await check('range', async () => {
    const { response } = await whole('/range', { headers: { Range: 'bytes=100-199' } });
    same(response.status, 206);
  });
  await check('chunked with extensions and trailer',
    async () => same(await (await fetch('/chunked')).text(), 'one, two, three'));
  await check('body that ends with the connection',
    async () => same(await (await fetch('/close')).text(), 'until the end'));
  await check('odd header lines', async () => same(await (await fetch('/odd')).text(), 'odd'));
  await check('first byte before the origin sends the last', async () => {
    const id = Math.random();
    const body = (await fetch(`/slow?${id}`)).body.getReader();
    const decoder = new TextDecoder();
    same(decoder.decode((await body.read()).value), 'first');
    await (await fetch(`/release?${id}`)).text();
    same(decoder.decode((await body.read()).value), 'last');
    same((await body.read()).done, true);
  });
  await check('SSE', () => new Promise((done, fail) => {
    const source = new EventSource('/events');
    const at = [];
    source.onmessage = () => at.push(performance.now());
    source.onerror = () => { // the origin has closed the stream
      source.close();
      const apart = at.slice(1).filter((t, i) => t - at[i] > 20).length;
      if (at.length === 5 && apart >= 3) done();
      else fail(new Error(`${at.length} events, ${apart} of them on their own`));
    };
  }));
  await check('WebSocket echo', () => new Promise((done, fail) => {
    const socket = new WebSocket(`${location.protocol.replace('http', 'ws')}//${location.host}/socket`);
    socket.binaryType = 'arraybuffer';
    const sent = ['hallo, größer', new Uint8Array(70000).fill(7).buffer];
    const got = [];
    socket.onopen = () => sent.forEach((data) => socket.send(data));
    socket.onerror = () => fail(new Error('the socket failed'));
    socket.onmessage = ({ data }) => {
      got.push(data.byteLength ?? data);
      if (got.length === 2) socket.close(1000, 'done');
    };
    socket.onclose = ({ code }) => {
      if (`${got} ${code}` === 'hallo, größer,70000 1000') done();
      else fail(new Error(`got ${got}, closed with ${code}`));
    };
  }));
}

addEventListener('load', () => tests().finally(() => { window.done = true; }));
