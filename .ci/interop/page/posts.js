// Requests that differ by their bodies alone, all to one URL: their answers
// name the body that the origin got. drive.mjs reads window.results once
// window.done is set.
window.results = [];

const hex = (bytes) => [...new Uint8Array(bytes)].map((b) => b.toString(16).padStart(2, '0')).join('');

function same(got, want) {
  if (got !== want) throw new Error(`got ${got}, want ${want}`);
}

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

async function send(method, body, type) {
  const request = new Request('/form', { method, body, headers: type ? { 'Content-Type': type } : {} });
  const bytes = await request.clone().arrayBuffer();
  const got = await (await fetch(request)).json();
  const sha1 = hex(await crypto.subtle.digest('SHA-1', bytes));
  same(`${got.method} ${got.length} ${got.sha1}`, `${method} ${bytes.byteLength} ${sha1}`);
}

function multipart(...contents) {
  const form = new FormData();
  form.append('title', 'größer "so"');
  contents.forEach((content, n) => form.append('file', new Blob([content], { type: 'image/x' }), `file ${n}.bin`));
  form.append('title', '');
  return form;
}

const json = 'application/json';
const bytes = (n) => new Uint8Array(n).map((_, i) => (i * 2654435761) >>> 13);
const requests = {
  'JSON': ['POST', '{"name": "größer", "list": [1, 2, {"list": "x y"}], "deep": {"name": ""}}', json],
  'JSON, another body': ['POST', '{"name": "größer", "list": [1, 2, {"list": "x z"}], "deep": {"name": ""}}', json],
  'JSON with booleans, null and floats': ['POST',
    '{"t": true, "f": false, "n": null, "float": [2.0, 1e21, 1e-7, -0.0, 1.5]}', `${json}; charset=utf-8`],
  'JSON that is none': ['POST', '{"a": 1', json],
  'form': ['POST', new URLSearchParams([['q', 'a&b=c'], ['q', 'größer +'], ['~', '']])],
  'multipart with a file': ['POST', multipart(bytes(300))],
  'multipart with files, longer than a key': ['POST', multipart(bytes(5000), '\r\n--no delimiter\n', '')],
  'text/plain': ['POST', 'just = some & text, größer'],
  'text/plain, JSON': ['POST', '[{"a": "1"}, {"a": "2"}]'],
  'binary': ['POST', new Blob([bytes(256)], { type: 'application/octet-stream' })],
  'binary, longer than a key': ['POST', new Blob([bytes(10000)])],
  'an empty body': ['POST', ''],
  'PUT JSON': ['PUT', '{"name": "put"}', json],
  'PUT binary': ['PUT', bytes(50), 'application/octet-stream'],
  'PATCH JSON': ['PATCH', '{"name": "patch"}', json],
  'DELETE': ['DELETE'],
  'DELETE with a body': ['DELETE', '{"name": "delete"}', json],
};

async function tests() {
  for (const [name, [method, body, type]] of Object.entries(requests)) {
    await check(name, () => send(method, body, type));
  }
  await check('a form element', () => new Promise((done, fail) => {
    const frame = document.querySelector('iframe');
    frame.onload = () => {
      const got = JSON.parse(frame.contentDocument.body.innerText);
      if (got.method === 'POST' && got.length === 'name=gr%C3%B6%C3%9Fer+%26+kleiner&a=1&empty='.length) done();
      else fail(new Error(JSON.stringify(got)));
    };
    document.forms[0].submit();
  }));
}

addEventListener('load', () => tests().finally(() => { window.done = true; }));
