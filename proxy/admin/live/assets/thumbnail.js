// The thumbnail of a page. Recorded images are no resources of this page: the bytes of a picture that
// was made of the page are fetched from the recorder, decoded, and drawn. Where there is none, the first
// letter of the host is shown.
import { html, useEffect, useRef, useState } from './vendor/htm-3.1.1/standalone.module.js';
import { askBytes } from './ask.js';
import { visible } from './words.js';

const none = new Set(); // what is no image, so as not to ask again
const most = 500; // of these
const tries = 4; // where the recorder is busy, or does not answer
const side = 64;
let turn = Promise.resolve(); // one is decoded at a time: each may take 64 MiB

function letter(url) {
  const host = String(url).replace(/^[a-z]+:\/\/(www\.)?/i, '');
  return visible([...host][0] ?? '?').slice(0, 1).toUpperCase();
}

/** Thumbnail draws what a page has as one. */
export function Thumbnail({ image, url }) {
  const canvas = useRef(null);
  const [drawn, setDrawn] = useState(false);
  const name = image ? `${image.file} ${image.offset}` : '';
  useEffect(() => {
    setDrawn(false);
    if (!name || none.has(name)) return undefined;
    const gone = new AbortController();
    patiently(() => draw(canvas.current, image, gone.signal), gone.signal).then(
      () => setDrawn(true),
      (problem) => {
        if (gone.signal.aborted || isPassing(problem)) return;
        if (none.size >= most) none.clear();
        none.add(name);
      },
    );
    return () => gone.abort();
  }, [name]);
  return html`<span class="thumbnail" aria-hidden="true">
    <canvas ref=${canvas} width=${side} height=${side} hidden=${!drawn}></canvas>
    ${!drawn && letter(url)}</span>`;
}

/** isPassing reports that the next try may succeed: too much is asked, or the recorder is away. */
function isPassing(problem) {
  return problem.status === 503 || problem.status === 0;
}

/** patiently does something again where it may succeed a little later. */
async function patiently(work, signal, pause = 1000) {
  for (let n = 1; ; n++) {
    try {
      return await work();
    } catch (problem) {
      if (signal.aborted || !isPassing(problem) || n === tries) throw problem;
    }
    await new Promise((after) => { setTimeout(after, n * pause * (0.5 + Math.random())); });
    if (signal.aborted) throw signal.reason;
  }
}

async function draw(canvas, { file, offset }, signal) {
  const bytes = await askBytes('live/image', { file, offset }, signal);
  const drawn = turn.then(() => drawOn(canvas, bytes, signal));
  turn = drawn.catch(() => {});
  return drawn;
}

async function drawOn(canvas, bytes, signal) {
  if (signal.aborted) return undefined;
  const picture = await createImageBitmap(bytes);
  if (signal.aborted) return picture.close();
  const scale = Math.max(side / picture.width, side / picture.height);
  const [width, height] = [picture.width * scale, picture.height * scale];
  const pen = canvas.getContext('2d');
  pen.clearRect(0, 0, side, side);
  pen.drawImage(picture, (side - width) / 2, 0, width, height); // the top of it says most
  return picture.close();
}
