/**
 * Whether a result is borne out by the experience that it is about and by the problem that was published. Any client that may write
 * to seam.outcomes can append a result. It counts when the log has both under the ids that follow from one another and all three
 * say the same. Pure: the content of the log is given.
 *
 *   ProblemPublished ── UUIDv5 ─► groupId, experienceId, ExperienceGenerated ── UUIDv5 ─► OutcomeRecorded
 *                     └─────────────────────── UUIDv5 ─► ProblemExpired
 */
import {
  contentDigest,
  type EventMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  isControl,
  isConversation,
  isGraded,
  type Problem,
  type ProblemCopy,
  resultRole,
  type SeamEvent,
} from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';

/** What every result copies of its experience, and what one that was judged copies besides. */
export const IDENTITY = [
  'problem',
  'experienceId',
  'attemptId',
  'groupId',
  'candidateIndex',
  'groupSize',
  'arm',
  'adapterDigest',
] as const;
const CONTENT = ['entry', 'promptTokenIds', 'tokenIds', 'forced', 'baseModelDigest'] as const;
/** What results copy of an experience that was written. */
export const COPIED_FIELDS = [...IDENTITY, ...CONTENT] as const;

type WrittenExperience = Pick<EventOf<'ExperienceGenerated'>, 'type' | 'meta' | (typeof COPIED_FIELDS)[number]>;
export type Experience = WrittenExperience | EventOf<'ExperienceWithheld'>;
/** An experience as it was recorded. */
export type WrittenOrWithheld = EventOf<'ExperienceGenerated' | 'ExperienceWithheld'>;
export type Result = EventOf<'OutcomeRecorded' | 'ExecutionFailed' | 'AttemptUngraded' | 'ProblemExpired'>;

/** Why a result does not count. The reasons are those of the event ResultRefused. */
export interface Doubt {
  readonly reason: EventOf<'ResultRefused'>['reason'];
  readonly detail: string;
}

const RESULTS: ReadonlySet<string> = new Set<Result['type']>([
  'OutcomeRecorded',
  'ExecutionFailed',
  'AttemptUngraded',
  'ProblemExpired',
]);

export function isResult(event: SeamEvent): event is Result {
  return RESULTS.has(event.type);
}

/**
 * Why a result does not count; undefined when it does.
 * @param experience the one with the result's experienceId in the log; of several the first that reading met
 * @param published the problem's event that experience, or expiry, says to follow from
 * @param basesOf the base models that the adapter was published for; empty where it was not
 */
export function doubtOf(
  result: Result,
  experience: Experience | undefined,
  published: EventOf<'ProblemPublished'> | undefined,
  basesOf: (adapterDigest: string) => ReadonlySet<string>,
): Doubt | undefined {
  if (result.type === 'ProblemExpired') {
    return (
      notPublished(result.problem.problemId, published) ??
      ofPublished(result.problem, published!.problem) ??
      follows(result.meta, published!.meta, 'expired') ??
      (published!.expiresAt !== null && published!.expiresAt <= result.expiredAt
        ? undefined
        : doubt('result_differs', 'the problem had not expired'))
    );
  }
  if (published !== undefined && endsUnwritten(result, published)) return undefined;
  if (experience === undefined) return doubt('experience_missing', `the log has no experience ${result.experienceId}`);
  return (
    notPublished(result.problem.problemId, published) ??
    ofPublished(experience.problem, published!.problem) ??
    ofProblem(experience, published!) ??
    ofAdapter(experience, basesOf) ??
    follows(result.meta, experience.meta, resultRole(experience)) ??
    ofExperience(result, experience) ??
    ofVerdict(result, published!.problem)
  );
}

/**
 * The event of the problem that a result follows from, where its form is that of a gateway's request that ended before its entry came: it
 * copies nothing of an experience but what follows from the problem. Null for every other form. Base models have results of the same form.
 */
export function publicationOfUnwritten(result: Result): string | null {
  if (!isOfUnwritten(result)) return null;
  const { problem, experienceId, groupId, adapterDigest, attemptId, candidateIndex, groupSize } = result;
  if (adapterDigest !== null || (attemptId ?? null) !== null || candidateIndex !== 0 || groupSize !== 1) return null;
  const eventId = derivedId(problem.problemId, 'published');
  return experienceId === experienceIdOf(eventId, 0) && groupId === groupIdOf(eventId) ? eventId : null;
}

