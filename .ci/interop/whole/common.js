// What the pages share. Each has judge(), which throws what is wrong with it, and may have visit(),
// what a person does with it. Replayers put each script in a scope of its own: what others use is
// set on window.
window.loaded = new Promise((done) => { window.addEventListener('load', done); });

const failed = new Promise((_, reject) => {
  window.fail = (what) => reject(new Error(what));
});
failed.catch(() => {});

window.same = (got, want) => {
  if (got === want) return;
  throw new Error(`got ${String(got).slice(0, 200)}, want ${String(want).slice(0, 200)}`);
};

// until waits until holds() does, at most a minute, and not after fail().
window.until = async (what, holds) => {
  for (const deadline = Date.now() + 60000; !holds();) {
    if (Date.now() > deadline) throw new Error(`not within a minute: ${what}`);
    await Promise.race([failed, new Promise((done) => { setTimeout(done, 50); })]);
  }
};

window.sha256 = async (url) => {
  const response = await fetch(url, { cache: 'no-store' });
  window.same(response.ok, true);
  const sum = await crypto.subtle.digest('SHA-256', await response.arrayBuffer());
  return [...new Uint8Array(sum)].map((n) => n.toString(16).padStart(2, '0')).join('');
};
