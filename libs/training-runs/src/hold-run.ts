/** Whose run it is follows from its claim on the log: the latest fences all before. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, type SeamEvent } from '@seamstream/events';

/** Who carries a run out. */
export interface RunHolder {
  /** Aborts when the run is to be left for later, or for another holder. */
  readonly signal: AbortSignal;
  /** Appends the run's events, unless another holds it by now: FENCED, also where there are none. */
  readonly record: (events: readonly SeamEvent[]) => Promise<unknown>;
}

/**
 * Works on a run as its only holder: an earlier holder is fenced.
 * @param work is given the holder, and a name that no other holder has
 */
export async function holdRun<T>(
  log: EventLog,
  runId: string,
  signal: AbortSignal,
  work: (holder: RunHolder, name: string) => Promise<T>,
): Promise<T> {
  const claim = await log.claim(`training-run.${runId}`);
  const record = (events: readonly SeamEvent[]): Promise<unknown> =>
    log.transact({ records: events.map(encodeEvent), consumed: { claim, offsets: [] } });
  try {
    return await work({ signal, record }, claim.memberId);
  } finally {
    // Where the log is away the claim is as good as given up: the next one fences it.
    await log.release(claim).catch(() => undefined);
  }
}
