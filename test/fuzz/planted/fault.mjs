// A reader whose errors are not all its own.
import { SeamError } from '@seamstream/kernel';

export const name = 'fault';
export const seeds = [Buffer.from('{"a":1}')];
export const run = (bytes) => {
  const text = Buffer.from(bytes).toString();
  if (text.length > 40) throw new SeamError('INVALID_INPUT', 'Cannot read it: it is too long.');
  JSON.parse(text);
};
