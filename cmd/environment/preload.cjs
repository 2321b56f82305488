'use strict';
// Node.js loads this before a program of its own (NODE_OPTIONS=--require). What goes through a
// proxy by NODE_USE_ENV_PROXY from Node.js 22.21 and 24.5 on goes through the recorder in older
// ones too: http.get, https.get and what else uses their global agents, and fetch. And browsers
// that a program starts to drive them get our flags.
const { host, port, flags } = require('./proxy.json');
const children = require('child_process');
const http = require('http');
const https = require('https');
const { syncBuiltinESMExports } = require('module');
const net = require('net');
const path = require('path');
const tls = require('tls');

// goesPast reports whether a host is not asked through the recorder: it is of no_proxy, or it is
// the recorder, which some programs ask as a proxy by themselves.
function goesPast(to, toPort) {
  if (to === host && Number(toPort) === port) return true;
  const { no_proxy: small, NO_PROXY: large } = process.env;
  return (small || large || '').split(/[\s,]+/).some((rule) => {
    const [, name, only] = /^(?:\*?[.])?(.*?)(?::(\d+))?$/.exec(rule);
    const fits = name === '*' || to === name || to.endsWith(`.${name}`);
    return name !== '' && fits && (!only || only === String(toPort));
  });
}

// tunnel gives done a connection to a host through the recorder, or returns one that goes past
// it.
function tunnel(to, toPort, done) {
  if (goesPast(to, toPort)) return net.connect({ host: to, port: toPort, autoSelectFamily: true });
  const target = `${net.isIPv6(to) ? `[${to}]` : to}:${toPort}`;
  const headers = { Host: target };
  const createConnection = () => net.connect(port, host);
  http
    .request({ method: 'CONNECT', path: target, headers, createConnection })
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
    const { host: to = 'localhost', port: toPort = 443 } = options;
    if (options.socketPath || goesPast(to, toPort)) return secure.call(this, options, done);
    tunnel(to, toPort, (error, socket) => {
      if (error) return done(error);
      secured({ ...options, path: undefined, socket }, done);
    });
  };
}

// leadFetch puts a function of ours before fetch. Where Node.js does not know proxies, the first
// fetch puts a dispatcher of ours in place of its own, whose class is inside of Node.js: the one
// that is there tells it. One that a program has set is left alone.
function leadFetch(knowsProxies) {
  const { fetch } = globalThis;
  if (!fetch) return;
  const global = Symbol.for('undici.globalDispatcher.1');
  let ready = knowsProxies;
  globalThis.fetch = async function (input, init) {
    if (!ready) {
      ready = true;
      void globalThis.Headers; // brings all that fetch needs
      const Dispatcher = globalThis[global]?.constructor;
      if (Dispatcher?.name === 'Agent') globalThis[global] = new Dispatcher({ connect });
      if (!Dispatcher) console.error('warcorder: fetch of this Node.js goes past the recorder');
    }
    await listens(String(input?.url ?? input));
    return fetch(input, init);
  };
}

// listens fails, as fetch does without a proxy, where nobody listens on a port of this machine.
// Programs look for a free one so: any answer, as the recorder's 502, would be somebody's.
function listens(url) {
  const at = /^http:[/][/](localhost|127[.][0-9.]+):(\d+)/.exec(url);
  if (!at) return undefined;
  return new Promise((done, fail) => {
    const socket = net
      .connect({ host: at[1], port: at[2], autoSelectFamily: true })
      .on('connect', () => done(socket.destroy()))
      .on('error', (cause) => fail(Object.assign(new TypeError('fetch failed'), { cause })));
  });
}

// connect makes the connections of such a dispatcher.
function connect({ hostname, port: toPort, protocol, servername }, done) {
  const secure = protocol === 'https:';
  const to = hostname.replace(/^\[|\]$/g, '');
  const reached = (error, socket) => {
    if (error || !secure) return done(error, socket);
    const named = servername || (net.isIP(to) ? '' : to);
    secured({ host: to, servername: named, ALPNProtocols: ['http/1.1'], socket }, done);
  };
  const past = tunnel(to, toPort || (secure ? 443 : 80), reached);
  if (past) past.once('error', done).once('connect', () => {
    past.removeListener('error', done);
    reached(null, past);
  });
}

// Programs that take Chromium's flags, by name.
const chromium = new RegExp(
  '^(chrom(e|ium)([ -].*)?|google[ -]chrome.*|headless[_-]shell|msedge|microsoft[ -]edge.*' +
    '|brave([ -]browser.*)?)([.]exe)?$', 'i');

// leadBrowsers adds those of our flags that are not there already. What drives the browser by a
// port of this machine goes past the recorder.
function leadBrowsers() {
  const { spawn } = children;
  children.spawn = function (file, args, options) {
    const drives = (arg) => /^--(headless|remote-debug)/.test(arg);
    const driven = Array.isArray(args) && args.some(drives);
    if (!driven || !chromium.test(path.basename(String(file)))) return spawn.apply(this, arguments);
    const debug = /^--remote-debugging-port=([1-9]\d*)$/m.exec(args.join('\n'));
    if (debug) passBy(debug[1]);
    const has = (flag) => args.some((arg) => String(arg).startsWith(flag.split('=')[0]));
    return spawn.call(this, file, [...flags.filter((flag) => !has(flag)), ...args], options);
  };
}

// passBy adds a port of this machine to what is asked without a proxy; fetch of newer Node.js
// looks there each time too.
function passBy(debug) {
  const past = `${process.env.no_proxy || ''} localhost:${debug} 127.0.0.1:${debug}`.trim();
  process.env.no_proxy = process.env.NO_PROXY = past;
}

const knowsProxies = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
if (!knowsProxies) leadAgents();
leadFetch(knowsProxies);
leadBrowsers();
syncBuiltinESMExports();
