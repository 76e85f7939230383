// A reader that refuses what it should.
import { SeamError } from '@seamstream/kernel';

export const name = 'sound';
export const seeds = [Buffer.from('abc')];
export const run = (bytes) => {
  if (bytes[0] !== 97) throw new SeamError('MALFORMED_RECORD', 'Cannot read it: it begins with something else.');
};
