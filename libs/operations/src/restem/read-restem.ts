/** What the log records of self-trainings, and how one is stopped. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, originMeta } from '@seamstream/events';
import { type Clock, isMeant, LEAST_OF_ID, newId, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { NewEvents } from '@seamstream/log-reader';
import type { KeptLog, ReadingOptions } from '../read-models/kept-log.js';
import { readRuns } from '../read-models/read-models.js';
import { evolveSelfTrainings, initialSelfTrainings, type SelfTraining } from './self-training.decide.js';
import { reportOf, type SelfTrainingReport } from './self-training-report.js';
import { SELF_TRAINING_TOPICS, SOURCE } from './self-training-source.js';

/** All of them, in the order of their starts. */
export async function readSelfTrainings(
  kept: KeptLog,
  options: ReadingOptions,
): Promise<readonly SelfTrainingReport[]> {
  const states = await selfTrainingsIn(kept.log);
  const runs = (await readRuns(kept, options)).answer;
  return states.map((state) => reportOf(state, runs));
}

/** Reads on from where it stood, for those who ask again. */
export class SelfTrainingReader {
  private readonly state = initialSelfTrainings();
  private readonly news: NewEvents;
  /** One reading comes after another. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(log: EventLog) {
    this.news = new NewEvents(log, SELF_TRAINING_TOPICS);
  }

  /** With all that is in the log now, in the order of their starts. */
  states(): Promise<readonly SelfTraining[]> {
    const next = this.last.then(() => this.readOn());
    this.last = next.catch(() => undefined);
    return next;
  }

  private async readOn(): Promise<readonly SelfTraining[]> {
    for (const { event } of await this.news.read()) evolveSelfTrainings(this.state, event);
    return [...this.state.byId.values()];
  }
}

const selfTrainingsIn = (log: EventLog): Promise<readonly SelfTraining[]> => new SelfTrainingReader(log).states();

/**
 * Records that a person stops a self-training: the process that runs it stops at the next safe place.
 * @param meant the first characters of its id; absent: the only one that continues
 * @throws NOT_FOUND for none, INVALID_INPUT for several, CONFLICT for one that was stopped
 */
export async function stopSelfTraining(
  { log, clock }: { readonly log: EventLog; readonly clock: Clock },
  meant: string | undefined,
  { by, reason }: { readonly by: string; readonly reason: string },
): Promise<string> {
  const all = await selfTrainingsIn(log);
  const found = all.filter(({ selfTrainingId, stopped }) =>
    meant === undefined ? stopped === null : isMeant(meant, selfTrainingId),
  );
  const names = all.map(({ selfTrainingId }) => shortId(selfTrainingId)).join(', ') || 'none';
  const [only] = found;
  const wanted = meant === undefined ? 'one that continues' : `at least ${LEAST_OF_ID} characters of an id`;
  if (only === undefined || found.length > 1)
    throw new SeamError(
      only === undefined ? 'NOT_FOUND' : 'INVALID_INPUT',
      `Cannot stop a self-training: expected ${wanted}, got ${meant === undefined ? String(found.length) : onOneLine(meant)} (in the log: ${names}). Name one of them.`,
    );
  const { selfTrainingId, stopped } = only;
  if (stopped !== null)
    throw new SeamError(
      'CONFLICT',
      `Cannot stop self-training ${shortId(selfTrainingId)}: expected one that continues, got one that ${onOneLine(stopped.by)} stopped. There is nothing to do.`,
    );
  const meta = originMeta({
    ...{ messageId: newId(), correlationId: selfTrainingId, source: SOURCE },
    ...{ occurredAt: clock.now(), sourceClass: 'user' },
  });
  await log.append([encodeEvent({ type: 'SelfTrainingStopped', meta, selfTrainingId, stoppedBy: by, reason })]);
  return selfTrainingId;
}
