// A reader that never ends on one byte.
export const name = 'hang';
export const seeds = [Buffer.from('abc')];
export const run = (bytes) => {
  while (bytes.includes(0));
};
