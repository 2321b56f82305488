'use strict';
// Asks, through whatever the browser uses as its proxy, two addresses of the recorder's own name:
// one over HTTP, one over HTTPS. Each tells which recorder it is, or cannot be had.
{
  const { recorder, ask, askTrust } = document.body.dataset;
  const again = document.getElementById('again');
  const ways = location.protocol === 'https:' ? [askTrust] : [ask, askTrust];

  const asked = async (url) => {
    try {
      const answer = await fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(15000) });
      return (await answer.json()).recorder;
    } catch {
      return '';
    }
  };

  const show = (question, is) => {
    for (const verdict of document.querySelectorAll(`[data-question="${question}"]`)) {
      verdict.hidden = verdict.dataset.is !== is;
    }
  };

  // A page that came over HTTPS may ask nothing over HTTP, and came through the recorder itself.
  const through = (plain, secure) => {
    if (ways.length === 1) return secure && secure !== recorder ? 'other' : 'yes';
    if (plain) return plain === recorder ? 'yes' : 'other';
    if (secure) return secure === recorder ? 'secure' : 'other';
    return 'no';
  };

  const trusts = (isThrough, secure) => {
    if (isThrough === 'no' || isThrough === 'other') return isThrough;
    return secure ? 'yes' : 'untrusted';
  };

  let running = false;
  const check = async () => {
    if (running) return;
    running = true;
    const answers = await Promise.all(ways.map(asked));
    const secure = answers[answers.length - 1];
    const isThrough = through(answers[0], secure);
    show('through', isThrough);
    show('trust', trusts(isThrough, secure));
    document.body.dataset.checked = String(1 + Number(document.body.dataset.checked ?? 0));
    running = false;
  };

  show('through', 'wait');
  show('trust', 'wait');
  again.hidden = false;
  again.addEventListener('click', () => {
    show('through', 'wait');
    show('trust', 'wait');
    check();
  });
  // who comes back from the settings has changed something
  document.addEventListener('visibilitychange', () => { if (!document.hidden) check(); });
  check();
}
