// A page with a film, whose player begins at once, as most do.
const video = document.querySelector('video');
video.addEventListener('error', () => {
  fail(`MediaError ${video.error.code} ${video.error.message}`);
});

if (film.player === 'hls') {
  const hls = new Hls();
  hls.on(Hls.Events.ERROR, (_, { fatal, details, error }) => {
    if (fatal) fail(`hls.js: ${details} ${error?.message}`);
  });
  hls.loadSource(film.url);
  hls.attachMedia(video);
} else if (film.player === 'dash') {
  const player = dashjs.MediaPlayer().create();
  player.on(dashjs.MediaPlayer.events.ERROR, ({ error }) => {
    fail(`dash.js: ${error.code} ${error.message}`);
  });
  player.initialize(video, film.url, false);
} else {
  video.src = film.url;
}

async function begin() {
  await until('the film begins', () => video.readyState >= 3);
  await video.play();
  await until('it plays', () => video.currentTime > 1);
}

// seek goes to a place and plays from there for half a second.
async function seek(seconds) {
  video.currentTime = seconds;
  await until(`there is a picture at ${seconds} s`, () => !video.seeking && video.readyState >= 3);
  await video.play();
  await until(`it plays from ${seconds} s on`, () => video.currentTime > seconds + 0.5);
}

// A person looks at the beginning, seeks, and has seen enough. A film that comes as many files is
// waited for: those that nobody asks for, nobody records.
window.visit = async () => {
  await begin();
  for (const part of film.visits) await seek(part * film.seconds);
  if (!film.wait) return;
  await until('all is there', () => {
    const { buffered } = video;
    return buffered.length > 0 && buffered.end(buffered.length - 1) > film.seconds - 1;
  });
};

// playToEnd plays the last two seconds. Of the live site, too, dash.js leaves 3 of 40 films at their last
// moment without ending them; a person plays them once more then.
async function playToEnd() {
  for (let plays = 0; plays < 3 && !video.ended; plays++) {
    await seek(film.seconds - 2);
    await until('it comes to its last moment', () => video.ended || video.currentTime >= video.duration);
    for (let i = 0; i < 20 && !video.ended; i++) await new Promise((done) => { setTimeout(done, 50); });
  }
  await until('it plays to the end', () => video.ended);
}

window.judge = async () => {
  await begin();
  same(Math.round(video.duration), film.seconds);
  same(`${video.videoWidth} x ${video.videoHeight}`, '640 x 360');
  await seek(0.33 * film.seconds);
  await seek(0.66 * film.seconds);
  await playToEnd();
  if (!film.sha256) return;
  video.removeAttribute('src');
  video.load();
  same(await sha256(film.url), film.sha256);
};
