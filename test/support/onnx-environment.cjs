// jest runs tests in a realm of its own, where `x instanceof Float32Array` of a native addon is false.
// onnxruntime-node and lmdb see the outer realm's classes when the test realm uses the same ones.
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

module.exports = class OnnxEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    for (const name of SHARED) this.global[name] = globalThis[name];
  }
};
