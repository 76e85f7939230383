/** Who vouches for what is in the log: adapters, promotions, rollbacks and versions of the buffer. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { isSeamError } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { type AttestedEvent, checkAttestation, isAttested, type Trust } from '@seamstream/signatures';

export interface VerifiedFact {
  readonly place: string;
  readonly type: AttestedEvent['type'];
  /** Digest of the adapter, or of the manifest; null is the bare base model. */
  readonly digest: string | null;
  readonly state: 'signed' | 'unsigned' | 'refused';
  /** Names of the keys that vouch for it. */
  readonly by: readonly string[];
  readonly reason: string | null;
}

/** Every attested fact of the log, as the keys judge it. @param log unsigned: with every record that is in it */
export async function verifyFacts(log: EventLog, trust: Trust, signal: AbortSignal): Promise<readonly VerifiedFact[]> {
  const facts: VerifiedFact[] = [];
  const chunks = readTopics(log, [TOPIC.training, TOPIC.adapters, TOPIC.buffer], { undecodable: 'skip', signal });
  for await (const { events } of chunks) {
    for (const { event, record } of events) {
      const { topic, partition, offset } = record;
      if (isAttested(event)) facts.push(judged(event, `${topic}/${partition}@${offset}`, trust));
    }
  }
  return facts;
}

/** Of what the fact is about; a plan is named by its run, what is decided of a release by that. */
function digestOf(event: AttestedEvent): string | null {
  if (event.type === 'TrainingRunPlanned') return event.runId;
  if (event.type === 'ReleasePlanned') return event.candidate;
  if (event.type === 'ReleaseDecided') return event.releaseId;
  if (event.type === 'GuardPlanned') return event.guardId;
  return event.type === 'BufferCommitted' ? event.manifestDigest : event.adapterDigest;
}

function judged(event: AttestedEvent, place: string, trust: Trust): VerifiedFact {
  const fact = { place, type: event.type, digest: digestOf(event) };
  try {
    const by = checkAttestation(event, trust);
    return { ...fact, state: by.length > 0 ? 'signed' : 'unsigned', by, reason: null };
  } catch (error) {
    if (!isSeamError(error, 'SIGNATURE_INVALID')) throw error;
    return { ...fact, state: 'refused', by: [], reason: error.message };
  }
}
