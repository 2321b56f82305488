// Where a walk sees the pages of a site. A proxy shows them at their own URLs; a replayer that rewrites
// shows them behind its own, or in a frame.
import { alone, serveReplayweb, textOfFrames } from '../replayweb.mjs';

const shown = 'document.readyState !== "loading" && typeof _wb_wombat !== "undefined"';

// replayweb is the frame of the recorded page, at most 20 seconds later, or null.
async function recorded(page) {
  for (const deadline = Date.now() + 20000; Date.now() < deadline;) {
    const frame = page.frames().find((one) => /\/replay\/w\/[^?]*mp_\//.test(one.url()));
    if (await frame?.evaluate(shown).catch(() => false)) return frame;
    await new Promise((done) => { setTimeout(done, 50); });
  }
  return null;
}

// inFrame is the page as a walk may use it: what a frame can do is done in the recorded page's.
function inFrame(page, archive) {
  let frame = null;
  const goto = async (url) => {
    const { address } = await archive;
    for (let load = 0; load < 3; load++) { // on a busy machine the first now and then stays empty
      await page.goto(address(url));
      frame = await recorded(page);
      if (frame) return;
    }
    throw new Error(`replayweb.page does not show ${url}: ${await textOfFrames(page)}`);
  };
  return new Proxy(page, {
    get(_, name) {
      if (name === 'goto') return goto;
      const of = frame && name in frame ? frame : page;
      return typeof of[name] === 'function' ? of[name].bind(of) : of[name];
    },
  });
}

function behind(page, collection) {
  const goto = (url) => page.goto(`${collection}/${url}`);
  return new Proxy(page, {
    get(_, name) {
      if (name === 'goto') return goto;
      return typeof page[name] === 'function' ? page[name].bind(page) : page[name];
    },
  });
}

// viewOf takes the address of a proxy, `pywb=` and the URL of a collection, or `replayweb=` and the
// path of a WACZ. Returns whether it rewrites, flags for Chromium, what makes a page the walk's, and
// what ends it.
export function viewOf(from) {
  const [, how, archive] = /^(pywb|replayweb)=(.*)$/.exec(from) ?? [];
  const close = async () => {};
  if (how === 'pywb') return { rewrites: true, flags: alone, view: (page) => behind(page, archive), close };
  if (how === 'replayweb') {
    const served = serveReplayweb(archive);
    const end = async () => (await served).close();
    return { rewrites: true, flags: alone, view: (page) => inFrame(page, served), close: end };
  }
  const flags = [`--proxy-server=${from}`, '--proxy-bypass-list=<-loopback>'];
  return { rewrites: false, flags, view: (page) => page, close };
}
