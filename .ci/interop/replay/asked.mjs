// What a browser has sent, as its own log of the network tells (--log-net-log): also what service
// workers and workers ask for, and preflights, which no page sees.
import fs from 'node:fs';

// sent lists each request that left the browser, in its order: its method, its URL, and the status
// of the answer, if one came.
export function sent(log) {
  const { constants, events } = JSON.parse(fs.readFileSync(log));
  const type = constants.logEventTypes;
  const asks = {}; // what each source of events asks for at the time
  const requests = [];
  const last = {};
  for (const { type: of, source: { id }, params } of events) {
    if (of === type.URL_REQUEST_START_JOB && params?.url) {
      asks[id] = { method: params.method, url: params.url.split('#')[0] };
    } else if (of === type.HTTP_TRANSACTION_SEND_REQUEST_HEADERS && asks[id]) {
      last[id] = { ...asks[id], status: null };
      requests.push(last[id]);
    } else if (of === type.HTTP_TRANSACTION_READ_RESPONSE_HEADERS && last[id]) {
      last[id].status = Number(params.headers[0].split(' ')[1]);
    }
  }
  return requests;
}
