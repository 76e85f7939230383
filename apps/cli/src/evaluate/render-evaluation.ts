/** An evaluation as a table: arms with their intervals, then arms by domain, then what the entries rescued and broke. Pure. */

import type { ArmResult, EvaluationArm, EvaluationResult, FaithfulShare } from '@seamstream/evaluation';
import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { renderJudges } from './render-judges.js';
import { renderUnjudged } from './render-unjudged.js';

const MEANING: Readonly<Record<EvaluationArm, string>> = {
  noExperience: 'the question alone',
  wrapperOnly: "the entry's slot, empty",
  fixedHint: 'one hint for all problems',
  otherProblemsEntry: 'the entry of another problem',
  untrained: "the base model's entry",
  trained: "the adapter's entry",
};

function armRow(arm: EvaluationArm, result: ArmResult, style: Style): string[] {
  const [low, high] = result.interval95;
  const name = arm === 'trained' ? style.bold(arm) : arm;
  const solved = `${count(result.successes)}/${count(result.problems)}`;
  const interval = result.problems === 0 ? percent(null) : `${percent(low)} … ${percent(high)}`;
  return [name, successOf(result), interval, solved, style.dim(MEANING[arm])];
}

/** Of no answer at all, no rate can be said. */
function successOf(result: Pick<ArmResult, 'problems' | 'success'> | undefined): string {
  return percent(result?.problems === 0 ? null : result?.success);
}

/** What the adapter's entries quote, against their problems; nothing where none was to quote. */
export function faithfulSentence(share: FaithfulShare | null): string {
  if (share === null) return '';
  const { quoting, faithful } = share;
  return `${count(faithful)} of ${count(quoting)} of the adapter's entries (${percent(faithful / quoting)}) quote nothing but what is in their problem.\n`;
}

export function renderEvaluation(result: EvaluationResult, adapter: string | null, style: Style): string {
  const arms = Object.entries(result.arms) as [EvaluationArm, ArmResult][];
  const table = renderTable(
    [
      { title: 'ARM' },
      { title: 'SUCCESS', align: 'right' },
      { title: '95 % INTERVAL', align: 'right' },
      { title: 'SOLVED', align: 'right' },
      { title: '' },
    ],
    arms.map(([arm, measured]) => armRow(arm, measured, style)),
    style,
  );
  const domains = [...new Set(arms.flatMap(([, { perDomain }]) => Object.keys(perDomain)))].sort();
  const perDomain =
    domains.length < 2
      ? ''
      : `\n${renderTable(
          [{ title: 'DOMAIN' }, ...arms.map(([arm]) => ({ title: arm, align: 'right' as const }))],
          domains.map((domain) => [
            onOneLine(domain),
            ...arms.map(([, measured]) => successOf(measured.perDomain[domain])),
          ]),
          style,
        )}`;
  const unjudged = renderUnjudged(Object.values(result.arms), 'answer', 'could not be judged and count for no arm');
  const lift =
    result.rescued === null || result.broken === null
      ? ''
      : `Rescued ${percent(result.rescued)}, broken ${percent(result.broken)}, lift ${percent(result.rescued - result.broken)}.\n`;
  const set = `${plural(result.problems, 'problem')} (set ${shortId(result.problemSetDigest)}), adapter ${adapter === null ? 'none: the base model' : shortId(adapter)}, greedy decoding.\n`;
  return `${table}${perDomain}\n${lift}${faithfulSentence(result.faithful)}${unjudged}${renderJudges(Object.values(result.arms))}${set}`;
}
