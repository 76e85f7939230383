/**
 * The experiences that records say to rest on, read along seam.experiences near the time of those records, and found by keys elsewhere.
 *
 * Reading along costs what was written near those records. The first search of a partition {@link KnownExperiences.everywhere} reads all
 * of it once, for the directory of its keys; each later one reads the records since, and for each experience a stretch of 512.
 */
import { randomInt } from 'node:crypto';
import { type EventLog, partitionName } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { Semaphore } from '@seamstream/kernel';
import type { WrittenOrWithheld } from './doubt.decide.js';
import { KeptExperience, Windows } from './kept-records.js';
import { Memory } from './memory.js';
import { type Found, wantedOf } from './reading.js';
import { Readings, type Search } from './readings.js';

/** What is read along the way may hold so much. */
const MEMORY_BYTES = 16 * 2 ** 20;
/** An answer is written a while after its experience: reading begins so many records of a partition before the answer's time. */
const RECORDS_BEFORE = 1_000;

interface Rests {
  readonly experienceId: string;
  readonly problem: { readonly problemId: string };
}

/** In the order of the records that were asked for; undefined where no such experience was found. */
type Experiences = readonly (WrittenOrWithheld | undefined)[];

export class KnownExperiences {
  private readings: Promise<Readings<KeptExperience>> | undefined;
  /** Reading along the log is for one batch after the other. */
  private readonly turn = new Semaphore(1);

  /** @param begins at the `start` of the log, or `near` the time of the first records that are asked for */
  constructor(
    private readonly log: EventLog,
    private readonly begins: 'near' | 'start' = 'near',
  ) {}

  /**
   * The nearest experience of each record among those that were read along. The log may have others of its id, and has it perhaps where
   * none is found.
   * @param writtenMs when the first of the records was appended
   */
  near(records: readonly Rests[], writtenMs: number): Promise<Experiences> {
    return this.search(records, writtenMs, 'findNear');
  }

  /** The first experience of each record in the log. For what those that are {@link near} do not bear out: it costs more. */
  everywhere(records: readonly Rests[], writtenMs: number): Promise<Experiences> {
    return this.search(records, writtenMs, 'findFirst');
  }

  private search(records: readonly Rests[], writtenMs: number, how: Search): Promise<Experiences> {
    return this.turn.run(async () => {
      if (records.length === 0) return [];
      this.readings ??= this.begin(writtenMs);
      this.readings.catch(() => {
        this.readings = undefined;
      });
      const readings = await this.readings;
      const found: Found<KeptExperience> = new Map();
      const wanted = wantedOf(records.map(({ problem, experienceId }) => [problem.problemId, experienceId]));
      await readings.find(wanted, found, how);
      for (const [problemId, each] of found) for (const kept of each.values()) readings.of(problemId).used(kept);
      return records.map(({ problem, experienceId }) => found.get(problem.problemId)?.get(experienceId)?.event);
    });
  }

  private async begin(writtenMs: number): Promise<Readings<KeptExperience>> {
    const topic = TOPIC.experiences;
    const from = new Map<string, number>();
    for (const { partition, low } of await this.log.watermarks(topic)) {
      const near = this.begins === 'start' ? low : await this.log.offsetForTime(topic, partition, writtenMs);
      from.set(partitionName(topic, partition), Math.max(low, near - RECORDS_BEFORE));
    }
    const windows = new Windows();
    const readings = new Readings(this.log, topic, {
      keep: (record) => new KeptExperience(record, windows),
      // One that bears out no record is asked for again.
      forgets: false,
      from,
      memory: new Memory(MEMORY_BYTES),
      salt: randomInt(2 ** 32),
    });
    await readings.meet();
    return readings;
  }
}
