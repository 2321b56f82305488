'use strict';
// Node.js loads this before a program of its own (NODE_OPTIONS=--require). What goes through a proxy
// by NODE_USE_ENV_PROXY from Node.js 22.21 and 24.5 on goes through the recorder in older ones too:
// http.get, https.get and what else uses their global agents, and fetch. And browsers that a program
// starts to drive them get our flags.
const { host, port, flags } = require('./preload.json');
const children = require('child_process');
const http = require('http');
const https = require('https');
const { syncBuiltinESMExports } = require('module');
const net = require('net');
const path = require('path');
const tls = require('tls');

// tunnel gives done a connection to a host through the recorder; one to the recorder itself, for
// programs that ask it as a proxy by themselves, leads straight there.
function tunnel(to, toPort, done) {
  const direct = () => net.connect(port, host);
  if (to === host && Number(toPort) === port) return direct();
  const target = `${net.isIPv6(to) ? `[${to}]` : to}:${toPort}`;
  const headers = { Host: target };
  http
    .request({ method: 'CONNECT', path: target, headers, createConnection: direct })
    .on('connect', (answer, socket) => {
      if (answer.statusCode === 200) return done(null, socket);
      socket.destroy();
      done(new Error(`the recorder answers ${answer.statusCode} to CONNECT ${target}`));
    })
    .on('error', done)
    .end();
}

// secured gives done a connection with TLS upon one without.
function secured(options, done) {
  const socket = tls.connect(options, () => {
    socket.removeListener('error', done);
    done(null, socket);
  });
  socket.once('error', done);
}

function leadAgents() {
  const { createConnection: plain } = http.globalAgent;
  http.globalAgent.createConnection = function (options, done) {
    if (options.socketPath) return plain.call(this, options, done);
    return tunnel(options.host || 'localhost', options.port || 80, done);
  };
  const { createConnection: secure } = https.globalAgent;
  https.globalAgent.createConnection = function (options, done) {
    if (options.socketPath) return secure.call(this, options, done);
    tunnel(options.host || 'localhost', options.port || 443, (error, socket) => {
      if (error) return done(error);
      secured({ ...options, path: undefined, socket }, done);
    });
  };
}

// leadFetch has the first fetch put a dispatcher of ours in place of its own. The class of those is
// inside of Node.js: the one that is there tells it. One that a program has set is left alone.
function leadFetch() {
  const { fetch } = globalThis;
  if (!fetch) return;
  const global = Symbol.for('undici.globalDispatcher.1');
  let led = false;
  globalThis.fetch = function (input, init) {
    if (!led) {
      led = true;
      void globalThis.Headers; // brings all that fetch needs
      const Dispatcher = globalThis[global]?.constructor;
      if (Dispatcher?.name === 'Agent') globalThis[global] = new Dispatcher({ connect });
      if (!Dispatcher) console.error('warcorder: fetch of this Node.js goes past the recorder');
    }
    return fetch(input, init);
  };
}

// connect makes the connections of such a dispatcher.
function connect({ hostname, port, protocol, servername }, done) {
  const secure = protocol === 'https:';
  const name = hostname.replace(/^\[|\]$/g, '');
  const direct = tunnel(name, port || (secure ? 443 : 80), (error, socket) => {
    if (error || !secure) return done(error, socket);
    const named = servername || (net.isIP(name) ? '' : name);
    secured({ host: name, servername: named, ALPNProtocols: ['http/1.1'], socket }, done);
  });
  if (direct) direct.once('connect', () => done(null, direct)).once('error', done);
}

// Programs that take Chromium's flags, by name.
const chromium = new RegExp(
  '^(chrom(e|ium)([ -].*)?|google[ -]chrome.*|headless[_-]shell|msedge|microsoft[ -]edge.*' +
    '|brave([ -]browser.*)?)([.]exe)?$', 'i');

// leadBrowsers adds those of our flags that are not there already.
function leadBrowsers() {
  const { spawn } = children;
  children.spawn = function (file, args, options) {
    const driven = Array.isArray(args) && args.some((arg) => /^--(headless|remote-debug)/.test(arg));
    if (!driven || !chromium.test(path.basename(String(file)))) return spawn.apply(this, arguments);
    const has = (flag) => args.some((arg) => String(arg).startsWith(flag.split('=')[0]));
    return spawn.call(this, file, [...flags.filter((flag) => !has(flag)), ...args], options);
  };
}

if (!process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
  leadAgents();
  leadFetch();
}
leadBrowsers();
syncBuiltinESMExports();