type OfUnwritten = EventOf<'ExecutionFailed' | 'AttemptUngraded' | 'OutcomeRecorded'>;

function isOfUnwritten(result: Result): result is OfUnwritten {
  if (result.type === 'OutcomeRecorded') return isFeedbackWithoutEntry(result);
  return result.type === 'ExecutionFailed' || result.type === 'AttemptUngraded';
}

/**
 * A person's verdict on what a gateway's executor said without an entry. In the control arm there is none, and the reward is what others are
 * compared with. Where one was late there is no reward, so no entry is learned from it.
 */
function isFeedbackWithoutEntry(outcome: EventOf<'OutcomeRecorded'>): boolean {
  const { arm, executor, withoutEntry = null, feedbackId, reward, entry, baseModelDigest } = outcome;
  const { promptTokenIds, tokenIds, forced } = outcome;
  return (
    isConversation(executor) &&
    (arm === 'control' ? withoutEntry === null : withoutEntry !== null && reward === 0) &&
    feedbackId !== null &&
    entry === null &&
    baseModelDigest === null &&
    [promptTokenIds, tokenIds, forced].every(({ length }) => length === 0)
  );
}

/**
 * Whether a result follows from what was published for a gateway, in the arm that was drawn there, and says nothing of an entry. A request
 * may fail, or be answered, before its experience is in the log, and then says the same regardless of what is written afterwards.
 */
function endsUnwritten(result: Result, published: EventOf<'ProblemPublished'>): boolean {
  const { meta, problem, mode, assignment = null, answeredBy = null } = published;
  if (!isOfUnwritten(result) || (result.type === 'OutcomeRecorded' && isGraded(problem))) return false;
  const cause = { ...meta, messageId: result.experienceId };
  return (
    answeredBy !== null &&
    publicationOfUnwritten(result) === meta.messageId &&
    result.arm === (assignment !== null && isControl(assignment) ? 'control' : mode) &&
    ofPublished(result.problem, problem) === undefined &&
    follows(result.meta, cause, resultRole(result)) === undefined &&
    ofVerdict(result, problem) === undefined
  );
}

function notPublished(problemId: string, published: EventOf<'ProblemPublished'> | undefined): Doubt | undefined {
  return published === undefined
    ? doubt('problem_missing', `problem ${problemId} was not published by the event that it follows from`)
    : undefined;
}

/** The experience is one that this event of the problem asked for, under the ids that follow from it. */
function ofProblem(experience: Experience, { meta, mode }: EventOf<'ProblemPublished'>): Doubt | undefined {
  const { index, size } = placeOf(experience);
  if (!isPlaceInGroup(index, size)) return doubt('identity', `candidate ${index} of a group of ${size}`);
  if (experience.type === 'ExperienceGenerated' && experience.arm !== mode)
    return doubt('identity', `the problem was published to ${mode}, its experience is of the arm ${experience.arm}`);
  if (experience.groupId !== groupOf(meta.messageId)) return doubt('identity', "its group is not the problem's");
  const expectedId = experienceIdOf(meta.messageId, index);
  if (experience.experienceId !== expectedId)
    return doubt('identity', `its experience is not candidate ${index} of the problem's`);
  // Its event has the same id: both are derived in the role of an experience.
  return followsAs(experience.meta, meta, expectedId);
}

/** The group of the problem that was asked for last: its candidates follow one another. */
let lastGroup = { eventId: '', groupId: groupIdOf('') };

function groupOf(eventId: string): string {
  if (lastGroup.eventId !== eventId) lastGroup = { eventId, groupId: groupIdOf(eventId) };
  return lastGroup.groupId;
}

/** Who wrote it is in the log as well. Without an adapter nothing there says which base model is meant: who learns from it has its own. */
function ofAdapter(experience: Experience, basesOf: (adapterDigest: string) => ReadonlySet<string>): Doubt | undefined {
  if (experience.type !== 'ExperienceGenerated' || experience.adapterDigest === null) return undefined;
  const { adapterDigest, baseModelDigest } = experience;
  const bases = basesOf(adapterDigest);
  if (bases.size === 0) return doubt('adapter_unknown', `adapter ${adapterDigest} was not published`);
  if (bases.has(baseModelDigest)) return undefined;
  return doubt('adapter_unknown', `adapter ${adapterDigest} is not for the base model ${baseModelDigest}`);
}

