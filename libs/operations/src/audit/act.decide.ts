/** What a person, a key or a user did, as one event says it. Pure. No prompt, answer or comment of a client is part of it. */
import { clientIn, DEFAULT_TENANT, type EventMeta, type EventOf, type SeamEvent, tenantOf } from '@seamstream/events';
import { plural } from '@seamstream/kernel';

/** In the order of help texts. */
export const ACTS = [
  ...['issue key', 'revoke key', 'set limit', 'remove limit', 'set price'],
  ...['promote', 'roll back', 'pin', 'unpin', 'evaluate', 'plan release', 'override release'],
  ...['set guard', 'end guard', 'unmute'],
  ...['import', 'train', 'start training', 'stop training', 'redrive', 'publish', 'ask', 'feedback'],
  ...['sign in', 'sign out', 'refused'],
] as const;
export type ActName = (typeof ACTS)[number];

/** Acts that change nothing of the system: what clients ask and say, who comes and goes, and who was refused. */
const PASSING: ReadonlySet<ActName> = new Set(['publish', 'ask', 'feedback', 'sign in', 'sign out', 'refused']);

/** Acts that change who may do what, what is served, or what is learned. */
export const CHANGES: readonly ActName[] = ACTS.filter((act) => !PASSING.has(act));

export interface ActSaid {
  readonly act: ActName;
  /** The person as they stated, the public part of a key, or the name of a user. Null: the event does not say. */
  readonly by: string | null;
  readonly what: string;
  /** Times it was done. */
  readonly times: number;
  /** Acts of the same word are one line a minute: they are many, and each is in the log. */
  readonly isFrequent?: true;
}

/** An act, or those of one word in a minute; then time and place are the first one's. */
export interface Act extends Omit<ActSaid, 'isFrequent'> {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Whose event it is. */
  readonly tenant: string;
  /** The program that recorded it. */
  readonly source: string;
  readonly place: { readonly topic: string; readonly partition: number; readonly offset: number };
}

const GATEWAY = 'seam/gateway';

/** Undefined for what no person, key or user did: services act by rules. */
export function actIn(event: SeamEvent): ActSaid | undefined {
  return actOnAccess(event) ?? actOnAdapters(event) ?? actOnGuards(event) ?? actOnTraining(event) ?? actOfClient(event);
}

function one(act: ActName, by: string | null, ...words: readonly string[]): ActSaid {
  return { act, by, what: words.filter((word) => word !== '').join(' '), times: 1 };
}

const because = (reason: string): string => (reason === '' ? '' : `(${reason})`);
const adapter = (digest: string | null): string => digest?.slice(0, 12) ?? 'the bare base model';

/** Of the default tenant nothing is said. */
function inTenant(meta: EventMeta): string {
  const tenant = tenantOf(meta);
  return tenant === DEFAULT_TENANT ? '' : ` in ${tenant}`;
}

function actOnAccess(event: SeamEvent): ActSaid | undefined {
  switch (event.type) {
    case 'ApiKeyIssued':
      return one('issue key', event.issuedBy, `${event.keyId} ${event.role}${inTenant(event.meta)} for ${event.name}`);
    case 'ApiKeyRevoked':
      return one('revoke key', event.revokedBy, event.keyId, because(event.reason));
    case 'QuotaDeclared': {
      const { keyId, measure, per, limit, mode, declaredBy, reason, meta } = event;
      const most = `${measure} per ${per} of ${clientIn(tenantOf(meta), keyId)}`;
      return limit === null
        ? one('remove limit', declaredBy, most, because(reason))
        : one('set limit', declaredBy, `${limit} ${most}, ${mode}`, because(reason));
    }
    case 'PriceDeclared':
      return one('set price', event.declaredBy, `${event.model} in ${event.currency}`, because(event.reason));
    case 'DeadLettersRedriven':
      return one('redrive', event.redrivenBy, plural(event.records, 'record'), because(event.reason));
    case 'SessionStarted':
      return one('sign in', event.userId, `to the dashboard as ${event.role}${inTenant(event.meta)}`);
    case 'SessionEnded': {
      const { sessionId, userId, endedBy, reason } = event;
      return one(
        'sign out',
        endedBy,
        `${sessionId === null ? 'all sessions' : 'a session'} of ${userId}`,
        because(reason),
      );
    }
    default:
      return undefined;
  }
}

