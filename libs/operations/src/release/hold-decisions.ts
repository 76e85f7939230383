/** Who decides what is served, a rule or a person, holds one claim of the log: of several at once one records at a time, on what it has read since. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';

const CLAIM = 'releases';
/** Another holder came in between so many times in a row: then the caller gets the error. */
const MOST_TRIES = 5;

/** Appends all of them together, unless another has claimed since: FENCED. */
export type RecordDecision = (events: readonly SeamEvent[]) => Promise<unknown>;

/**
 * Looks and decides as the only one. What an earlier holder recorded can be read by then, and it records nothing more; so no stage is decided
 * twice, also where a holder dies or does not hear whether its records are there.
 * @param work reads the log again each time that it is called, and records at most once
 * @throws what it throws, and FENCED where others claimed in between again and again
 */
export async function holdDecisions<T>(log: EventLog, work: (record: RecordDecision) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    const claim = await log.claim(CLAIM);
    try {
      return await work((events) =>
        log.transact({ records: events.map(encodeEvent), consumed: { claim, offsets: [] } }),
      );
    } catch (error) {
      if (!isSeamError(error, 'FENCED') || tries === MOST_TRIES) throw error;
    } finally {
      // Where the log is away the claim is as good as given up: the next one fences it.
      await log.release(claim).catch(() => undefined);
    }
  }
}
