/** A log in a test: events put where a log would put them, and all the orders in which a reader may meet them. */
import { partitionName } from '@seamstream/event-log';
import {
  type Arm,
  type EventMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  keyOf,
  type Problem,
  resultRole,
  type SeamEvent,
  TOPIC_OF,
  TOPICS,
} from '@seamstream/events';
import { derivedId, Random, sha256 } from '@seamstream/kernel';
import type { EventPosition, Projection } from '@seamstream/read-models';
import { EXAMPLE_EVENTS } from './example-events.js';

export type Placed = readonly [SeamEvent, EventPosition];

/** Gives each event the next offset of its key's partition. */
export function placed(events: readonly SeamEvent[]): Placed[] {
  const next = new Map<string, number>();
  return events.map((event) => {
    const topic = TOPIC_OF[event.type];
    const partitions = TOPICS.find(({ name }) => name === topic)?.partitions ?? 1;
    const partition = Number.parseInt(sha256(keyOf(event) ?? event.meta.messageId).slice(0, 8), 16) % partitions;
    const offset = next.get(partitionName(topic, partition)) ?? 0;
    next.set(partitionName(topic, partition), offset + 1);
    return [event, { topic, partition, offset }];
  });
}

/** The same records in another order that keeps the order within each partition. */
export function interleaved(log: readonly Placed[], seed: number): Placed[] {
  const queues = new Map<string, Placed[]>();
  for (const record of log) {
    const name = `${record[1].topic}/${record[1].partition}`;
    queues.set(name, [...(queues.get(name) ?? []), record]);
  }
  const random = Random.of('interleaved', seed);
  const rest = [...queues.values()];
  const order: Placed[] = [];
  while (rest.length > 0) {
    const at = random.int(rest.length);
    const queue = rest[at] ?? [];
    // Several at once now and then, as a reader fetches chunks.
    order.push(...queue.splice(0, 1 + random.int(4)));
    if (queue.length === 0) rest.splice(at, 1);
  }
  return order;
}

export function answerOf<State, Answer>(projection: Projection<State, Answer>, log: readonly Placed[]): Answer {
  return projection.read(
    log.reduce((state, [event, position]) => projection.evolve(state, event, position), projection.initialState()),
  );
}

let ordinal = 0;

export function metaOf(correlationId: string): EventMeta {
  ordinal++;
  return {
    messageId: `m-${ordinal}`,
    correlationId,
    causationId: null,
    occurredAt: ordinal,
    source: 'seam/test',
    subject: null,
    sourceClass: 'user',
    traceparent: null,
    tenant: null,
  };
}

export function problemOf(problemId: string, domain = 'arithmetic', facts?: string): Problem {
  return {
    problemId,
    domain,
    prompt: 'How many?',
    reference: '4',
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: facts === undefined ? {} : { facts },
  };
}

export const published = (problemId: string): SeamEvent => ({
  type: 'ProblemPublished',
  feedbackWithinMs: null,
  task: null,
  meta: metaOf(problemId),
  problem: problemOf(problemId),
  mode: 'explore',
  expiresAt: null,
});

interface CandidateOptions {
  readonly index?: number;
  readonly size?: number;
  readonly arm?: Arm;
  readonly group?: string;
  readonly domain?: string;
  readonly adapterDigest?: string | null;
  /** Of an outcome; null where its entry was not to quote. */
  readonly faithful?: boolean | null;
  /** That the problem depends on, with commas between. */
  readonly facts?: string;
}

const candidateOf = (
  problemId: string,
  {
    index = 0,
    size = 1,
    arm = 'explore',
    group = `g-${problemId}`,
    domain = 'arithmetic',
    adapterDigest = null,
    facts,
  }: CandidateOptions,
) => ({
  meta: metaOf(problemId),
  problem: problemOf(problemId, domain, facts),
  experienceId: `${group}-${index}`,
  groupId: group,
  candidateIndex: index,
  groupSize: size,
  arm,
  adapterDigest,
});

export const generated = (problemId: string, options: CandidateOptions = {}): SeamEvent => ({
  type: 'ExperienceGenerated',
  attemptId: null,
  feedbackWithinMs: null,
  ...candidateOf(problemId, options),
  entry: '{}',
  entrySchema: 's',
  promptTokenIds: [],
  tokenIds: [],
  logProbs: [],
  legalMass: [],
  forced: [],
  sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 8, seed: 's' },
  tokenizerDigest: 't',
  baseModelDigest: 'b',
  latencyMs: 1,
});

export const withheld = (problemId: string): SeamEvent => ({
  type: 'ExperienceWithheld',
  attemptId: null,
  feedbackWithinMs: null,
  meta: metaOf(problemId),
  problem: problemOf(problemId),
  experienceId: `x-${problemId}`,
  groupId: `g-${problemId}`,
  share: 0.1,
});

export const recorded = (problemId: string, success: boolean, options: CandidateOptions = {}): SeamEvent => ({
  type: 'OutcomeRecorded',
  attemptId: null,
  feedbackId: null,
  measurement: null,
  ...candidateOf(problemId, options),
  entry: null,
  promptTokenIds: [],
  tokenIds: [],
  forced: [],
  baseModelDigest: null,
  executor: { model: 'e', revision: 'r', template: 't', decoding: '{}' },
  response: '4',
  extractedAnswer: '4',
  success,
  reward: Number(success),
  faithful: options.faithful ?? null,
  verifierVersion: '1',
  verifierDetail: '',
  promptTokens: 1,
  responseTokens: 1,
  latencyMs: 1,
});

