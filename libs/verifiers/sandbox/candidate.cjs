// Runs an answer's code and lets the tests' process use what it defines; see candidate.py, whose channel this speaks.
// A separate process in a separate sandbox is the wall. The code shares this process with the channel, which can harm only the code itself.
'use strict';
// A block keeps these names apart from the answer's names.
{
  const fs = require('node:fs');
  const vm = require('node:vm');

  const handles = [];
  /** By identity: what is the same object here is the same there. */
  const numbers = new Map();
  /** What has been read of lines that are not whole; only the last may hold a line's end. */
  const pieces = [];

  function receive() {
    for (;;) {
      const last = pieces.at(-1);
      const end = last === undefined ? -1 : last.indexOf(10);
      if (end >= 0) {
        pieces.pop();
        const line = Buffer.concat([...pieces, last.subarray(0, end)]).toString('utf8');
        pieces.splice(0, pieces.length, last.subarray(end + 1));
        return JSON.parse(line);
      }
      const chunk = Buffer.alloc(65536);
      let size = 0;
      try {
        size = fs.readSync(0, chunk, 0, chunk.length, null);
      } catch (error) {
        if (error.code === 'EAGAIN') {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
          continue;
        }
        process.reallyExit(0);
      }
      if (size === 0) process.reallyExit(0);
      pieces.push(chunk.subarray(0, size));
    }
  }

  function send(message) {
    const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += fs.writeSync(3, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') process.reallyExit(0);
      }
    }
  }

  function encode(value, depth = 0) {
    if (depth > 200) throw new RangeError('a value is nested too deeply');
    if (value === undefined) return ['u'];
    if (value === null || typeof value === 'boolean') return ['c', value];
    if (typeof value === 'number') return ['f', Object.is(value, -0) ? '-0' : String(value)];
    if (typeof value === 'bigint') return ['i', String(value)];
    if (typeof value === 'string') return ['s', value];
    const tag = Object.prototype.toString.call(value);
    if (Array.isArray(value)) return ['l', Array.from(value, (each) => encode(each, depth + 1))];
    if (tag === '[object Map]')
      return ['m', Array.from(value, ([k, v]) => [encode(k, depth + 1), encode(v, depth + 1)])];
    if (tag === '[object Set]') return ['e', Array.from(value, (each) => encode(each, depth + 1))];
    if (tag === '[object Date]') return ['t', Number(value)];
    if (ArrayBuffer.isView(value) && tag !== '[object DataView]')
      return ['y', tag.slice(8, -1), Array.from(value, (each) => encode(each))];
    if (tag === '[object RegExp]') return ['r', value.source, value.flags];
    if (typeof value === 'object') {
      const prototype = Object.getPrototypeOf(value);
      const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
      if (isPlain && typeof value.then !== 'function' && typeof value.next !== 'function')
        return ['d', Object.entries(value).map(([k, v]) => [k, encode(v, depth + 1)])];
    }
    const isPromise = typeof value.then === 'function';
    return ['h', handle(value), isPromise ? 'promise' : typeof value];
  }

  function handle(value) {
    if (!numbers.has(value)) numbers.set(value, handles.push(value) - 1);
    return numbers.get(value);
  }

  /** What `new` made: an object with its methods, also where its class extends Array or Map. */
  function encodeMade(made) {
    const kinds = [Object, Array, Map, Set, Date, RegExp, Promise];
    const prototype = Object.getPrototypeOf(made);
    const isPlain =
      prototype === null || kinds.some((kind) => kind.prototype === prototype) || ArrayBuffer.isView(made);
    return isPlain ? encode(made) : ['h', handle(made), typeof made];
  }

  /** Lets what the answer has set up run: for so long, or until nothing of it is left. */
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  async function idle() {
    do await wait(1);
    while (process.getActiveResourcesInfo().some((each) => each === 'Timeout' || each === 'Immediate'));
  }

  function decode(value) {
    switch (value[0]) {
      case 'u':
        return undefined;
      case 'c':
        return value[1];
      case 'f':
        return value[1] === '-0' ? -0 : Number(value[1]);
      case 'i':
        return BigInt(value[1]);
      case 's':
        return value[1];
      case 'l':
        return value[1].map(decode);
      case 'e':
        return new Set(value[1].map(decode));
      case 'm':
        return new Map(value[1].map(([k, v]) => [decode(k), decode(v)]));
      case 'd':
        return Object.fromEntries(value[1].map(([k, v]) => [k, decode(v)]));
      case 't':
        return new Date(value[1]);
      case 'y':
        return globalThis[value[1]].from(value[2].map(decode));
      case 'r':
        return new RegExp(value[1], value[2]);
      case 'h':
        return handles[value[1]];
      case 'k':
        return (...args) => {
          send(['callback', value[1], args.map((each) => encode(each))]);
          const answer = receive();
          if (answer[0] === 'threw') throw new Error(String(answer[1]));
          return decode(answer[1]);
        };
    }
  }

  /** Kind, message and the error itself, which the tests may ask for its class. */
  const raised = (error) => {
    const isError = typeof error === 'object' && error !== null && 'message' in error;
    return [
      'raised',
      isError ? String(error.name) : 'Error',
      isError ? String(error.message).slice(0, 500) : String(error).slice(0, 500),
      handle(error),
    ];
  };
  const after = (given) => given.map((each) => (typeof each === 'object' && each !== null ? encode(each) : null));

  function* bounded(items) {
    let count = 0;
    for (const each of items) {
      if (++count > 100_000) return;
      yield each;
    }
  }

  function perform([kind, target, name, args]) {
    const holder = decode(target);
    const given = (args ?? []).map(decode);
    switch (kind) {
      case 'call':
        return ['value', encode(name === '' ? holder(...given) : holder[name](...given)), after(given)];
      case 'new':
        return ['value', encodeMade(new holder(...given)), after(given)];
      case 'get':
        return ['value', encode(holder[name]), []];
      case 'set':
        holder[name] = given[0];
        return ['value', ['u'], []];
      case 'spread':
        return ['value', encode(Array.from({ [Symbol.iterator]: () => bounded(holder) })), []];
      case 'fields':
        return ['value', encode(Object.entries(holder)), []];
      case 'instance':
        return ['value', ['c', given[0] instanceof holder], []];
    }
  }

  /** What the text declares at its top level; functions, classes, const and let of a script are bindings, not properties, of the global. */
  const DECLARED = /(?:^|[;\n}])\s*(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([A-Za-z_$][\w$]*)/g;

  function named(name, exported) {
    const own = Object.getOwnPropertyDescriptor(Object(exported), name);
    if (own !== undefined && (typeof exported === 'object' || name !== 'name'))
      return ['value', encode(exported[name]), []];
    try {
      return ['value', encode(vm.runInThisContext(name)), []];
    } catch {
      return ['missing'];
    }
  }

  function functions(code, exported) {
    const declared = [...code.matchAll(DECLARED)].map(([, name]) => name).filter((name) => !name.startsWith('_'));
    const names = new Set([...declared, ...(typeof exported === 'object' ? Object.keys(Object(exported)) : [])]);
    const own = [...names].filter((name) => named(name, exported)[1]?.[2] === 'function');
    return ['value', encode(own), []];
  }

  async function main() {
    send(['up']);
    const { code } = receive();
    const exported = { exports: {} };
    try {
      Object.assign(globalThis, { module: exported, exports: exported.exports, require });
      vm.runInThisContext(code, { filename: 'answer.js' });
    } catch (error) {
      send(['failed', ...raised(error).slice(1, 3)]);
      process.reallyExit(0);
    }
    send(['ready']);
    for (;;) {
      const message = receive();
      try {
        if (message[0] === 'await') send(['value', encode(await decode(message[1])), []]);
        else if (message[0] === 'wait' || message[0] === 'idle') {
          await (message[0] === 'wait' ? wait(message[1]) : idle());
          send(['value', ['u'], []]);
        } else if (message[0] === 'name') send(named(message[1], exported.exports));
        else if (message[0] === 'functions') send(functions(code, exported.exports));
        else send(perform(message));
      } catch (error) {
        send(raised(error));
      }
    }
  }

  main();
}
