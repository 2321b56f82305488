// The thumbnail of a page. Recorded images are no resources of this page: the bytes of a picture that
// was made of the page are fetched from the recorder, decoded, and drawn. Where there is none, the first
// letter of the host is shown.
import { html, useEffect, useRef, useState } from './html.js';
import { mayPass, patiently } from './again.js';
import { askBytes } from './ask.js';
import { visible } from './words.js';

const none = new Set(); // what is no image, so as not to ask again
const most = 500; // of these
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
        if (gone.signal.aborted || mayPass(problem)) return;
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