export const executionFailed = (problemId: string, options: CandidateOptions = {}): SeamEvent => ({
  type: 'ExecutionFailed',
  attemptId: null,
  ...candidateOf(problemId, options),
  code: 'SESSION_FAILED',
  reason: 'r',
  attempts: 3,
});

export const ungraded = (problemId: string, options: CandidateOptions = {}): SeamEvent => ({
  type: 'AttemptUngraded',
  attemptId: null,
  ...candidateOf(problemId, options),
  feedbackUntil: 1,
});

export const expired = (problemId: string): SeamEvent => ({
  type: 'ProblemExpired',
  meta: metaOf(problemId),
  problem: problemOf(problemId),
  expiredAt: 1,
});

export const deadLettered = (topic: string, key: string | null, offset = 0, code = 'MALFORMED_RECORD'): SeamEvent => ({
  type: 'DeadLettered',
  meta: metaOf(key ?? ''),
  topic,
  partition: 0,
  offset,
  group: 'executor',
  key,
  value: new Uint8Array(3),
  headers: {},
  code,
  reason: 'r',
  attempts: 1,
});

type Written = EventOf<'ExperienceGenerated' | 'ExperienceWithheld' | 'OutcomeRecorded' | 'AnswerRecorded'>;

/** The same events under ids that follow from one another, as services write them: for readers that believe no others. */
export function asWritten(events: readonly SeamEvent[]): readonly SeamEvent[] {
  const nameOf = ({ meta, problem }: Pick<Written, 'meta' | 'problem'>) => `${meta.tenant}/${problem.problemId}`;
  const publications = events.filter((event) => event.type === 'ProblemPublished');
  const causes = new Map(publications.map((event) => [nameOf(event), event.meta]));
  return events.map((event) => {
    const cause = 'problem' in event ? causes.get(nameOf(event)) : undefined;
    if (cause === undefined || !isWritten(event)) return event;
    const { messageId } = cause;
    const experienceId = experienceIdOf(messageId, 'candidateIndex' in event ? event.candidateIndex : 0);
    const isExperience = event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
    const role = event.type === 'AnswerRecorded' ? 'answer' : resultRole(event);
    const own = isExperience
      ? { messageId: experienceId, causationId: messageId }
      : { messageId: derivedId(experienceId, role), causationId: experienceId };
    const meta = { ...event.meta, ...own, subject: cause.subject };
    return { ...event, meta, experienceId, groupId: groupIdOf(messageId) };
  });
}

/** One attempt with what it follows from. */
export function attempted(problemId: string, success: boolean, options: CandidateOptions = {}): readonly SeamEvent[] {
  const isControl = options.arm === 'control';
  const problem = problemOf(problemId, options.domain, options.facts);
  const mode = options.arm === 'explore' || options.arm === undefined ? 'explore' : 'deploy';
  return asWritten([
    { ...(published(problemId) as EventOf<'ProblemPublished'>), problem, mode },
    isControl
      ? { ...(withheld(problemId) as EventOf<'ExperienceWithheld'>), problem }
      : { ...generated(problemId, options) },
    recorded(problemId, success, options),
  ]);
}

/** An answer to what was published and written, which waits for feedback. */
export function answerTo([published, written]: readonly SeamEvent[]): EventOf<'AnswerRecorded'> {
  const { experienceId, problem, arm, groupSize, adapterDigest } = written as EventOf<'ExperienceGenerated'>;
  const { AnswerRecorded: example } = EXAMPLE_EVENTS;
  const told = { experienceId, problem, arm, groupSize, adapterDigest, candidateIndex: 0 };
  const meta = { ...example.meta, tenant: written!.meta.tenant };
  return asWritten([published!, { ...example, ...told, meta }])[1] as EventOf<'AnswerRecorded'>;
}

/** The end of an answer's wait and its result by feedback, as the executor's service writes both. */
export function endOf(
  answer: EventOf<'AnswerRecorded'>,
): readonly [EventOf<'AnswerSettled'>, EventOf<'OutcomeRecorded'>] {
  const { meta, experienceId, problem } = answer;
  const resultId = derivedId(experienceId, resultRole(answer));
  const { AnswerSettled: end, OutcomeRecorded: result } = EXAMPLE_EVENTS;
  const settled = { ...meta, messageId: derivedId(meta.messageId, 'settled'), causationId: meta.messageId };
  return [
    { ...end, meta: settled, problemId: problem.problemId, attemptId: experienceId, resultId },
    { ...result, problem, experienceId, attemptId: null, feedbackId: 'f', meta: { ...meta, messageId: resultId } },
  ];
}

const WRITTEN: ReadonlySet<string> = new Set<Written['type']>([
  ...(['ExperienceGenerated', 'ExperienceWithheld', 'OutcomeRecorded', 'AnswerRecorded'] as const),
]);
const isWritten = (event: SeamEvent): event is Written => WRITTEN.has(event.type);
