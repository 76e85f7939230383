/** Makes the meta of events: identity, causality and taint. Time and new ids are arguments. */
import { derivedId } from '@seamstream/kernel';
import type { EventMeta, SourceClass } from './generated/events.generated.js';
import { DEFAULT_TENANT, tenantInMeta } from './tenants.js';

/** Id of the group that a problem's event asks for; the control arm's problems have one too. */
export function groupIdOf(eventId: string): string {
  return derivedId(eventId, 'group');
}

export function experienceIdOf(eventId: string, candidateIndex: number): string {
  return derivedId(eventId, 'experience', candidateIndex);
}

/** From most to least trusted. */
const TRUST: readonly SourceClass[] = ['trusted', 'user', 'web', 'model'];

/** The least trusted of the given classes: what is made from several sources is as doubtful as the worst of them. */
export function leastTrusted(first: SourceClass, ...others: readonly SourceClass[]): SourceClass {
  return others.reduce((worst, each) => (TRUST.indexOf(each) > TRUST.indexOf(worst) ? each : worst), first);
}

export interface Origin {
  /** A fresh UUID, or one derived from what makes the event the same when it is stated again. */
  readonly messageId: string;
  /** The problem's id, or the run's for training and adapters. */
  readonly correlationId: string;
  /** The service, e.g. seam/gateway. */
  readonly source: string;
  /** Milliseconds since the Unix epoch. */
  readonly occurredAt: number;
  readonly sourceClass: SourceClass;
  /** Whose data it is. */
  readonly subject?: string | null;
  /** W3C trace context. */
  readonly traceparent?: string | null;
  /** The default tenant when absent. */
  readonly tenant?: string;
}

/** The meta of an event that no other event caused. */
export function originMeta({
  messageId,
  correlationId,
  source,
  occurredAt,
  sourceClass,
  subject = null,
  traceparent = null,
  tenant = DEFAULT_TENANT,
}: Origin): EventMeta {
  return {
    ...{ messageId, correlationId, causationId: null, occurredAt, source, subject, sourceClass, traceparent },
    tenant: tenantInMeta(tenant),
  };
}

export interface Derivation {
  /** What the new event is to its cause, e.g. experience: with `index` it makes the id. */
  readonly role: string;
  /** Ordinal among events of this role and cause; 0 when absent. */
  readonly index?: number;
  readonly source: string;
  /** Milliseconds since the Unix epoch. */
  readonly occurredAt: number;
  /** What the service itself adds, 'model' for model output; the cause's class when absent. */
  readonly sourceClass?: SourceClass;
  /** The cause's when absent; the run's id where training follows from problems. */
  readonly correlationId?: string;
  /** The cause's when absent. */
  readonly traceparent?: string | null;
}

/**
 * The meta of an event that follows from `cause`: an id derived from cause, role and index (so that a redelivery yields
 * the same event), the cause's correlation, subject and tenant, and the least trusted source class of both. What follows
 * in another story (a run, an adapter) is made from several tenants' events: it belongs to the default tenant.
 */
export function deriveMeta(
  cause: EventMeta,
  {
    role,
    index = 0,
    source,
    occurredAt,
    sourceClass = cause.sourceClass,
    correlationId = cause.correlationId,
    traceparent = cause.traceparent,
  }: Derivation,
): EventMeta {
  return {
    messageId: derivedId(cause.messageId, role, index),
    correlationId,
    causationId: cause.messageId,
    occurredAt,
    source,
    subject: cause.subject,
    sourceClass: leastTrusted(cause.sourceClass, sourceClass),
    traceparent,
    tenant: correlationId === cause.correlationId ? cause.tenant : null,
  };
}
