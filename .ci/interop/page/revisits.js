// The script of revisits.html: shows that it ran and what it could fetch, and
// leaves in window.results whether all is there. Others replay it as well.
const number = document.currentScript.dataset.number;
document.getElementById('script').textContent = 'the script ran';
window.results = [];

async function look(name, find) {
  let problem;
  try {
    problem = await find();
  } catch (failure) {
    problem = String(failure);
  }
  window.results.push({ name: `page ${number}: ${name}`, problem });
}

const kinds = ['plain', 'gzip', 'chunked', 'other-chunks', 'gzip-chunked'];
const texts = kinds.map((kind) => look(`fetch ${kind}`, async () => {
  const response = await fetch(`/same/${number}/${kind}`);
  const body = await response.arrayBuffer();
  document.getElementById('text').textContent = new TextDecoder().decode(body).slice(0, 34);
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', body));
  const digest = [...sum].map((n) => n.toString(16).padStart(2, '0')).join('');
  if (response.status !== 200 || digest !== response.headers.get('x-sha256')) {
    return `${response.status}, ${body.byteLength} bytes`;
  }
}));

const loaded = new Promise((done) => { window.addEventListener('load', done); });
Promise.all([...texts, loaded.then(() => look('image', () => {
  const { naturalWidth, naturalHeight } = document.getElementById('image');
  if (naturalWidth !== 64 || naturalHeight !== 64) return `${naturalWidth} x ${naturalHeight}`;
})), loaded.then(() => look('style sheet', () => {
  const ours = (sheet) => sheet.href?.includes(`/same/${number}/`) && sheet.cssRules.length > 0;
  if (![...document.styleSheets].some(ours)) return 'is not there';
}))]).then(() => { window.done = true; });
