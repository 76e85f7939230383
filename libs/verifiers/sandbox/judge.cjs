// Runs the tests against an answer that runs elsewhere; see judge.py, whose channel and rules these are.
// Started as `node -e SOURCE SOURCE`: the rehearsal is a worker with the same source.
'use strict';
// In a block, so that no name below is one that the tests find before the answer's.
{
  const fs = require('node:fs');
  const vm = require('node:vm');
  const assert = require('node:assert');
  const { builtinModules } = require('node:module');
  const { promisify } = require('node:util');
  const { isMainThread, parentPort, Worker, workerData } = require('node:worker_threads');

  // `node -e` adds modules as globals, which scripts do not have.
  for (const name of builtinModules) if (!['console', 'crypto', 'process'].includes(name)) delete globalThis[name];

  const DEPTH = 201;
  const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;
  /** Names of tests that make objects on purpose; see judge.py. What `new` makes is made on purpose as well. */
  const MAKER = /^(?:[A-Z]|(?:make|create|build|new)[_A-Z])/;
  /** Methods that make an object of their class: Stack.from(…), stack.clone(). */
  const MAKING = new RegExp(`${MAKER.source}|^(?:from|of|copy|clone|union|intersection|difference)(?![a-z])`);
  /** How far the tests made an object on purpose; see judge.py. */
  const [MAKES, MADE, HANDED, DATA] = [3, 2, 1, 0];
  /** Everything of the answer that is no function has this prototype, which nothing of the tests has. */
  const ANSWERS_OBJECT = Object.create(Object.prototype);
  /** An assertion that can pass, unlike assert.fail() and assert(false), which mark a place that must not be reached. */
  const ASSERTS = /\bassert\b(?!\.fail\b|\.ifError\b|(?:\.ok)?\s*\(\s*(?:false|!1|0)\s*[,)])/;
  /** Questions with an expectation in them that a text, array or set answers by itself: an object that says yes to each would pass. */
  const PREDICATES = new Set(
    (
      'includes indexOf lastIndexOf find findIndex findLast findLastIndex some every filter reduce reduceRight flatMap startsWith endsWith match matchAll search ' +
      'localeCompare has hasOwnProperty isPrototypeOf propertyIsEnumerable isSubsetOf isSupersetOf isDisjointFrom'
    ).split(' '),
  );
  /** What other frameworks bring. Tests that need them do not run; an answer must not bring them instead. */
  const FRAMEWORKS = new Set(
    'expect chai jest vi sinon should suite beforeEach afterEach beforeAll afterAll'.split(' '),
  );
  const MISSING = Symbol('missing');

  const callbacks = [];
  /** Functions of the tests that assert something and were handed to the answer, by their text, until one is called. */
  const owed = new Set();
  const ids = new WeakMap();
  /** What stands for the answer's objects, by their number and level. */
  const remotes = new Map();
  /** What has been read of lines that are not whole; only the last may hold a line's end. */
  const pieces = [];
  let asked = () => undefined;
  let endedBecause = null;
  let failedInside = null;
  let assertions = 0;
  let isInPlaceAlways = false;

  class AnswerEnded extends Error {}
  class TestsBroken extends Error {}

  /** Final: no test can catch it and pass. */
  function ended(why) {
    endedBecause ??= why;
    return new AnswerEnded(why);
  }
  const GARBAGE = "the answer's process wrote something else than answers";

  function readLine() {
    for (;;) {
      const last = pieces.at(-1);
      const end = last === undefined ? -1 : last.indexOf(10);
      if (end >= 0) {
        pieces.pop();
        const line = Buffer.concat([...pieces, last.subarray(0, end)]).toString('utf8');
        pieces.splice(0, pieces.length, last.subarray(end + 1));
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
        throw ended("the answer's process ended");
      }
      if (size === 0) throw ended("the answer's process ended");
      pieces.push(chunk.subarray(0, size));
    }
  }

  function write(descriptor, text) {
    const bytes = Buffer.from(`${text}\n`);
    for (let at = 0; at < bytes.length; ) {
      try {
        at += fs.writeSync(descriptor, bytes, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw ended("the answer's process ended");
      }
    }
  }

  function exchange(message) {
    if (endedBecause !== null) throw new AnswerEnded(endedBecause);
    write(3, JSON.stringify(message));
    const line = readLine();
    try {
      const answer = JSON.parse(line);
      if (answer[0] === 'callback')
        return { kind: 'callback', rule: callbacks[Number(answer[1])], args: answer[2].map((each) => decode(each)) };
      if (answer[0] === 'raised')
        return { kind: 'raised', name: String(answer[1]), text: String(answer[2]), id: Number(answer[3]) };
      if (answer[0] === 'value' && Array.isArray(answer[1]) && Array.isArray(answer[2]))
        return { kind: 'value', value: answer[1], left: answer[2] };
      if (answer[0] === 'missing') return { kind: 'missing' };
    } catch {}
    throw ended(GARBAGE);
  }

  /** The value of what the answer is asked. Arrays and objects in `given` are left as a procedure of the answer left them. */
  function ask(message, given = [], level = DATA) {
    asked();
    let answer = exchange(message);
    while (answer.kind === 'callback') answer = exchange(calledBack(answer));
    if (answer.kind === 'missing') return MISSING;
    if (answer.kind === 'raised') {
      const Known = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError }[answer.name] ?? Error;
      const error = new Known(answer.text);
      if (Known === Error) error.name = answer.name;
      ids.set(error, answer.id);
      throw error;
    }
    try {
      const result = decode(answer.value, level);
      if (result === undefined || isInPlaceAlways)
        given.forEach((mine, i) => {
          const left = answer.left[i];
          if (left && JSON.stringify(left) !== JSON.stringify(message[3][i])) restore(mine, decode(left));
        });
      return result;
    } catch {
      throw ended(endedBecause ?? GARBAGE);
    }
  }

  function calledBack({ rule, args }) {
    owed.delete(String(rule));
    try {
      return ['result', encode(rule(...args))];
    } catch (error) {
      if (error instanceof assert.AssertionError) failedInside ??= error;
      return ['threw', error instanceof Error ? error.message : String(error)];
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
    } else if (ArrayBuffer.isView(mine) && ArrayBuffer.isView(left)) mine.set(left);
    else if (Object.getPrototypeOf(mine) === Object.prototype && Object.getPrototypeOf(left) === Object.prototype) {
      for (const key of Object.keys(mine)) delete mine[key];
      Object.assign(mine, left);
    }
  }

  /** A function or object of the answer. Reading a property asks for it there; its own equality is never asked for. */
  function remote(id, level, sort) {
    const place = `${id} ${level}`;
    const known = remotes.get(place);
    if (known !== undefined) return known;
    const self = ['h', id];
    const handed = Math.min(level, HANDED);
    const call = (args, name = '', of = level) =>
      ask(['call', self, name, args.map((each) => encode(each))], args, of > HANDED ? of - 1 : of);
    const isFunction = sort === 'function';
    const fields = () => new Map(ask(['fields', self], [], handed));
    const ofObjects = {
      getPrototypeOf: () => ANSWERS_OBJECT,
      has: (_, name) => typeof name === 'string' && fields().has(name),
      ownKeys: () => [...fields().keys()].map(String),
      getOwnPropertyDescriptor: (_, name) => {
        const own = fields();
        if (!own.has(name)) return undefined;
        return { value: own.get(name), writable: true, enumerable: true, configurable: true };
      },
    };
    const proxy = new Proxy(isFunction ? function remote() {} : {}, {
      apply: (_, __, args) => call(args),
      construct: (_, args) => {
        const made = ask(['new', self, '', args.map((each) => encode(each))], args, MADE);
        return Object(made);
      },
      get: (_, name) => {
        if (name === Symbol.hasInstance)
          return (value) => ids.has(value) && ask(['instance', self, '', [['h', ids.get(value)]]]) === true;
        if (name === Symbol.iterator) return () => ask(['spread', self, '', []], [], handed)[Symbol.iterator]();
        if (typeof name === 'symbol' || name === 'then') return undefined;
        if (name === 'hasOwnProperty' && !isFunction) return Object.prototype.hasOwnProperty;
        if (PREDICATES.has(name) && level < MADE) return undefined;
        const of = level >= MADE && MAKING.test(name) ? MAKES : handed;
        const value = ask(['get', self, name], [], of);
        return ids.has(value) && typeof value === 'function' && name !== 'constructor'
          ? new Proxy(value, { apply: (_target, _this, args) => call(args, name, of) })
          : value;
      },
      set: (_, name, value) => {
        ask(['set', self, name, [encode(value)]]);
        return true;
      },
      ...(isFunction ? {} : ofObjects),
    });
    ids.set(proxy, id);
    remotes.set(place, proxy);
    return proxy;
  }

  /** A promise of the answer. It waits for the answer only once the tests await it; until then the tests continue. */
  function promised(id, level) {
    let outcome = null;
    const promise = new Promise(() => undefined);
    // Not the language's own constructor, so that `await` calls this `then`.
    Object.defineProperty(promise, 'constructor', { value: function Answered() {} });
    Object.defineProperty(promise, 'then', {
      value: (onValue, onError) => {
        outcome ??= new Promise((resolve, reject) => {
          try {
            resolve(ask(['await', ['h', id]], [], level));
          } catch (error) {
            reject(error);
          }
        });
        return outcome.then(onValue, onError);
      },
    });
    ids.set(promise, id);
    return promise;
  }

  function encode(value) {
    if (value === undefined) return ['u'];
    if (value === null || typeof value === 'boolean') return ['c', value];
    if (typeof value === 'number') return ['f', Object.is(value, -0) ? '-0' : String(value)];
    if (typeof value === 'bigint') return ['i', String(value)];
    if (typeof value === 'string') return ['s', value];
    if (ids.has(value)) return ['h', ids.get(value)];
    if (typeof value === 'function') {
      if (ASSERTS.test(String(value))) owed.add(String(value));
      return ['k', callbacks.push(value) - 1];
    }
    if (Array.isArray(value)) return ['l', Array.from(value, (each) => encode(each))];
    if (value instanceof Map) return ['m', Array.from(value, ([k, v]) => [encode(k), encode(v)])];
    if (value instanceof Set) return ['e', Array.from(value, (each) => encode(each))];
    if (value instanceof Date) return ['t', Number(value)];
    if (value instanceof RegExp) return ['r', value.source, value.flags];
    if (ArrayBuffer.isView(value) && !(value instanceof DataView))
      return ['y', value.constructor.name, Array.from(value, (each) => encode(each))];
    return ['d', Object.entries(value).map(([k, v]) => [k, encode(v)])];
  }

  const ARRAYS = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array].concat([
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  ]);

  function decode(value, level = DATA, depth = 0) {
    if (depth > DEPTH) throw ended('the answer returned a value that is nested too deeply');
    const inner = (each) => decode(each, level, depth + 1);
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
        for (const [k, v] of value[1]) {
          // A promise that is one only when it is looked at again would never come.
          if (v[0] === 'h' && (String(k) === 'then' || (PREDICATES.has(String(k)) && level < MADE))) continue;
          Object.defineProperty(result, String(k), {
            value: inner(v),
            writable: true,
            enumerable: true,
            configurable: true,
          });
        }
        return result;
      }
      case 't':
        return new Date(Number(value[1]));
      case 'r':
        return new RegExp(String(value[1]), String(value[2]));
      case 'y':
        return ARRAYS.find(({ name }) => name === value[1]).from(value[2].map(inner));
      case 'h':
        return value[2] === 'promise' ? promised(Number(value[1]), level) : remote(Number(value[1]), level, value[2]);
      default:
        throw ended(GARBAGE);
    }
  }

  const SAMENESS = new Set('equal strictEqual deepEqual deepStrictEqual'.split(' '));

  /** The same functions, counted. */
  function counted(original) {
    return new Proxy(original, {
      apply: (target, self, args) => {
        assertions++;
        return Reflect.apply(target, self, args);
      },
      get: (target, name) => {
        const value = target[name];
        if (name === 'strict') return counted(value);
        if (typeof value !== 'function' || name === 'AssertionError') return value;
        return (...args) => {
          assertions++;
          // One object of the answer, however it came here.
          if (SAMENESS.has(name) && ids.has(args[0]) && ids.get(args[0]) === ids.get(args[1])) return undefined;
          return Reflect.apply(value, target, args);
        };
      },
    });
  }

  /** Stands for the answer in a rehearsal: there is nothing there. */
  const nothing = new Proxy(function nothing() {}, {
    apply: () => refuse(),
    construct: () => refuse(),
    get: () => refuse(),
  });
  function refuse() {
    asked();
    throw new ReferenceError('there is no answer in a rehearsal');
  }

  /**
   * The names of the tests, for `with`: what the tests declare is nearer than it, the language's globals win over the answer's names, and
   * only what neither knows is the answer's.
   */
  function namesOf(own, entryPoint, lookUp) {
    const known = new Map(Object.entries(own));
    const found = (name) => {
      if (typeof name !== 'string') return MISSING;
      if (known.has(name)) return known.get(name);
      if (name !== entryPoint) {
        if (name in globalThis || FRAMEWORKS.has(name) || name.startsWith('__') || !IDENTIFIER.test(name))
          return MISSING;
      }
      const value = lookUp(name);
      if (ids.has(value)) known.set(name, value);
      return value;
    };
    return new Proxy(
      {},
      {
        has: (_, name) => found(name) !== MISSING,
        get: (_, name) => {
          const value = found(name);
          return value === MISSING ? undefined : value;
        },
        set: (_, name, value) => {
          known.set(name, value);
          return true;
        },
      },
    );
  }

  /** Where the tests define `check(candidate)` and never call it, it is called with the entry. */
  const UNCALLED = /\b(?:function\s+check\s*\(\s*\w|(?:const|let|var)\s+check\s*=)/;
  const CALLED = /(?<!function\s+)\bcheck\s*\(/;
  const RAISES = /\b(?:throw|process\.exit|reject)\b/;

  /**
   * Timers of the tests. The answer's own timers run while it is asked to wait, as they would in one process with the tests.
   * @param wait lets the answer's timers run for so many milliseconds
   */
  function timers(wait) {
    const due = new Map();
    let [now, last, isRunning] = [0, 0, false];
    const step = () => {
      isRunning = due.size > 0;
      if (!isRunning) return;
      const [id, first] = [...due].reduce((a, b) => (b[1].at < a[1].at ? b : a));
      setImmediate(step);
      wait(Math.max(0, first.at - now));
      now = Math.max(now, first.at);
      if (!due.has(id)) return; // cleared meanwhile
      if (first.every === null) due.delete(id);
      else first.at = now + first.every;
      first.rule();
    };
    const add = (rule, ms, isRepeated) => {
      const after = Math.max(1, Number(ms) || 0);
      due.set(++last, { rule, at: now + after, every: isRepeated ? after : null });
      if (!isRunning) setImmediate(step);
      isRunning = true;
      return last;
    };
    const clear = (id) => void due.delete(id);
    const later = (rule, ms, ...args) => add(() => rule(...args), ms, false);
    later[promisify.custom] = (ms, value) => new Promise((resolve) => add(() => resolve(value), ms, false));
    return {
      setTimeout: later,
      setInterval: (rule, ms, ...args) => add(() => rule(...args), ms, true),
      clearTimeout: clear,
      clearInterval: clear,
    };
  }

  async function run({ tests, entryPoint }, lookUp, candidate, own = {}) {
    const registered = [];
    const test = (name, body) => void registered.push([name, body]);
    test.test = test.it = test;
    const counts = counted(assert);
    const names = {
      ...own,
      assert: counts,
      test,
      it: test,
      describe: (_, body) => body(),
      console: {
        ...Object.fromEntries(
          ['log', 'info', 'warn', 'error', 'debug', 'table'].map((name) => [name, () => undefined]),
        ),
        assert: (condition, ...why) => counts.ok(condition, why.length > 0 ? why.join(' ') : undefined),
      },
      require: (name) => {
        if (/^(?:node:)?assert(?:\/strict)?$/.test(name)) return name.endsWith('strict') ? counts.strict : counts;
        if (/^(?:node:)?test$/.test(name)) return test;
        if (/^(?:node:)?util$/.test(name)) return require('node:util');
        throw new TestsBroken(`the tests may not require ${name}`);
      },
    };
    const isCheck = UNCALLED.test(tests) && !CALLED.test(tests);
    if (isCheck) names.__candidate__ = candidate();
    const body = `with (__names__) { return (async () => {${tests}\n${isCheck ? 'await check(__candidate__);' : ''}})() }`;
    const compiled = vm.compileFunction(body, ['__names__'], { filename: 'tests.js' });
    await compiled(namesOf(names, entryPoint, lookUp));
    for (const [name, body] of registered) {
      try {
        await body();
      } catch (error) {
        throw new assert.AssertionError({ message: `${name}: ${firstLine(error)}` });
      }
    }
  }

  const firstLine = (error) => {
    try {
      return (error instanceof Error ? error.message : String(error)).split('\n')[0].slice(0, 300);
    } catch {
      return 'an error that says nothing';
    }
  };

  /** What is wrong with the tests themselves, regardless of the answer. */
  function checkTests(tests) {
    try {
      vm.compileFunction(`with (__names__) { return (async () => {${tests}\n})() }`, ['__names__']);
    } catch (error) {
      throw new TestsBroken(`the tests do not compile: ${error.message}`);
    }
    const spoken = tests.replace(/^\s*\/\/.*$/gm, '');
    for (const [, , name] of spoken.matchAll(/\brequire\s*\(\s*(['"])(.*?)\1\s*\)/g))
      if (!/^(?:node:)?(?:assert(?:\/strict)?|test|util)$/.test(name))
        throw new TestsBroken(`the tests may not require ${name}`);
    if (!/\bassert\b/.test(spoken) && !RAISES.test(spoken)) throw new TestsBroken('the tests assert nothing');
  }

  /** Calls back once, when nothing is left to do, with null or why the tests do not pass. Promises that no code awaits count too. */
  function settled(promise, whenDone) {
    let fault = 'the tests never end';
    const failed = (error) => {
      fault = error instanceof AnswerEnded ? error.message : `a test failed: ${firstLine(error)}`;
      done();
    };
    let isDone = false;
    const done = () => {
      if (isDone) return;
      isDone = true;
      whenDone(fault);
    };
    process.on('uncaughtException', failed);
    process.on('unhandledRejection', failed);
    promise.then(() => {
      fault = null;
    }, failed);
    return done;
  }

  /** Nothing where the tests tell a right answer from none, else what is wrong with them. In a worker, of which nothing stays. */
  function rehearsal(first) {
    const flags = new Int32Array(new SharedArrayBuffer(4));
    return new Promise((resolve, reject) => {
      const worker = new Worker(process.argv[1], {
        eval: true,
        workerData: { first, flags },
        stdout: true,
        stderr: true,
      });
      let fault = 'the tests never end';
      worker.on('message', (message) => {
        fault = message;
        void worker.terminate();
      });
      worker.on('error', (error) => (fault = `a test failed: ${firstLine(error)}`));
      worker.on('exit', () => {
        if (flags[0] === 0)
          reject(
            new TestsBroken(
              fault === null
                ? 'the tests ask nothing of the answer; name what it defines, or set entryPoint'
                : `${fault}, before the answer is asked anything`,
            ),
          );
        else if (fault === null) reject(new TestsBroken('the tests pass without an answer'));
        else resolve();
      });
    });
  }

  function rehearse() {
    const { first, flags } = workerData;
    asked = () => (flags[0] = 1);
    const lookUp = () => {
      asked();
      return MISSING;
    };
    const running = run(first, lookUp, () => nothing);
    const done = settled(running, (fault) => parentPort.postMessage(fault));
    // Promises that no code awaits have their turn.
    running.then(() => setTimeout(done, 20), done);
  }

  function entryOf(entryPoint) {
    let name = entryPoint;
    if (name === undefined) {
      const names = ask(['functions']);
      if (!Array.isArray(names) || names.length !== 1)
        throw new Error(
          "the answer does not define one function alone, and the problem's entryPoint does not say which is meant",
        );
      name = String(names[0]);
    }
    const value = ask(['name', name], [], MAKER.test(name) ? MAKES : DATA);
    if (value === MISSING) throw new Error(`the answer has no ${name}`);
    return value;
  }

  async function main() {
    write(4, 'up');
    const first = JSON.parse(readLine());
    const { tests, nonce, entryPoint, inPlace } = first;
    const conclude = (status, detail) => {
      write(4, JSON.stringify({ nonce, status, detail: String(detail).slice(0, 1000) }));
      process.reallyExit(0);
    };
    isInPlaceAlways = inPlace === 'always';
    try {
      checkTests(tests);
      await rehearsal(first);
    } catch (error) {
      conclude('broken', firstLine(error));
    }
    write(4, 'rehearsed');
    let hello = null;
    try {
      hello = JSON.parse(readLine());
    } catch {}
    if (hello?.[0] === 'failed')
      conclude(
        'failed',
        `the answer's code does not run: ${String(hello[1]).slice(0, 100)}: ${String(hello[2]).slice(0, 500)}`,
      );
    if (hello?.[0] !== 'ready') conclude('failed', endedBecause ?? GARBAGE);
    const lookUp = (name) => ask(['name', name], [], MAKER.test(name) ? MAKES : DATA);
    const finish = (fault) => {
      try {
        if (fault === null && owed.size > 0) ask(['idle']);
      } catch {}
      const why =
        endedBecause ??
        (failedInside === null ? fault : `a test failed: ${firstLine(failedInside)}`) ??
        (assertions === 0 && !RAISES.test(tests) ? 'no assertion ran' : null) ??
        (owed.size > 0 ? 'the answer never called a function of the tests that asserts something' : null);
      conclude(why === null ? 'passed' : 'failed', why ?? 'all tests passed');
    };
    process.exit = (code = process.exitCode) => finish(code ? `the tests exited with ${code}` : null);
    const own = timers((ms) => void ask(['wait', ms]));
    const done = settled(
      run(first, lookUp, () => entryOf(entryPoint), own),
      finish,
    );
    process.once('beforeExit', done);
  }

  if (isMainThread) main();
  else rehearse();
}