function actOnAdapters(event: SeamEvent): ActSaid | undefined {
  switch (event.type) {
    case 'AdapterPromoted':
      // Without a name a run promoted, by its rule.
      if (event.promotedBy === null) return undefined;
      return one('promote', event.promotedBy, adapter(event.adapterDigest), because(event.reason ?? ''));
    case 'AdapterPublished':
      // Without a name a run made it.
      if ((event.publishedBy ?? null) === null) return undefined;
      return one('import', event.publishedBy!, adapter(event.adapterDigest));
    case 'AdapterRolledBack': {
      const { adapterDigest, to, rolledBackBy, reason } = event;
      return one('roll back', rolledBackBy ?? null, `${adapter(adapterDigest)} to ${adapter(to)}`, because(reason));
    }
    case 'AdapterPinned':
      return one('pin', event.pinnedBy, adapter(event.adapterDigest), because(event.reason));
    case 'AdapterUnpinned':
      return one('unpin', event.unpinnedBy, adapter(event.adapterDigest), because(event.reason));
    case 'AdapterEvaluated':
      return one('evaluate', event.evaluatedBy, adapter(event.adapterDigest));
    case 'TeamEvaluated':
      return one('evaluate', event.evaluatedBy, `the team of ${event.slot}`, adapter(event.teamDigest));
    case 'ReleasePlanned':
      return one(
        'plan release',
        event.plannedBy,
        `${event.releaseId}: ${adapter(event.candidate)}`,
        because(event.reason),
      );
    case 'ReleaseDecided':
      if (event.decidedBy === null) return undefined;
      return one('override release', event.decidedBy, `${event.releaseId}: ${event.decision}`, because(event.reason));
    default:
      return undefined;
  }
}

/** A rule mutes, and only a person ends a muting or a guard. */
function actOnGuards(event: SeamEvent): ActSaid | undefined {
  if (event.type === 'GuardPlanned') {
    const { plan, plannedBy, guardId, slot, reason } = event;
    const act = plan === null ? 'end guard' : 'set guard';
    return one(act, plannedBy, `${plan === null ? '' : `${guardId} `}of ${slot}`, because(reason));
  }
  if (event.type === 'DomainUnmuted') {
    const { unmutedBy, domain, adapterDigest, reason } = event;
    return one('unmute', unmutedBy, `${domain} for ${adapter(adapterDigest)}`, because(reason));
  }
  return undefined;
}

function actOnTraining(event: SeamEvent): ActSaid | undefined {
  switch (event.type) {
    case 'TrainingRunCancelled':
      return one('stop training', event.cancelledBy, event.runId, because(event.reason));
    case 'TrainingRunPlanned':
      // Without a name a service planned it, by its rule.
      if ((event.plannedBy ?? null) === null) return undefined;
      return one('train', event.plannedBy!, event.runId, event.algorithm);
    case 'TeamPreferencePublished':
      return { ...one('publish', event.publishedBy, 'a preference'), isFrequent: true };
    case 'SelfTrainingStarted':
      return one('start training', event.startedBy ?? null, event.selfTrainingId);
    case 'SelfTrainingStopped':
      return one('stop training', event.stoppedBy, event.selfTrainingId, because(event.reason));
    default:
      return undefined;
  }
}

function actOfClient(event: SeamEvent): ActSaid | undefined {
  switch (event.type) {
    case 'ProblemPublished': {
      // Of a file the subject is the one whose data it is, not the one who published.
      const act = event.answeredBy === GATEWAY ? 'ask' : 'publish';
      return {
        ...one(act, provenBy(event) ?? event.publishedBy ?? null, act === 'ask' ? 'a question' : 'a problem'),
        isFrequent: true,
      };
    }
    case 'FeedbackGiven':
      return { ...one('feedback', provenBy(event) ?? event.by, 'an answer'), isFrequent: true };
    case 'AccessRefused':
      return refused(event);
    default:
      return undefined;
  }
}

/** The client, as the gateway knows it by its key or token; null where it was open, and for other programs. */
function provenBy({ meta }: SeamEvent): string | null {
  return meta.source === GATEWAY ? meta.subject : null;
}

function refused({ keyId, reason, route, origin, requests }: EventOf<'AccessRefused'>): ActSaid {
  const what = [route ?? 'several routes', reason, `from ${origin}`].join(', ');
  return { act: 'refused', by: keyId, what, times: requests };
}
