import type { Evaluation, JudgeTally } from '@seamstream/events';
import { onOneLine, plural } from '@seamstream/kernel';
import { addedTallies, areOfOneJudge } from '@seamstream/rollout';

/** Whose opinions the verdicts of all arms are; empty where no model judged. */
export function renderJudges(arms: readonly { readonly judges: readonly JudgeTally[] }[]): string {
  const judges = addedTallies(...arms.map((arm) => arm.judges));
  if (judges.length === 0) return '';
  const changed = areOfOneJudge(judges)
    ? ''
    : 'THE JUDGE CHANGED meanwhile: its server reported several revisions, and arms may not be compared.\n';
  return `Judged by a model, whose verdicts are opinions: ${judgesText(judges)}.\n${changed}`;
}

/** Of an evaluation on record: whose opinions its verdicts are, and how many problems different revisions judged. */
export function judgeFacts({ judges = [], judgedApart = 0 }: Evaluation): [string, string][] {
  return [
    ...(judges.length === 0 ? [] : [['judged by', judgesText(judges)] as [string, string]]),
    ...(judgedApart === 0 ? [] : [['judged apart', plural(judgedApart, 'problem')] as [string, string]]),
  ];
}

/** Each with its verdicts. What a server says of itself comes from a stranger. */
export function judgesText(judges: readonly JudgeTally[]): string {
  const said = judges.map(
    ({ model, revision, verdicts }) =>
      `${onOneLine(model)}${revision === null ? '' : ` (${onOneLine(revision)})`}, ${plural(verdicts, 'verdict')}`,
  );
  return said.join('; ');
}
