// A reader that leaves a failure to nobody.
export const name = 'rejection';
export const seeds = [Buffer.from('abc')];
export const run = (bytes) => {
  if (bytes.length > 5) void Promise.reject(new TypeError('nobody waits'));
};
