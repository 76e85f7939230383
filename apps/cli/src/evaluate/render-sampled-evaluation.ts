/** An evaluation of several answers per problem as tables: arms overall, then by domain. Pure. */

import type { EvaluationArm, SampledArmResult, SampledEvaluation, SampledResult } from '@seamstream/evaluation';
import { onOneLine, plural, shortId } from '@seamstream/kernel';
import type { Estimate } from '@seamstream/statistics';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import { percent } from '../terminal/text.js';
import { renderJudges } from './render-judges.js';
import { renderUnjudged } from './render-unjudged.js';

export function estimateCell(estimate: Estimate | null): string {
  if (estimate === null) return '–';
  const { value, interval95 } = estimate;
  const [low, high] = interval95;
  const bound = (share: number): string => (share * 100).toFixed(1);
  return `${percent(value)} (${bound(low)} … ${bound(high)})`;
}

function cells({ passAt, meanAt, majorityAt, ties, problems }: SampledResult, sizes: readonly number[]): string[] {
  return [
    String(problems),
    ...sizes.map((k) => estimateCell(passAt[k]!)),
    estimateCell(meanAt),
    estimateCell(majorityAt),
    String(ties),
  ];
}

export function renderSampledEvaluation(result: SampledEvaluation, adapter: string | null, style: Style): string {
  const { samples, drawing, lift } = result;
  const arms = Object.entries(result.arms) as [EvaluationArm, SampledArmResult][];
  // mean@K is pass@1: one column says both.
  const sizes = [...new Set(arms.flatMap(([, { passAt }]) => Object.keys(passAt).map(Number)))].filter((k) => k > 1);
  const figures: Column[] = [
    'PROBLEMS',
    ...sizes.map((k) => `PASS@${k}`),
    `PASS@1 = MEAN@${samples}`,
    `MAJORITY@${samples}`,
    'TIES',
  ].map((title) => ({ title, align: 'right' }));
  const overall = renderTable(
    [{ title: 'ARM' }, ...figures],
    arms.map(([arm, measured]) => [arm === 'trained' ? style.bold(arm) : arm, ...cells(measured, sizes)]),
    style,
  );
  const domains = [...new Set(arms.flatMap(([, { perDomain }]) => Object.keys(perDomain)))].sort();
  const perDomain =
    domains.length < 2
      ? ''
      : `\n${renderTable(
          [{ title: 'DOMAIN' }, { title: 'ARM' }, ...figures],
          domains.flatMap((domain) =>
            arms.map(([arm, measured]) => [onOneLine(domain), arm, ...cells(measured.perDomain[domain]!, sizes)]),
          ),
          style,
        )}`;
  const unjudged = renderUnjudged(Object.values(result.arms), 'problem', 'could not be judged and count for no arm');
  const lifted = lift === null ? '' : `Lift of mean@${samples}: ${estimateCell(lift)}.\n`;
  const set = `${plural(result.problems, 'problem')} (set ${shortId(result.problemSetDigest)}), adapter ${adapter === null ? 'none: the base model' : shortId(adapter)}, ${samples} answers each at temperature ${drawing.temperature}, top-p ${drawing.topP}.\n`;
  return `${overall}${perDomain}\n${lifted}${unjudged}${renderJudges(Object.values(result.arms))}In brackets: 95 %, over the problems (Agresti and Coull). Tied votes go to the answer that was drawn first.\n${set}`;
}
