// Films: HLS and DASH, in hls.js and dash.js, and an mp4 that is sought in. Each page begins to play
// and seeks as in whole.sh, of which pages and media are; what is looked at is the picture of some
// moments, which a film that stands still there shows.
import { behind } from '../origin.mjs';

const site = 'https://media.example.org';
export const start = `${site}/front`;

const films = {
  front: [30, 58, 1], // to the end, and back
  end: [58, 1],
  hls: [12, 22],
  dash: [12, 22],
};

// still stops the film at that second. A canvas shows the picture that is there then, in the film's
// place, and the page says what its bytes are.
async function still(second) {
  const video = document.querySelector('video');
  video.pause();
  video.style.display = 'block';
  let shown;
  const look = (_, { mediaTime }) => {
    shown = mediaTime;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
  video.currentTime = second;
  await until(`there is a picture at ${second} s`, () => (
    !video.seeking && video.readyState >= 2 && Math.abs(shown - second) < 0.1));
  document.querySelectorAll('canvas, pre').forEach((old) => old.remove());
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const context = canvas.getContext('2d');
  context.drawImage(video, 0, 0);
  const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
  const sum = await crypto.subtle.digest('SHA-256', data);
  const hex = [...new Uint8Array(sum)].map((n) => n.toString(16).padStart(2, '0')).join('');
  const said = document.createElement('pre');
  const { currentTime, duration } = video;
  said.textContent = [
    `${canvas.width} x ${canvas.height}`, `${currentTime} of ${duration.toFixed(2)} s`, hex,
  ].join('\n');
  video.style.display = 'none';
  document.body.append(canvas, said);
}

// shows is what the texts of some steps hold, if the site works.
export const shows = { 'front-58': '58 of', 'end-1': '1 of', 'hls-22': '22 of', 'dash-22': '22 of' };

export async function walk(page, step) {
  for (const [name, seconds] of Object.entries(films)) {
    await page.goto(`${site}/${name}`);
    await page.evaluate('visit()');
    for (const second of seconds) {
      await page.evaluate(still, second);
      await step(`${name}-${second}`);
    }
  }
}

// REPLAY_MEDIA is the URL of whole/site.mjs.
export const serve = () => ({ 'media.example.org': behind(process.env.REPLAY_MEDIA) });
