/**
 * Whether a result is borne out: by the experience that it is about, and by the problem that was published. Anybody who may write
 * to seam.outcomes can append a result; it counts when both stand in the log under the ids that follow from one another and all three
 * say the same. Pure: what stands in the log is given.
 *
 *   ProblemPublished ── UUIDv5 ─► groupId, experienceId, ExperienceGenerated ── UUIDv5 ─► OutcomeRecorded
 *                     └─────────────────────── UUIDv5 ─► ProblemExpired
 */
import {
  type EventMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  type Problem,
  type SeamEvent,
} from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';

export type Experience = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;
export type Result = EventOf<'OutcomeRecorded'> | EventOf<'ExecutionFailed'> | EventOf<'ProblemExpired'>;

/** Why a result does not count. The reasons are those of the event ResultRefused. */
export interface Doubt {
  readonly reason: EventOf<'ResultRefused'>['reason'];
  readonly detail: string;
}

export function isResult(event: SeamEvent): event is Result {
  return event.type === 'OutcomeRecorded' || event.type === 'ExecutionFailed' || event.type === 'ProblemExpired';
}

/**
 * Why a result does not count; undefined when it does.
 * @param experience the one with the result's experienceId in the log; of several the first
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
      differences(result.problem, published!.problem, 'problem_differs', 'the published problem') ??
      follows(result.meta, published!.meta, 'expired') ??
      (published!.expiresAt !== null && published!.expiresAt <= result.expiredAt
        ? undefined
        : doubt('result_differs', 'the problem had not expired'))
    );
  }
  if (experience === undefined)
    return doubt('experience_missing', `no experience ${result.experienceId} stands in the log`);
  return (
    notPublished(result.problem.problemId, published) ??
    differences(experience.problem, published!.problem, 'problem_differs', 'the published problem') ??
    ofProblem(experience, published!) ??
    ofAdapter(experience, basesOf) ??
    follows(result.meta, experience.meta, 'outcome') ??
    ofExperience(result, experience) ??
    ofVerdict(result)
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
  const isPlace = Number.isSafeInteger(index) && index >= 0 && index < size;
  if (!isPlace) return doubt('identity', `candidate ${index} of a group of ${size}`);
  if (experience.type === 'ExperienceGenerated' && experience.arm !== mode)
    return doubt('identity', `the problem was published to ${mode}, its experience is of the arm ${experience.arm}`);
  if (experience.groupId !== groupIdOf(meta.messageId)) return doubt('identity', "its group is not the problem's");
  if (experience.experienceId !== experienceIdOf(meta.messageId, index))
    return doubt('identity', `its experience is not candidate ${index} of the problem's`);
  return follows(experience.meta, meta, 'experience', index);
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

function placeOf(experience: Experience): { readonly index: number; readonly size: number } {
  return experience.type === 'ExperienceGenerated'
    ? { index: experience.candidateIndex, size: experience.groupSize }
    : { index: 0, size: 1 };
}

/** What results copy of their experience, by whether one was written. */
function ofExperience(result: Exclude<Result, { type: 'ProblemExpired' }>, experience: Experience): Doubt | undefined {
  const { experienceId, groupId, problem } = experience;
  const { index, size } = placeOf(experience);
  const isWritten = experience.type === 'ExperienceGenerated';
  const identity = {
    problem,
    experienceId,
    groupId,
    candidateIndex: index,
    groupSize: size,
    arm: isWritten ? experience.arm : 'control',
    adapterDigest: isWritten ? experience.adapterDigest : null,
  };
  const content = {
    entry: isWritten ? experience.entry : null,
    promptTokenIds: isWritten ? experience.promptTokenIds : [],
    tokenIds: isWritten ? experience.tokenIds : [],
    forced: isWritten ? experience.forced : [],
    baseModelDigest: isWritten ? experience.baseModelDigest : null,
  };
  return differences(
    result,
    result.type === 'OutcomeRecorded' ? { ...identity, ...content } : identity,
    'result_differs',
    'its experience',
  );
}

function ofVerdict(result: Result): Doubt | undefined {
  if (result.type !== 'OutcomeRecorded' || (result.reward >= 0 && result.reward <= 1)) return undefined;
  return doubt('result_differs', `a reward of ${result.reward}, expected 0 … 1`);
}

/** An event that a service derived has the id, the cause, the subject and the correlation that follow from its cause. */
function follows(meta: EventMeta, cause: EventMeta, role: string, index = 0): Doubt | undefined {
  const expected = {
    messageId: derivedId(cause.messageId, role, index),
    causationId: cause.messageId,
    correlationId: cause.correlationId,
    subject: cause.subject,
  };
  return differences(meta, expected, 'identity', 'what it follows from');
}

/** The first of the expected fields that is another one. */
function differences(
  came: object,
  expected: Readonly<Record<string, unknown>> | Problem,
  reason: Doubt['reason'],
  than: string,
): Doubt | undefined {
  for (const [name, value] of Object.entries(expected))
    if (!isSame((came as Record<string, unknown>)[name], value))
      return doubt(reason, `its ${name} is not that of ${than}`);
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
