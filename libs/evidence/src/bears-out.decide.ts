/**
 * Whether a result counts, by bytes alone. What {@link doubtOf} says needs values; most results are honest, and of those every value but
 * a few stands in the bytes of the experience as well:
 *
 *   ProblemPublished       meta │ problem │ …
 *                                    ║ the same bytes
 *   ExperienceGenerated    meta │ problem │ experienceId … entry │ promptTokenIds … adapterDigest │ …
 *                                    ║          ║                     ║ the same bytes
 *   OutcomeRecorded        meta │ problem │ experienceId … entry │ promptTokenIds … adapterDigest │ …
 *
 * It is exact in one direction. The experience's bytes are walked as decoding would (libs/events/src/encoded-fields.ts), so decoding gives
 * an experience; equal bytes of one type are equal values; and all else that doubtOf compares is compared here as text. So what is
 * borne out by bytes has no doubt. What is not is only not known yet: it is decoded, and doubtOf judges.
 */
import { type CopiedFields, copiedFields, type EventOf, experienceIdOf } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { COPIED_FIELDS } from './doubt.decide.js';
import type { KeptExperience, KeptProblem, Windows } from './kept-records.js';

export class EncodedRecords {
  private readonly copied: CopiedFields = copiedFields('ExperienceGenerated', 'OutcomeRecorded');
  private readonly isAllCopied = COPIED_FIELDS.every((name) => this.copied.names.has(name));

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
    const { published, encodedProblem } = problem;
    if (!this.isAllCopied || published === undefined || encodedProblem === undefined || !experience.isShown())
      return false;
    const { experience: shown, experienceMeta, inExperience } = windows;
    const { experienceId, candidateIndex, groupSize, adapterDigest, meta, reward } = result;
    const { eventId, correlationId, subject } = published;
    return (
      // The experience is one that the problem asked for, …
      shown.isSame(inExperience.from, inExperience.to, encodedProblem) &&
      shown.says(experienceMeta.messageId, experienceId) &&
      shown.says(experienceMeta.causationId, eventId) &&
      shown.says(experienceMeta.correlationId, correlationId) &&
      shown.says(experienceMeta.subject, subject) &&
      candidateIndex >= 0 &&
      candidateIndex < groupSize &&
      result.arm === published.mode &&
      result.groupId === problem.groupId &&
      // … the result is of this experience, …
      this.copied.areIn(shown, value) &&
      meta.causationId === experienceId &&
      meta.correlationId === correlationId &&
      meta.subject === subject &&
      (adapterDigest === null || basesOf(adapterDigest).has(result.baseModelDigest!)) &&
      reward >= 0 &&
      reward <= 1 &&
      // … and both have the ids that follow.
      experienceId === experienceIdOf(eventId, candidateIndex) &&
      meta.messageId === derivedId(experienceId, 'outcome')
    );
  }
}
