// What curl asks for: answers of many kinds, each from its path. There is nothing to walk over.
import { send } from '../origin.mjs';

let number = 0;
const text = (body, head = {}, status = 200) => (request, response) => {
  response.writeHead(status, { 'Content-Type': 'text/plain', 'Content-Length': body.length, ...head });
  response.end(body);
};

const answers = {
  '/number': (request, response) => text(`number ${++number}\n`)(request, response),
  '/page': (request, response) => send(request, response, 'html', '<h1>a page</h1>', {
    'Last-Modified': 'Sun, 01 Nov 2026 10:00:00 GMT',
  }),
  '/busy': text('come back\n', { 'Retry-After': '120' }, 503),
  '/gone': text('gone\n', {}, 410),
  '/cookies': text('cookies\n', {
    'Set-Cookie': ['a=1; Path=/; Secure; HttpOnly', 'b="2"; SameSite=Lax; Max-Age=60'],
  }),
  '/policy': text('policy\n', {
    'Content-Security-Policy': "default-src 'self'", 'Strict-Transport-Security': 'max-age=60',
  }),
  '/cors': text('read by another\n', {
    'Access-Control-Allow-Origin': 'https://other.example.org', 'Access-Control-Allow-Credentials': 'true',
  }),
  '/early': (request, response) => {
    response.writeEarlyHints({ link: '</page>; rel=preload; as=document' });
    text('after a hint\n')(request, response);
  },
  '/events': async (request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    for (let n = 1; n <= 5; n++) {
      response.write(`id: ${n}\ndata: event ${n}\n\n`);
      await new Promise((done) => { setTimeout(done, 100); });
    }
    response.end();
  },
};

const lead = (to) => (request, response) => {
  response.writeHead(301, { Location: to + request.url, 'Content-Length': 0 }).end();
};

export const serve = () => ({
  'plain.example.org': (request, response) => {
    (answers[request.url.split('?')[0]] ?? text('not found\n', {}, 404))(request, response);
  },
  // http://chain to https://chain to https://www.chain, which are one key of an index.
  'chain.example.org': (request, response) => {
    lead(request.socket.encrypted ? 'https://www.chain.example.org' : 'https://chain.example.org')(
      request, response,
    );
  },
  'www.chain.example.org': text('the end of the chain\n'),
});
