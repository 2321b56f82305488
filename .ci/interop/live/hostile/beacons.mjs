// Listeners on 127.0.0.0/8 that note who connects: one for each hostile body, each on a port of its
// own, so that what reaches one says which body has acted. A name below hostile.test stands for each
// too; no name server knows these, and the browser's own log says whether it has asked for one.
import net from 'node:net';

export class Beacons {
  constructor() {
    this.all = new Map(); // by name
  }

  /** add opens the listener of a body. */
  async add(name) {
    const beacon = { name, host: `b${this.all.size}.hostile.test`, came: [] };
    const server = net.createServer((socket) => {
      beacon.came.push(beacon.now ?? 'a connection');
      socket.on('error', () => {});
      socket.once('data', (bytes) => {
        beacon.came[beacon.came.length - 1] = bytes.toString('latin1').split('\r\n')[0].slice(0, 120);
        socket.end(
          'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        );
      });
    });
    const at = `127.77.0.${(this.all.size % 200) + 1}`;
    await new Promise((done) => {
      server.listen(0, at, done);
    });
    server.unref();
    beacon.url = `http://${at}:${server.address().port}`;
    beacon.end = () => server.close();
    this.all.set(name, beacon);
    return beacon;
  }

  /** take returns who was reached since the last time, in words, and forgets it. */
  take() {
    const reached = [];
    for (const beacon of this.all.values()) {
      if (beacon.came.length) reached.push(`${beacon.name}: ${beacon.came.join(', ')}`);
      beacon.came = [];
    }
    return reached;
  }

  close() {
    for (const beacon of this.all.values()) beacon.end();
  }
}