export function isPlaceInGroup(index: number, size: number): boolean {
  return Number.isSafeInteger(index) && index >= 0 && index < size;
}

export function isExperience(event: SeamEvent): event is WrittenOrWithheld {
  return event.type === 'ExperienceGenerated' || event.type === 'ExperienceWithheld';
}

function placeOf(experience: Experience): { readonly index: number; readonly size: number } {
  return experience.type === 'ExperienceGenerated'
    ? { index: experience.candidateIndex, size: experience.groupSize }
    : { index: 0, size: 1 };
}

/** Where none was written. */
const WITHHELD = {
  ...{ candidateIndex: 0, groupSize: 1, arm: 'control', adapterDigest: null },
  ...{ entry: null, promptTokenIds: [], tokenIds: [], forced: [], baseModelDigest: null },
};

function ofExperience(result: Exclude<Result, { type: 'ProblemExpired' }>, experience: Experience): Doubt | undefined {
  const names = result.type === 'OutcomeRecorded' ? COPIED_FIELDS : IDENTITY;
  return differences(result, asCopied(experience), { names, reason: 'result_differs', than: 'its experience' });
}

/** An experience as its results copy it. */
export function asCopied(
  experience: Experience,
): WrittenExperience | (EventOf<'ExperienceWithheld'> & typeof WITHHELD) {
  return experience.type === 'ExperienceGenerated' ? experience : { ...experience, ...WITHHELD };
}

export function isReward(reward: number): boolean {
  return reward >= 0 && reward <= 1;
}

function ofVerdict(result: Result, published: Problem): Doubt | undefined {
  if (result.type === 'AttemptUngraded' && isGraded(published))
    return doubt('result_differs', 'it is ungraded, and a verifier judges the answers to its problem');
  if (result.type !== 'OutcomeRecorded' || isReward(result.reward)) return undefined;
  return doubt('result_differs', `a reward of ${result.reward}, expected 0 … 1`);
}

/** An event that a service derived has the id, the cause, the subject, the tenant and the correlation that follow from its cause. */
function follows(meta: EventMeta, cause: EventMeta, role: string): Doubt | undefined {
  return followsAs(meta, cause, derivedId(cause.messageId, role));
}

const DERIVED = ['messageId', 'causationId', 'correlationId', 'subject', 'tenant'] as const;

function followsAs(meta: EventMeta, cause: EventMeta, messageId: string): Doubt | undefined {
  const { messageId: causationId, correlationId, subject, tenant } = cause;
  const expected = { messageId, causationId, correlationId, subject, tenant };
  return differences(meta, expected, { names: DERIVED, reason: 'identity', than: 'what it follows from' });
}

/** A copy says what was published, or names its content by the digest. Where it says to have found that is no claim: logs are copied. */
function ofPublished(problem: ProblemCopy, published: Problem): Doubt | undefined {
  const names = Object.keys(published) as (keyof Problem)[];
  const { prompt } = problem;
  const isNamed = typeof prompt !== 'string' && prompt.digest === contentDigest(published);
  const expected = isNamed ? { ...published, prompt, reference: null } : published;
  return differences(problem, expected, { names, reason: 'problem_differs', than: 'the published problem' });
}

/** The first of the fields that is not as expected. */
function differences<Name extends string>(
  came: Readonly<Partial<Record<Name, unknown>>>,
  expected: Readonly<Record<Name, unknown>>,
  { names, reason, than }: { readonly names: readonly Name[]; readonly reason: Doubt['reason']; readonly than: string },
): Doubt | undefined {
  for (const name of names)
    if (!isSame(came[name], expected[name])) return doubt(reason, `its ${name} is not that of ${than}`);
  return undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at++) if (a[at] !== b[at] && !isSame(a[at], b[at])) return false;
    return true;
  }
  // Field by field: this is asked of every result, and a text of each to compare would be most of its cost.
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  let fields = 0;
  for (const name in left) {
    if (!Object.hasOwn(right, name) || !isSame(left[name], right[name])) return false;
    fields++;
  }
  return fields === Object.keys(right).length;
}

function doubt(reason: Doubt['reason'], detail: string): Doubt {
  return { reason, detail };
}
