// Runs the tests against an answer that runs elsewhere; see judge.py, whose channel and rules these are.
'use strict';
const fs = require('node:fs');
const vm = require('node:vm');
const assert = require('node:assert');

const callbacks = [];
const ids = new WeakMap();
let rest = Buffer.alloc(0);

class AnswerEnded extends Error {}
class TestsBroken extends Error {}

function readLine() {
  for (;;) {
    const end = rest.indexOf(10);
    if (end >= 0) {
      const line = rest.subarray(0, end).toString('utf8');
      rest = rest.subarray(end + 1);
      return line;
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
      throw new AnswerEnded("the answer's process ended");
    }
    if (size === 0) throw new AnswerEnded("the answer's process ended");
    rest = Buffer.concat([rest, chunk.subarray(0, size)]);
  }
}

function write(descriptor, message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw new AnswerEnded("the answer's process ended");
    }
  }
}

function ask(message, given = []) {
  write(3, message);
  for (;;) {
    let answer;
    try {
      answer = JSON.parse(readLine());
    } catch (error) {
      throw error instanceof AnswerEnded
        ? error
        : new AnswerEnded("the answer's process wrote something else than answers");
    }
    if (answer[0] === 'callback') {
      try {
        write(3, ['result', encode(callbacks[answer[1]](...answer[2].map((each) => decode(each))))]);
      } catch (error) {
        write(3, ['threw', error instanceof Error ? error.message : String(error)]);
      }
      continue;
    }
    if (answer[0] === 'raised') {
      const Known = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError }[answer[1]] ?? Error;
      const error = new Known(String(answer[2]));
      if (Known === Error) error.name = String(answer[1]);
      throw error;
    }
    if (answer[0] !== 'value') throw new AnswerEnded("the answer's process wrote something else than answers");
    given.forEach((mine, i) => {
      const left = answer[2][i];
      if (left) restore(mine, decode(left));
    });
    return decode(answer[1]);
  }
}

function restore(mine, left) {
  if (Array.isArray(mine) && Array.isArray(left)) mine.splice(0, mine.length, ...left);
  else if (mine instanceof Map && left instanceof Map) {
    mine.clear();
    for (const [k, v] of left) mine.set(k, v);
  } else if (mine instanceof Set && left instanceof Set) {
    mine.clear();
    for (const each of left) mine.add(each);
  } else if (Object.getPrototypeOf(mine) === Object.prototype && Object.getPrototypeOf(left) === Object.prototype) {
    for (const key of Object.keys(mine)) delete mine[key];
    Object.assign(mine, left);
  }
}

/** A function or object of the answer. Reading a property asks for it there; its own equality is never asked for. */
function remote(id, kind) {
  const self = ['h', id];
  const proxy = new Proxy(function remote() {}, {
    apply: (_, __, args) => ask(['call', self, '', args.map((each) => encode(each))], args),
    construct: (_, args) => ask(['new', self, '', args.map((each) => encode(each))], args),
    get: (target, name) => {
      if (name === Symbol.hasInstance)
        return (value) => ids.has(value) && ask(['instance', self, '', [encode(value)]]) === true;
      if (name === Symbol.iterator) {
        return () => ask(['spread', self, '', []])[Symbol.iterator]();
      }
      if (typeof name === 'symbol') return undefined;
      if (name === 'then' && kind !== 'promise') return undefined;
      if (name === 'then')
        return (resolve, reject) => {
          try {
            resolve(ask(['await', self]));
          } catch (error) {
            reject(error);
          }
        };
      const value = ask(['get', self, name]);
      return ids.has(value)
        ? new Proxy(value, {
            apply: (_, __, args) => ask(['call', self, name, args.map((each) => encode(each))], args),
          })
        : value;
    },
    set: (_, name, value) => {
      ask(['set', self, name, [encode(value)]]);
      return true;
    },
  });
  ids.set(proxy, id);
  return proxy;
}

