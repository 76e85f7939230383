/**
 * Whether a result counts, by bytes alone. What {@link doubtOf} says needs values; most results are honest, and nearly all of their values
 * occur in the bytes of the experience as well:
 *
 *   ProblemPublished       meta │ problem │ …
 *                                    ║ the same bytes; of large content its digest
 *   ExperienceGenerated    meta │ problem │ experienceId … entry │ promptTokenIds … adapterDigest │ …
 *                                    ║          ║                     ║ the same bytes
 *   OutcomeRecorded        meta │ problem │ experienceId … entry │ promptTokenIds … adapterDigest │ …
 *
 * It is exact in one direction. The experience's bytes are walked as decoding would (libs/events/src/encoded-walk.ts), so decoding gives
 * an experience; equal bytes of one type are equal values; and all else that doubtOf compares is compared here as text. So what is
 * borne out by bytes has no doubt. What is not is only not known yet: it is decoded, and doubtOf judges.
 */
import { type CopiedFields, copiedFields, type EventOf, experienceIdOf, resultRole } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { COPIED_FIELDS } from './doubt.decide.js';
import type { KeptExperience, KeptProblem, Windows } from './kept-records.js';

/** Copied, but not next to the others in the bytes: compared as a text. */
const BY_TEXT = 'attemptId';
/** The branches of a copied prompt, in the schema's order: a text, or a reference that begins with the content's digest. */
const INLINE = 0;
const BY_REFERENCE = 1;

export class EncodedRecords {
  private readonly copied: CopiedFields = copiedFields('ExperienceGenerated', 'OutcomeRecorded');
  private readonly isAllCopied = COPIED_FIELDS.every((name) => name === BY_TEXT || this.copied.names.has(name));

  constructor(private readonly windows: Windows) {}

  /**
   * Whether the result counts; false where bytes alone do not say so.
   * @param value what the result was decoded from
   * @param basesOf the base models that the adapter was published for; empty where it was not
   */
  bearOut(
    result: EventOf<'OutcomeRecorded'>,
    value: Uint8Array,
    { experience, problem }: { readonly experience: KeptExperience; readonly problem: KeptProblem },
    basesOf: (adapterDigest: string) => ReadonlySet<string>,
  ): boolean {
    const { windows } = this;
    const { published } = problem;
    if (!this.isAllCopied || published === undefined || !experience.isShown()) return false;
    const { experience: shown, experienceMeta, attemptId } = windows;
    const { experienceId, candidateIndex, groupSize, adapterDigest, meta, reward } = result;
    const { eventId, correlationId, subject, tenant } = published;
    return (
      // The experience is one that the problem asked for, …
      this.isOfProblem(problem) &&
      shown.says(experienceMeta.messageId, experienceId) &&
      shown.says(experienceMeta.causationId, eventId) &&
      shown.says(experienceMeta.correlationId, correlationId) &&
      shown.says(experienceMeta.subject, subject) &&
      shown.says(experienceMeta.tenant, tenant) &&
      candidateIndex >= 0 &&
      candidateIndex < groupSize &&
      result.arm === published.mode &&
      result.groupId === problem.groupId &&
      // … the result is of this experience, …
      this.copied.areIn(shown, value) &&
      shown.says(attemptId, result.attemptId) &&
      meta.causationId === experienceId &&
      meta.correlationId === correlationId &&
      meta.subject === subject &&
      meta.tenant === tenant &&
      (adapterDigest === null || basesOf(adapterDigest).has(result.baseModelDigest!)) &&
      reward >= 0 &&
      reward <= 1 &&
      // … and both have the ids that follow.
      experienceId === experienceIdOf(eventId, candidateIndex) &&
      meta.messageId === derivedId(experienceId, resultRole(result))
    );
  }

  /** Whether the experience that is shown copies the problem: all of it, or all but the content, which it names. */
  private isOfProblem(problem: KeptProblem): boolean {
    const { experience: shown, inExperience: leaves } = this.windows;
    const { encodedProblem } = problem;
    if (encodedProblem === undefined || !shown.isSame(leaves.from, leaves.prompt, encodedProblem.whole)) return false;
    return (
      shown.isSameIn(INLINE, leaves.prompt, leaves.to, encodedProblem.prompt) ||
      (shown.says(leaves.reference, null) &&
        shown.isSame(leaves.verifier, leaves.to, encodedProblem.verifier) &&
        shown.saysIn(leaves.prompt, BY_REFERENCE, problem.contentDigest))
    );
  }
}
