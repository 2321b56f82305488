// A page as ASP.NET makes them: one form, 50 KB of hidden fields in front of what a person enters,
// posted to the page's own URL. It is filled in twice from its beginning, so that what is posted
// differs at its very end alone; and then once more, from where that has led.
import crypto from 'node:crypto';
import { bodyOf, send } from '../origin.mjs';

export const start = 'https://forms.example.org/register.aspx';

// shows is what the texts of some steps hold, if the site works.
export const shows = { first: 'Spilliaert, Léon', second: 'Dubois, Louis', third: 'Ensor, James' };

export async function walk(page, step) {
  const show = async (town, name) => {
    await page.selectOption('select', town);
    await page.click('button');
    await page.waitForFunction((shown) => ( // while the answer comes, a page is there without its heading or list
      document.readyState === 'complete' && document.querySelector('h1')?.textContent === shown), town);
    await step(name);
  };
  await page.goto(start);
  await step('empty');
  await show('Ostende', 'first');
  await page.goto(start);
  await show('Westend', 'second');
  await show('Ostende', 'third');
}

// viewState is 50 KB that nothing compresses, the same for the same page.
function viewState(town) {
  const size = 37500; // 50,000 characters of base64
  const cipher = crypto.createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16, town));
  return cipher.update(Buffer.alloc(size)).toString('base64');
}

const towns = { '': [], Ostende: ['Ensor, James', 'Spilliaert, Léon'], Westend: ['Dubois, Louis'] };

const page = (town) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>register</title><link rel="icon" href="data:,">
<form method="post" action="/register.aspx">
<input type="hidden" name="__VIEWSTATE" value="${viewState(town || 'none')}">
<input type="hidden" name="__EVENTTARGET" value="towns"><input type="hidden" name="__EVENTARGUMENT">
<h1>${town}</h1>
<p>Who lived where: the register of three painters, by the towns in which they worked.
<ul>${towns[town].map((person) => `<li>${person}`).join('')}</ul>
<select name="towns"><option>Ostende<option>Westend</select> <button>Show</button>
</form>`;

export const serve = () => ({
  'forms.example.org': async (request, response) => {
    const sent = new URLSearchParams((await bodyOf(request)).toString());
    send(request, response, 'html', page(sent.get('towns') ?? ''), { 'Cache-Control': 'no-store' });
  },
});
