/** The experiences that records say to rest on, read along seam.experiences near the time of those records, and found by keys elsewhere. */
import { randomInt } from 'node:crypto';
import { type EventLog, partitionName } from '@seamstream/event-log';
import { type EventOf, TOPIC } from '@seamstream/events';
import { Semaphore } from '@seamstream/kernel';
import { KeptExperience, Windows } from './kept-records.js';
import { Memory } from './memory.js';
import { type Found, wantedOf } from './reading.js';
import { Readings } from './readings.js';

/** What is read and not asked for yet may hold so much. */
const MEMORY_BYTES = 16 * 2 ** 20;
/** An answer is written a while after its experience: reading begins so many records of a partition before the answer's time. */
const RECORDS_BEFORE = 1_000;

interface Rests {
  readonly experienceId: string;
  readonly problem: { readonly problemId: string };
}

export class KnownExperiences {
  private readings: Promise<Readings<KeptExperience>> | undefined;
  /** Reading along the log is for one batch after the other. */
  private readonly turn = new Semaphore(1);

  constructor(private readonly log: EventLog) {}

  /**
   * The experience of each record, in their order; undefined where the log has no such experience.
   * @param writtenMs when the first of the records was appended
   */
  find(
    records: readonly Rests[],
    writtenMs: number,
  ): Promise<readonly (EventOf<'ExperienceGenerated' | 'ExperienceWithheld'> | undefined)[]> {
    return this.turn.run(async () => {
      if (records.length === 0) return [];
      this.readings ??= this.begin(writtenMs);
      this.readings.catch(() => {
        this.readings = undefined;
      });
      const readings = await this.readings;
      const found: Found<KeptExperience> = new Map();
      const wanted = wantedOf(records.map(({ problem, experienceId }) => [problem.problemId, experienceId]));
      await readings.find(wanted, found, 'find');
      for (const [problemId, each] of found) for (const kept of each.values()) readings.of(problemId).used(kept);
      return records.map(({ problem, experienceId }) => found.get(problem.problemId)?.get(experienceId)?.event);
    });
  }

  private async begin(writtenMs: number): Promise<Readings<KeptExperience>> {
    const topic = TOPIC.experiences;
    const from = new Map<string, number>();
    for (const { partition, low } of await this.log.watermarks(topic)) {
      const near = await this.log.offsetForTime(topic, partition, writtenMs);
      from.set(partitionName(topic, partition), Math.max(low, near - RECORDS_BEFORE));
    }
    const windows = new Windows();
    const readings = new Readings(this.log, topic, {
      keep: (record) => new KeptExperience(record, windows),
      forgets: true,
      from,
      memory: new Memory(MEMORY_BYTES),
      salt: randomInt(2 ** 32),
    });
    await readings.meet();
    return readings;
  }
}
