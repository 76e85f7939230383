// For `node --import`: this process's clock is wrong by SKEW_MS, and jumps by JUMP_MS after JUMP_AFTER_MS.
const real = Date.now.bind(Date);
const startedMs = performance.now();
const number = (name) => Number(process.env[name] ?? 0);
const [skew, jump, jumpAfter] = [number('SKEW_MS'), number('JUMP_MS'), number('JUMP_AFTER_MS')];
const now = () => real() + skew + (jump !== 0 && performance.now() - startedMs >= jumpAfter ? jump : 0);
globalThis.Date = class extends Date {
  constructor(...args) {
    if (args.length === 0) super(now());
    else super(...args);
  }
  static now() {
    return now();
  }
};
