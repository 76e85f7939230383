/** Takes a run back that waits for a worker, or that one carries out: it stops at its next checkpoint, and nothing of it is served. */
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, originMeta, type SeamEvent, TOPIC } from '@seamstream/events';
import { isMeant, LEAST_OF_ID, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';

const SOURCE = 'seam/cli';

/** Who cancels, why, when (milliseconds since the Unix epoch), under which id. */
export interface Cancelling {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  readonly messageId: string;
}

/** What is known of runs: whether each has ended. */
type Ends = ReadonlyMap<string, string | null>;

/**
 * Records that a person cancels a run.
 * @param meant the first characters of its id
 * @throws NOT_FOUND for none, INVALID_INPUT for several, CONFLICT for one that has ended
 */
export async function cancelRun(
  log: EventLog,
  meant: string,
  cancelling: Cancelling,
  signal: AbortSignal,
): Promise<EventOf<'TrainingRunCancelled'>> {
  const ends = new Map<string, string | null>();
  const topics = [TOPIC.training, TOPIC.adapters];
  for await (const { events } of readTopics(log, topics, { undecodable: 'skip', signal }))
    for (const { event } of events) note(ends, event);
  const event = cancellation(openRun(ends, meant), cancelling);
  await log.append([encodeEvent(event)]);
  return event;
}

function note(ends: Map<string, string | null>, event: SeamEvent): void {
  switch (event.type) {
    case 'TrainingRunPlanned':
    case 'TrainingRunStarted':
      if (!ends.has(event.runId)) ends.set(event.runId, null);
      break;
    case 'TrainingRunRejected':
      ends.set(event.runId, 'rejected');
      break;
    case 'TrainingRunFailed':
      ends.set(event.runId, 'failed');
      break;
    case 'TrainingRunCancelled':
      ends.set(event.runId, 'cancelled');
      break;
    case 'AdapterPromoted':
      if (event.runId !== null && ends.has(event.runId)) ends.set(event.runId, 'promoted');
      break;
    default:
  }
}

function openRun(ends: Ends, meant: string): string {
  const found = [...ends.keys()].filter((runId) => isMeant(meant, runId));
  const open = [...ends].flatMap(([runId, end]) => (end === null ? [shortId(runId)] : []));
  const [only] = found;
  if (only === undefined)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot cancel run ${onOneLine(meant)}: expected at least ${LEAST_OF_ID} characters of the id of a run, got none of those in the log (not ended: ${open.join(', ') || 'none'}). Look with: seam tail training.`,
      { details: { run: meant } },
    );
  if (found.length > 1)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot cancel run ${onOneLine(meant)}: expected one, got ${found.length} (${found.map(shortId).join(', ')}). Give more of its id.`,
    );
  const end = ends.get(only);
  if (end !== null)
    throw new SeamError(
      'CONFLICT',
      `Cannot cancel run ${shortId(only)}: expected one that has not ended, got one that was ${end}. There is nothing to do.`,
    );
  return only;
}

function cancellation(runId: string, { by, reason, at, messageId }: Cancelling): EventOf<'TrainingRunCancelled'> {
  const meta = originMeta({ messageId, correlationId: runId, source: SOURCE, occurredAt: at, sourceClass: 'user' });
  return { type: 'TrainingRunCancelled', meta, runId, cancelledBy: by, reason };
}
