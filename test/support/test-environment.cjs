/**
 * Where every spec file runs: in jest's realm of Node, with three differences.
 *
 * 1. jest's realm has separate classes, so `x instanceof Float32Array` of a native addon would be false. onnxruntime-node and lmdb see the
 *    outer realm's classes when the test realm uses the same ones.
 * 2. The temporary folder is the file's own, for its code and for the processes that it starts, and it goes with the file, also when tests
 *    fail: what a test leaves there (a model, a log, a private key) is left nowhere.
 * 3. Its globals are plain ones. In the realm that jest asks for, Node looks at a second object whenever code says `Number` or `Math`, and a
 *    read takes 300 ns instead of 1: specs that compute took up to five times as long (docs/adr/0120-the-realm-of-specs.md).
 */
const { chmodSync, mkdtempSync, rmSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { basename, join } = require('node:path');
const vm = require('node:vm');
const { TestEnvironment } = require('jest-environment-node');

const SHARED = [
  'ArrayBuffer',
  'SharedArrayBuffer',
  'DataView',
  'Float32Array',
  'Float64Array',
  'Int8Array',
  'Int16Array',
  'Int32Array',
  'Uint8Array',
  'Uint8ClampedArray',
  'Uint16Array',
  'Uint32Array',
  'BigInt64Array',
  'BigUint64Array',
];

/** A folder for one spec file, named after it. Sandboxes run as other users: they may pass through, and not look around. */
function ownFolder(testPath) {
  const folder = mkdtempSync(join(tmpdir(), `${basename(testPath).replace(/\.spec\.ts$/, '')}-`));
  chmodSync(folder, 0o711);
  return folder;
}

module.exports = class SuiteEnvironment extends TestEnvironment {
  constructor(config, context) {
    const outer = process.env.TMPDIR;
    const folder = ownFolder(context.testPath);
    // Before the realm copies the environment; `os.tmpdir()` and child processes read this one.
    process.env.TMPDIR = folder;
    const { createContext } = vm;
    // What jest would have copied into the realm it defines on the realm's own global as well.
    vm.createContext = () => createContext(vm.constants.DONT_CONTEXTIFY);
    try {
      super(config, context);
    } finally {
      vm.createContext = createContext;
    }
    this.outer = outer;
    this.folder = folder;
  }

  async setup() {
    await super.setup();
    for (const name of SHARED) this.global[name] = globalThis[name];
  }

  async teardown() {
    await super.teardown();
    if (this.outer === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = this.outer;
    // A process that the file left running may still write: what cannot be removed fails the file, by name.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
};
