/**
 * Which entries and attempts the rest of a log bears out, in one reading: problems first, then experiences, answers and outcomes. A client
 * with access to a topic can append a record that names any tokens, in the place of the true one. Its ids have to follow from what was
 * published, and what it copies has to be what its experience says. Of what was read hashes are kept, and nothing is looked up.
 *
 *   ProblemPublished ─► ExperienceGenerated, ExperienceWithheld ─► AnswerRecorded, OutcomeRecorded
 *                    └─ of a gateway, whose entry never came ────► AnswerRecorded, OutcomeRecorded of feedback
 */
import {
  type EventMeta,
  type EventOf,
  experienceIdOf,
  groupIdOf,
  isControl,
  isConversation,
  type ProblemCopy,
  resultRole,
  tenantOf,
} from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { SeenIds } from './seen-ids.js';
import type { Executed } from './spent-cost.js';

type Experience = EventOf<'ExperienceGenerated'> | EventOf<'ExperienceWithheld'>;

/** What an attempt says as its experience does. */
interface Copied extends Pick<Executed, 'experienceId' | 'groupId' | 'attemptId' | 'arm' | 'adapterDigest'> {
  readonly candidateIndex: number;
  readonly groupSize: number;
}

export class BelievedWork {
  /** Publications as their experiences follow from them. */
  private readonly published = new SeenIds();
  /** Experiences of tenants: of two under one id the first counts. */
  private readonly written = new SeenIds();
  /** Experiences as their attempts copy them. */
  private readonly copied = new SeenIds();

  /** @param isWhole whether the log has its first problems and experiences: of what was before them nothing is known, and it is believed */
  constructor(private readonly isWhole: boolean) {}

  publish({ meta, problem, mode, assignment = null, answeredBy = null }: EventOf<'ProblemPublished'>): void {
    this.published.add(publication(meta, problem, meta.messageId, mode));
    this.published.add(publication(meta, problem, meta.messageId, 'control'));
    if (answeredBy === null) return;
    const arms = assignment === null ? ['control', 'deploy'] : [isControl(assignment) ? 'control' : 'deploy'];
    for (const arm of arms as readonly Executed['arm'][]) {
      const { messageId } = meta;
      const ids = { experienceId: experienceIdOf(messageId, 0), groupId: groupIdOf(messageId), attemptId: null };
      this.copied.add(unwritten(meta, problem, { ...WITHHELD, ...ids, arm }));
    }
  }

  /** Whether it follows from a publication. */
  follows({ meta, problem, experienceId, groupId, ...rest }: Experience): boolean {
    const { candidateIndex: index, groupSize, arm } = rest.type === 'ExperienceGenerated' ? rest : WITHHELD;
    const causeId = meta.causationId ?? '';
    return (
      Number.isSafeInteger(index) &&
      index >= 0 &&
      index < groupSize &&
      groupId === groupIdOf(causeId) &&
      experienceId === experienceIdOf(causeId, index) &&
      meta.messageId === experienceId &&
      (!this.isWhole || this.published.has(publication(meta, problem, causeId, arm)))
    );
  }

  /** Takes in one that follows. @returns whether it is the first of its id, which counts */
  write(experience: Experience): boolean {
    if (!this.written.add(nameOf(experience))) return false;
    const said = experience.type === 'ExperienceGenerated' ? experience : { ...experience, ...WITHHELD };
    this.copied.add(copy(experience.meta, experience.problem, said));
    return true;
  }

  /** Whether it says what its experience says, under ids that follow from it. */
  bearsOut(executed: Executed): boolean {
    const { meta, problem, experienceId } = executed;
    const role = executed.type === 'AnswerRecorded' ? 'answer' : resultRole(executed);
    if (meta.causationId !== experienceId || meta.messageId !== derivedId(experienceId, role)) return false;
    if (this.copied.has(copy(meta, problem, executed))) return true;
    const isOfGateway = isAnswerOrItsResult(executed) && isConversation(executed.executor);
    if (isOfGateway && this.copied.has(unwritten(meta, problem, executed))) return true;
    // A gateway may have answered before the entry came that is here, after a publication that is no more.
    return !this.isWhole && (isOfGateway || !this.written.has(nameOf(executed)));
  }
}

/** A result by feedback copies its answer, which may be no more. */
const isAnswerOrItsResult = (executed: Executed): boolean =>
  executed.type === 'AnswerRecorded' || executed.feedbackId !== null;

/** Where no entry was written. */
const WITHHELD = { candidateIndex: 0, groupSize: 1, arm: 'control', adapterDigest: null } as const;

const nameOf = ({ meta, experienceId }: Pick<Executed, 'meta' | 'experienceId'>): string =>
  nameIn(meta, 'written', experienceId);

const publication = (meta: EventMeta, problem: ProblemCopy, messageId: string, arm: string): string =>
  nameIn(meta, 'published', problem.problemId, problem.domain, meta.subject, messageId, arm);

const copy = (meta: EventMeta, problem: ProblemCopy, of: Copied): string =>
  nameIn(meta, 'copied', ...told(meta, problem, of));

/** What a gateway answers before its entry is there. */
const unwritten = (meta: EventMeta, problem: ProblemCopy, of: Copied): string =>
  nameIn(meta, 'unwritten', ...told(meta, problem, of));

const told = ({ subject }: EventMeta, { problemId, domain }: ProblemCopy, of: Copied) => [
  ...[problemId, domain, subject, of.experienceId, of.groupId, of.attemptId],
  ...[of.candidateIndex, of.groupSize, of.arm, of.adapterDigest],
];

/** No two lists have one text. */
const nameIn = (meta: EventMeta, ...parts: readonly (string | number | null)[]): string =>
  JSON.stringify([tenantOf(meta), ...parts]);
