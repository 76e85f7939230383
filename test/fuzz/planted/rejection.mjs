// A reader that leaves a failure unhandled.
export const name = 'rejection';
export const seeds = [Buffer.from('abc')];
export const run = (bytes) => {
  if (bytes.length > 5) void Promise.reject(new TypeError('no caller waits'));
};
