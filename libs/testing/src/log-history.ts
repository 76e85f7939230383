/** Random histories of a log: what services, repetitions and damage leave behind. */
import type { NewRecord } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { deadLettered, executionFailed, expired, generated, published, recorded, withheld } from './log-of.js';
import { EXAMPLE_LINEAGE } from './training-log.js';

/** Facts about few problems in any order: late ones, repeated ones, orphans, and records that are no events. */
export function history(seed: number, length: number): NewRecord[] {
  const random = Random.of('history', seed);
  const events: SeamEvent[] = [];
  return Array.from({ length }, () => {
    if (random.int(40) === 0) return { topic: 'seam.outcomes', key: 'p0', value: Buffer.from('poison') };
    if (events.length > 0 && random.int(5) === 0) return encodeEvent(events[random.int(events.length)]!);
    const n = random.int(1 + length / 4);
    const id = `p${n}`;
    // A group has one size and one arm.
    const candidate = {
      index: random.int(4),
      size: 1 + (n % 3),
      adapterDigest: random.int(2) === 0 ? null : 'd1',
      arm: n % 2 === 0 ? ('explore' as const) : ('deploy' as const),
      domain: `d${n % 3}`,
    };
    const makers: readonly (() => SeamEvent)[] = [
      () => published(id),
      () => generated(id, candidate),
      () => recorded(id, random.int(2) === 0, candidate),
      () => recorded(id, random.int(2) === 0, { ...candidate, faithful: random.int(2) === 0 }),
      () => executionFailed(id, candidate),
      () => withheld(`c${n}`),
      () => published(`c${n}`),
      () => expired(id),
      () => deadLettered('seam.experiences', id, n),
      () => EXAMPLE_LINEAGE[random.int(EXAMPLE_LINEAGE.length)]!,
    ];
    const event = makers[random.int(makers.length)]!();
    events.push(event);
    return encodeEvent(event);
  });
}
