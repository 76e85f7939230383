/** Which events a tail shows. Pure. A filter that an event has no field for holds for none: a run has no domain, a version of the buffer no problem. */
import { type SeamEvent, TOPIC_OF } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import type { DecodedRecord } from '@seamstream/log-reader';

export interface EventFilter {
  /** Names of events; all where absent. */
  readonly types?: ReadonlySet<string>;
  readonly domain?: string;
  /** An id, or the beginning of one. */
  readonly problem?: string;
  /** Text that the event holds somewhere, in any case. */
  readonly grep?: string;
}

export const isFiltering = (filter: EventFilter): boolean => Object.values(filter).some((each) => each !== undefined);

/** A record that is no event is shown unless something is asked of events. */
export function isWanted(decoded: DecodedRecord, filter: EventFilter): boolean {
  if (!('event' in decoded)) return !isFiltering(filter);
  const { event } = decoded;
  const { types, domain, problem, grep } = filter;
  return (
    (types === undefined || types.has(event.type)) &&
    (domain === undefined || domainOf(event) === domain) &&
    (problem === undefined || (problemIdOf(event)?.startsWith(problem) ?? false)) &&
    (grep === undefined || holds(event, grep.toLowerCase()))
  );
}

function problemIdOf(event: SeamEvent): string | null {
  if ('problem' in event) return event.problem.problemId;
  if ('problemId' in event) return event.problemId;
  return event.type === 'DeadLettered' ? event.key : null;
}

function domainOf(event: SeamEvent): string | null {
  if ('problem' in event) return event.problem.domain;
  // domain/difficulty
  return 'stratum' in event ? event.stratum.slice(0, event.stratum.lastIndexOf('/')) : null;
}

/** Looks at texts, not at names of fields. The tokens of an entry are numbers. */
function holds(value: unknown, text: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(text);
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return false;
  if (Array.isArray(value)) return typeof value[0] !== 'number' && value.some((each) => holds(each, text));
  return Object.values(value).some((each) => holds(each, text));
}

/**
 * Names of events, between commas, in any case and with a beginning in common: `outcome` is OutcomeRecorded.
 * @throws INVALID_INPUT naming those that there are
 */
export function parseEventTypes(text: string): ReadonlySet<string> {
  const known = Object.keys(TOPIC_OF);
  const types = new Set<string>();
  for (const name of text.split(',').map((each) => each.trim().toLowerCase())) {
    const found = known.filter((type) => type.toLowerCase() === name);
    const begun = found.length > 0 ? found : known.filter((type) => name !== '' && type.toLowerCase().startsWith(name));
    if (begun.length === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot read --type "${text}": expected names of events between commas, got "${name}". There are ${known.join(', ')}.`,
        { details: { option: '--type', value: text } },
      );
    }
    for (const type of begun) types.add(type);
  }
  return types;
}
