/** Which records of which log go where: what a person asks for, checked, and carried out. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { parseStartPosition, resolveTopic } from '../tail/index.js';
import { commitOffsets, type DoneWork, doneAtSource } from './commit-offsets.js';
import { type CopyObserver, copyLog, type TopicCopy } from './copy-log.js';
import { COPIES_TOPIC, type Selection } from './copy-progress.js';
import { type LogAddress, parseLogAddress, showLogAddress } from './log-address.js';

/** Facts of the world: everything else follows from them. */
export const SOURCE_TOPICS: readonly string[] = [
  TOPIC.problems,
  TOPIC.experiences,
  TOPIC.outcomes,
  TOPIC.answers,
  TOPIC.feedback,
];

/** Their events name offsets of the log that they were written in. */
const DERIVED_TOPICS: readonly string[] = [TOPIC.buffer, TOPIC.training, TOPIC.adapters];

export interface CopyRequest {
  /** Addresses; one that is absent stands for the configured log. */
  readonly from?: string;
  readonly to?: string;
  readonly topic?: readonly string[];
  readonly since?: string;
  readonly until?: string;
  readonly domain?: readonly string[];
  readonly derived?: true;
  readonly done?: true;
}

interface CopyWorld {
  openLog(mode: 'read' | 'create'): Promise<EventLog>;
  openLogAt(address: LogAddress, mode: 'read' | 'create'): Promise<EventLog>;
}

export interface Copied {
  readonly from: string;
  readonly to: string;
  readonly topics: readonly TopicCopy[];
  /** Records that count as done at the target, by group. */
  readonly done: readonly { readonly group: string; readonly records: number }[];
}

/**
 * Copies what is asked for, exactly once; asked again it continues where it stopped.
 * @throws INVALID_INPUT for what contradicts itself; as `copyLog`
 */
export async function copyBetween(
  world: CopyWorld,
  request: CopyRequest,
  options: { readonly signal: AbortSignal; readonly observer: CopyObserver },
): Promise<Copied> {
  const selection = selectionOf(request);
  checkDone(request);
  const address = (option: '--from' | '--to', text: string | undefined): LogAddress | undefined =>
    text === undefined ? undefined : parseLogAddress(option, text);
  const [from, to] = [address('--from', request.from), address('--to', request.to)];
  if (from === undefined && to === undefined) {
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot copy a log: expected --from, --to or both, got none. Name one; the other is the configured log ("seam replay copy --help" shows examples).',
    );
  }
  const source = await (from === undefined ? world.openLog('read') : world.openLogAt(from, 'read'));
  const present = (await source.topics()).map(({ name }) => name);
  const topics = topicsOf(request, present);
  const target = await (to === undefined ? world.openLog('create') : world.openLogAt(to, 'create'));
  // Before the ends of the topics are taken: what was done by now has its effects among the records to copy.
  const done: readonly DoneWork[] = request.done ? await doneAtSource(source) : [];
  const reports = await copyLog(source, target, { topics, selection }, options);
  const { signal } = options;
  const nameOf = (log: LogAddress | undefined): string =>
    log === undefined ? 'the configured log' : showLogAddress(log);
  return {
    ...{ from: nameOf(from), to: nameOf(to), topics: reports },
    done: request.done ? await commitOffsets(target, { origin: await source.identity(), done, signal }) : [],
  };
}

/** A time of an option as milliseconds since the epoch. */
function timeOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  try {
    const position = parseStartPosition(text);
    if (position.at === 'time') return position.timestampMs;
  } catch {
    // Said below, with this option's name.
  }
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot read ${option}: expected a time (2030-01-31T12:00:00Z), got "${text}".`,
    {
      details: { option, value: text },
    },
  );
}

function selectionOf({ since, until, domain = [] }: CopyRequest): Selection {
  const selection = {
    since: timeOf('--since', since),
    until: timeOf('--until', until),
    domains: [...new Set(domain)].sort(),
  };
  if (selection.since !== null && selection.until !== null && selection.since >= selection.until) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot copy a log: expected --since before --until, got ${since} and ${until}. Nothing is between them.`,
    );
  }
  return selection;
}

function topicsOf(options: CopyRequest, known: readonly string[]): readonly string[] {
  const defaults = [...SOURCE_TOPICS, ...(options.done ? [TOPIC.deadLetters] : [])];
  const topics =
    options.topic?.map((name) => resolveTopic(name, known)) ?? defaults.filter((one) => known.includes(one));
  if (topics.includes(COPIES_TOPIC)) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot copy ${COPIES_TOPIC}: it says what was copied into this log, which is not true of another. Leave it out.`,
    );
  }
  const derived = topics.filter((topic) => DERIVED_TOPICS.includes(topic));
  if (derived.length > 0 && !options.derived) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot copy ${derived.join(', ')}: its events name offsets and objects of the log that they were written in. At the target the services make their own from the copied outcomes. To keep a record of the old ones all the same, add --derived; do so into a log that no buffer and no trainer works on.`,
      { details: { topics: derived } },
    );
  }
  if (topics.length === 0) {
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot copy a log: expected a source with topics that are copied, got one with none of them. Check --from.',
    );
  }
  return [...new Set(topics)];
}

function checkDone({ done, until, topic }: CopyRequest): void {
  if (!done) return;
  if (until === undefined && topic === undefined) return;
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot copy a log with --done: expected no --until and no --topic, got one: a problem counts as done only with its results, which may be outside of them. Leave these out, or --done.',
  );
}
