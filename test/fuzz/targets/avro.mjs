// Records of the log: any bytes give an event or a typed error, and no prototype is polluted.
import { decodeEvent, encodeEvent } from '@seamstream/events';

export const name = 'avro';
/** The corpus has an event of every kind. */
export const seeds = [];
const TOPICS = [
  'seam.problems',
  'seam.experiences',
  'seam.outcomes',
  'seam.buffer',
  'seam.training',
  'seam.adapters',
  'seam.dead-letters',
];
const untouched = Object.getOwnPropertyNames(Object.prototype).join();

export function run(bytes) {
  let refusal;
  for (const topic of TOPICS) {
    try {
      const event = decodeEvent({ topic, partition: 0, offset: 0, value: bytes });
      encodeEvent(event);
    } catch (error) {
      refusal = error;
      if (error?.code !== 'MALFORMED_RECORD') break;
    }
  }
  if (Object.getOwnPropertyNames(Object.prototype).join() !== untouched)
    throw new Error('Object.prototype has a property more');
  if (refusal !== undefined) throw refusal;
}