function encode(value) {
  if (value === undefined) return ['u'];
  if (value === null || typeof value === 'boolean') return ['c', value];
  if (typeof value === 'number') return ['f', Object.is(value, -0) ? '-0' : String(value)];
  if (typeof value === 'bigint') return ['i', String(value)];
  if (typeof value === 'string') return ['s', value];
  if (ids.has(value)) return ['h', ids.get(value)];
  if (typeof value === 'function') return ['k', callbacks.push(value) - 1];
  if (Array.isArray(value)) return ['l', Array.from(value, (each) => encode(each))];
  if (value instanceof Map) return ['m', Array.from(value, ([k, v]) => [encode(k), encode(v)])];
  if (value instanceof Set) return ['e', Array.from(value, (each) => encode(each))];
  if (value instanceof Date) return ['t', Number(value)];
  return ['d', Object.entries(value).map(([k, v]) => [k, encode(v)])];
}

function decode(value, depth = 0) {
  if (depth > 70) throw new AnswerEnded('the answer returned a value that is nested too deeply');
  const inner = (each) => decode(each, depth + 1);
  switch (value[0]) {
    case 'u':
      return undefined;
    case 'c':
      return value[1] === null ? null : value[1] === true;
    case 'f':
      return value[1] === '-0' ? -0 : Number(value[1]);
    case 'i':
      return BigInt(value[1]);
    case 's':
      return String(value[1]);
    case 'l':
      return value[1].map(inner);
    case 'e':
      return new Set(value[1].map(inner));
    case 'm':
      return new Map(value[1].map(([k, v]) => [inner(k), inner(v)]));
    case 'd': {
      const result = {};
      for (const [k, v] of value[1])
        Object.defineProperty(result, String(k), {
          value: inner(v),
          writable: true,
          enumerable: true,
          configurable: true,
        });
      return result;
    }
    case 't':
      return new Date(Number(value[1]));
    case 'h':
      return remote(Number(value[1]), String(value[2]));
    default:
      throw new AnswerEnded("the answer's process wrote something else than answers");
  }
}

async function run(tests, names) {
  const registered = [];
  const test = (name, body) => registered.push([name, body]);
  const describe = (_, body) => body();
  const scope = {
    assert,
    test,
    it: test,
    describe,
    require: (name) => {
      if (/^(?:node:)?assert(?:\/strict)?$/.test(name)) return name.endsWith('strict') ? assert.strict : assert;
      throw new TestsBroken(`the tests may not require ${name}`);
    },
    ...names,
  };
  let compiled;
  try {
    compiled = vm.compileFunction(`return (async () => {${tests}\n})()`, Object.keys(scope), { filename: 'tests.js' });
  } catch (error) {
    throw new TestsBroken(`the tests do not compile: ${error.message}`);
  }
  await compiled(...Object.values(scope));
  for (const [name, body] of registered) {
    try {
      await body();
    } catch (error) {
      if (error instanceof AnswerEnded || error instanceof TestsBroken) throw error;
      throw new assert.AssertionError({
        message: `${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`,
      });
    }
  }
}

async function main() {
  fs.writeSync(4, 'up\n');
  const { tests, nonce } = JSON.parse(readLine());
  let status = 'failed';
  let detail = '';
  try {
    const hello = JSON.parse(readLine());
    if (hello[0] === 'failed') detail = `the answer's code does not run: ${hello[1]}: ${hello[2]}`;
    else if (hello[0] !== 'ready') detail = "the answer's process wrote something else than answers";
    else {
      const names = {};
      for (const [name, value] of Object.entries(hello[1]))
        if (/^[A-Za-z_$][\w$]*$/.test(name)) names[name] = decode(value);
      for (const reserved of ['assert', 'test', 'it', 'describe', 'require']) delete names[reserved];
      await run(tests, names);
      [status, detail] = ['passed', 'all tests passed'];
    }
  } catch (error) {
    const message = error instanceof Error ? error.message.split('\n')[0].slice(0, 300) : String(error);
    if (error instanceof TestsBroken) [status, detail] = ['broken', message];
    else detail = error instanceof AnswerEnded ? message : `a test failed: ${message}`;
  }
  write(4, { nonce, status, detail });
  process.reallyExit(0);
}

main();
