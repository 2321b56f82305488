// A page whose data comes from a GraphQL server of another host: queries that are longer than 4096
// characters, in which the variables come last, by POST and by GET; mutations; a subscription, as
// Server-Sent Events.
import { createRequire } from 'node:module';
import { send } from '../origin.mjs';

export const start = 'https://books.example.org/';
const api = 'https://graphql.example.org/graphql';

// shows is what the texts of some steps hold, if the site works.
export const shows = {
  'post-A': '199 book 3 of shelf A',
  'get-B': '199 book 2 of shelf B',
  'post-C': '199 book 3 of shelf C',
  'review-bad': '1. a good book\n2. a bad book',
  counted: '5\n4\n3\n2\n1',
};

export async function walk(page, step) {
  await page.goto(start);
  for (const shelf of ['A', 'B', 'C']) {
    await page.click(`text=shelf ${shelf} by POST`);
    await page.waitForSelector(`h1 >> text=shelf ${shelf} by POST`);
    await step(`post-${shelf}`);
    await page.click(`text=shelf ${shelf} by GET`);
    await page.waitForSelector(`h1 >> text=shelf ${shelf} by GET`);
    await step(`get-${shelf}`);
  }
  for (const words of ['a good book', 'a bad book']) {
    await page.fill('input', words);
    await page.click('text=review');
    await page.waitForSelector(`li >> text=${words}`);
    await step(`review-${words.split(' ')[1]}`);
  }
  await page.click('text=count down');
  await page.waitForSelector('h1 >> text=complete');
  await step('counted');
}

const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>books</title><link rel="icon" href="data:,">
<nav></nav><input><button id="review">review</button><button id="count">count down</button>
<h1>&nbsp;</h1><ul></ul>
<script>
// What a framework makes of fragments: a field in 200 guises, of which the server answers each.
const fields = Array.from({ length: 200 }, (_, n) => 'guise' + n + ': title(prefix: "' + n + ' ")');
const query = 'query Shelf($shelf: String!, $first: Int!) { books(shelf: $shelf, first: $first) { '
  + fields.join(' ') + ' } }';
const show = (heading, lines) => {
  document.querySelector('ul').replaceChildren(...lines.map((line) => (
    Object.assign(document.createElement('li'), { textContent: line }))));
  document.querySelector('h1').textContent = heading;
};
const post = async (sent) => (await fetch('${api}', {
  method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(sent),
})).json();
const get = async (sent) => (await fetch('${api}?' + new URLSearchParams({
  query: sent.query, variables: JSON.stringify(sent.variables),
}))).json();

for (const shelf of ['A', 'B', 'C']) {
  for (const [how, ask] of [['POST', post], ['GET', get]]) {
    const button = document.createElement('button');
    button.textContent = 'shelf ' + shelf + ' by ' + how;
    button.onclick = async () => {
      const { data } = await ask({ query, variables: { shelf, first: how.length } });
      show(button.textContent, data.books.map((book) => book.guise0 + '; ' + book.guise199));
    };
    document.querySelector('nav').append(button);
  }
}
document.querySelector('#review').onclick = async () => {
  const { data } = await post({
    query: 'mutation Review($words: String!) { review(words: $words) { number words } }',
    variables: { words: document.querySelector('input').value },
  });
  show('reviews', data.review.map(({ number, words }) => number + '. ' + words));
};
document.querySelector('#count').onclick = () => {
  const counted = [];
  const source = new EventSource('${api}?query=' + encodeURIComponent('subscription { countdown(from: 5) }'));
  source.addEventListener('next', ({ data }) => {
    counted.push(JSON.parse(data).data.countdown);
    show('counting', counted);
  });
  source.addEventListener('complete', () => {
    source.close();
    show('complete', counted);
  });
};
</script>`;

// The packages are in the folder that REPLAYSITES names.
export async function serve() {
  const { createSchema, createYoga } = createRequire(`${process.env.REPLAYSITES}/`)('graphql-yoga');
  const reviews = [];
  const yoga = createYoga({
    logging: false,
    schema: createSchema({
      typeDefs: `
        type Book { title(prefix: String!): String! }
        type Review { number: Int! words: String! }
        type Query { books(shelf: String!, first: Int!): [Book!]! }
        type Mutation { review(words: String!): [Review!]! }
        type Subscription { countdown(from: Int!): Int! }`,
      resolvers: {
        Query: {
          books: (_, { shelf, first }) => Array.from({ length: first }, (__, n) => ({
            title: ({ prefix }) => `${prefix}book ${n} of shelf ${shelf}`,
          })),
        },
        Mutation: {
          review: (_, { words }) => {
            reviews.push({ number: reviews.length + 1, words });
            return reviews;
          },
        },
        Subscription: {
          countdown: {
            async* subscribe(_, { from }) {
              for (let n = from; n > 0; n--) {
                yield { countdown: n };
                await new Promise((done) => { setTimeout(done, 100); });
              }
            },
          },
        },
      },
    }),
  });
  return {
    'books.example.org': (request, response) => send(request, response, 'html', html),
    'graphql.example.org': yoga,
  };
}
