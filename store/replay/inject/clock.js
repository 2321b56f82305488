(function (start, seed) {
  "use strict";
  var all = self, Real = Date, own = Object.getOwnPropertyDescriptor, define = Object.defineProperty;

  function attempt(change) { try { change(); } catch (e) {} }
  function set(object, name, value) {
    var d = own(object, name);
    d.value = value;
    define(object, name, d);
  }
  function get(object, name, make) {
    var d = own(object, name);
    d.get = make(d.get);
    define(object, name, d);
  }

  // sfc32, one for each source of chance.
  function chance(a, b, c, d) {
    return function () {
      var t = (a + b | 0) + d | 0;
      d = d + 1 | 0;
      a = b ^ b >>> 9;
      b = Math.imul(c, 9);
      c = Math.imul(c, 2097152) | c >>> 11;
      c = c + t | 0;
      return t >>> 0;
    };
  }
  var number = chance(seed[0], seed[1], seed[2], 1), bytes = chance(seed[1], seed[2], seed[3], 2);
  function byte() { return bytes() >>> 24; }

  var clock = performance.now.bind(performance), origin = performance.timeOrigin;
  function now() { return start + Math.floor(clock()); }

  attempt(function () {
    var Clock = new Proxy(Real, {
      apply: function () { return new Real(now()).toString(); },
      construct: function (target, args, made) {
        return Reflect.construct(target, args.length ? args : [now()], made);
      }
    });
    set(Real, "now", { now() { return now(); } }.now);
    set(Real.prototype, "constructor", Clock);
    set(all, "Date", Clock);
  });
  attempt(function () {
    var format = Intl.DateTimeFormat.prototype, known = new WeakMap();
    get(format, "format", function (real) {
      return function () {
        var one = real.call(this);
        if (!known.has(one)) known.set(one, function (d) { return one(d === undefined ? now() : d); });
        return known.get(one);
      };
    });
    var parts = format.formatToParts;
    set(format, "formatToParts", { formatToParts(d) {
      return parts.call(this, d === undefined ? now() : d);
    } }.formatToParts);
  });
  attempt(function () {
    if (!all.Temporal) return;
    var Now = Temporal.Now;
    function instant() { return Temporal.Instant.fromEpochMilliseconds(now()); }
    function zoned(zone) {
      return instant().toZonedDateTimeISO(zone === undefined ? Now.timeZoneId() : zone);
    }
    set(Now, "instant", instant);
    set(Now, "zonedDateTimeISO", zoned);
    set(Now, "plainDateTimeISO", function (zone) { return zoned(zone).toPlainDateTime(); });
    set(Now, "plainDateISO", function (zone) { return zoned(zone).toPlainDate(); });
    set(Now, "plainTimeISO", function (zone) { return zoned(zone).toPlainTime(); });
  });
  attempt(function () {
    set(Performance.prototype, "now", { now() { return Math.floor(clock()); } }.now);
    get(Performance.prototype, "timeOrigin", function () { return function () { return start; }; });
  });
  attempt(function () {
    Object.keys(PerformanceTiming.prototype).forEach(function (name) {
      if (!own(PerformanceTiming.prototype, name).get) return;
      get(PerformanceTiming.prototype, name, function (real) {
        return function () {
          var at = real.call(this);
          return at ? Math.round(at - origin) + start : 0;
        };
      });
    });
  });
  attempt(function () {
    set(Math, "random", { random() {
      return ((number() >>> 5) * 67108864 + (number() >>> 6)) / 9007199254740992;
    } }.random);
  });
  attempt(function () {
    var real = Crypto.prototype.getRandomValues;
    set(Crypto.prototype, "getRandomValues", { getRandomValues(array) {
      real.call(this, array);
      var view = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (var i = 0; i !== view.length; i++) view[i] = byte();
      return array;
    } }.getRandomValues);
  });
  attempt(function () {
    if (!Crypto.prototype.randomUUID) return;
    set(Crypto.prototype, "randomUUID", { randomUUID() {
      var text = "";
      for (var i = 0; i !== 16; i++) {
        var b = byte();
        if (i === 6) b = 64 | b >>> 4;
        if (i === 8) b = 128 | b >>> 2;
        text += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + (b + 256).toString(16).slice(1);
      }
      return text;
    } }.randomUUID);
  });
  attempt(function () { document.currentScript.remove(); });
})
