/** The report of the self-edits demonstration: `report.json`, its page, and its last words. Rates are fractions of 1; intervals are at 95 %. */
import {
  EDIT_ARM_NAMES,
  EDIT_ARMS,
  type EditArm,
  type EditDifference,
  type SelfEditsStudy,
} from '@seamstream/evaluation';
import { histogramPlots, runPlots, type TrackedPoint } from '@seamstream/experiment-tracking';
import { escapeHtml, inPoints, measuredBars, page, percent, table } from './page-pieces.js';
import type { RoundsReport } from './report.types.js';
import { ledgerTable, runFacts } from './run-parts.js';
import { cost, loopTime } from './verdict.js';

export interface EditsReport extends RoundsReport {
  readonly method: 'self-edits';
  readonly study: SelfEditsStudy;
  /** The first passage with an edit of either writer; null where none could be written. */
  readonly example: { readonly prompt: string; readonly before: string; readonly after: string } | null;
  /** One a round: what its edits earned, and what became of the writer that learned from them. */
  readonly iterations: readonly IterationRow[];
  /** Digest of the writer's adapter that is served; null: the base model. */
  readonly served: string | null;
  /** Whether the trained writer's edits teach more than the base writer's, these more than the passage, and it more than nothing: beyond chance. */
  readonly converged: boolean;
}

export interface IterationRow {
  readonly round: number;
  /** Edits that were tried. */
  readonly attempts: number;
  /** Share of them whose every question was answered right. */
  readonly solved: number;
  readonly meanReward: number | null;
  readonly rewardStd: number | null;
  /** How many edits earned how much, in ten bins. */
  readonly rewards: readonly number[];
  /** Share of the edits that earned more than no edit. */
  readonly gainingShare: number | null;
  /** What was imitated. */
  readonly keptEntries: number | null;
  /** Greedy edits: share of the validation passages whose every question is answered right; of the candidate and of its parent. */
  readonly validation: number | null;
  readonly parentValidation: number | null;
  readonly status: 'promoted' | 'rejected' | 'failed';
  readonly reason: string | null;
}

/** What the demonstration is to show, each on the same passages. */
const CLAIMS: readonly (readonly [EditArm, EditArm])[] = [
  ['passage', 'nothing'],
  ['before', 'passage'],
  ['after', 'before'],
];

/** Whether every claim holds beyond chance. */
export function holds(study: SelfEditsStudy): boolean {
  return CLAIMS.every(([one, other]) => (difference(study, one, other)?.accuracy.interval95[0] ?? 0) > 0);
}

function difference({ differences }: SelfEditsStudy, one: EditArm, other: EditArm): EditDifference | undefined {
  return differences.find((each) => each.one === one && each.other === other);
}

const accuracy = ({ study }: Pick<EditsReport, 'study'>, arm: EditArm): string =>
  percent(study.arms[arm]?.accuracy.value ?? 0);

/** What was learned, in one line. */
export function editsHeadline(report: Pick<EditsReport, 'study' | 'converged' | 'ended' | 'served'>): string {
  const figures = `${accuracy(report, 'after')} of the questions right after training on the trained writer's edits (${accuracy(report, 'before')} before ReST-EM, ${accuracy(report, 'passage')} on the passage alone, ${accuracy(report, 'nothing')} untrained)`;
  if (report.converged) return `Learned: ${figures}.`;
  return `NOT SHOWN: ${report.served === null ? 'no writer was promoted' : 'not every difference is beyond chance'}; ${figures}. ${report.ended}`;
}

/** The end of a run for a terminal. */
export function editsSummary(report: EditsReport): string {
  return [
    editsHeadline(report),
    ...CLAIMS.map(([one, other]) => {
      const found = difference(report.study, one, other);
      return found === undefined
        ? ''
        : `${EDIT_ARM_NAMES[one]} less ${EDIT_ARM_NAMES[other]}: ${inPoints(found.accuracy)}.`;
    }).filter((line) => line !== ''),
    `${report.study.passages} passages with ${report.study.questions} questions, none of them seen before. ${loopTime(report)}`,
    cost(report),
  ].join('\n');
}

/** Within a page a picture needs no name of its language, which would look like an address. */
const inPage = (picture: string): string => picture.replace(' xmlns="http://www.w3.org/2000/svg"', '');

/** Rewards of the rounds with their trend, gains, validation, and the last round's rewards: the picture that a tracker's files have. */
export function roundPlots(iterations: readonly IterationRow[]): string {
  return inPage(runPlots({ name: 'rounds', points: pointsOf(iterations) }));
}

/** Rounds as the points that a tracker would be given. */
function pointsOf(iterations: readonly IterationRow[]): readonly TrackedPoint[] {
  return iterations.flatMap((row) => {
    const values: readonly (readonly [string, number | null])[] = [
      ['reward/mean', row.meanReward],
      ['reward/std', row.rewardStd],
      ...row.rewards.map((count, bin) => [`reward/histogram_${bin}`, count] as const),
      ['gaining_share', row.gainingShare],
      ['validation/before_training', row.parentValidation],
      ['validation/after_training', row.validation],
    ];
    return values.flatMap(([metric, value]) => (value === null ? [] : [{ metric, step: row.round, value, at: 0 }]));
  });
}

/** The arms of a study and their differences, as a part of a page. @param which passages they are */
export function renderEditsStudy(study: SelfEditsStudy, which: string): string {
  const arms = EDIT_ARMS.filter((arm) => study.arms[arm] !== undefined);
  return `${measuredBars(
    arms.map((arm) => {
      const { accuracy: own } = study.arms[arm]!;
      return { name: EDIT_ARM_NAMES[arm], rate: own.value, interval95: own.interval95, problems: study.passages };
    }),
  )}
<p class="soft">Share of ${study.questions} questions about ${study.passages} ${which} passages that the executor answers right after a short training, which is forgotten after each passage. Intervals are over passages.</p>
${table(
  ['difference', 'points', '95 %', 'beyond chance'],
  study.differences.map(
    ({
      one,
      other,
      accuracy: {
        value,
        interval95: [low, high],
      },
    }) => [
      `${EDIT_ARM_NAMES[one]} less ${EDIT_ARM_NAMES[other]}`,
      Number((value * 100).toFixed(1)),
      `${(low * 100).toFixed(1)} to ${(high * 100).toFixed(1)}`,
      low > 0 ? 'better' : high < 0 ? 'worse' : 'no',
    ],
  ),
)}
${inPage(
  histogramPlots(
    'passages by the share of their questions that is right, in tenths',
    arms.map((arm) => ({ title: EDIT_ARM_NAMES[arm], counts: study.arms[arm]!.histogram })),
  ),
)}`;
}

export function renderEditsPage(report: EditsReport): string {
  const { study, iterations, example, ledger, settings, executor } = report;
  const optional = (value: number | null, digits = 3): string => (value === null ? '' : value.toFixed(digits));
  return page(
    `Seamstream report, self-edits, seed ${report.seed}`,
    `<h1>Seamstream: self-edits</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(editsHeadline(report))}</b></p>
${runFacts(report, `rounds of ${settings.roundSize} passages`)}
<h2>Questions answered without the passage</h2>
${renderEditsStudy(study, report.measuredOn.isHeldOut ? 'held-out' : 'validation')}
<h2>One passage, and what each writer makes of it</h2>
${example === null ? '<p class="soft">No edit could be written.</p>' : `<pre>${escapeHtml(example.prompt)}</pre><div class="example"><div><b>before ReST-EM</b><pre>${escapeHtml(example.before)}</pre></div><div><b>after ReST-EM</b><pre>${escapeHtml(example.after)}</pre></div></div>`}
<h2>Iterations</h2>
${roundPlots(iterations)}
<div class="wide" tabindex="0">${table(
      [
        ...['round', 'edits tried', 'all right', 'mean reward', 'deviation', 'gained', 'imitated'],
        ...['validation', "parent's", 'outcome', 'why'],
      ],
      iterations.map((row) => [
        ...[row.round, row.attempts, percent(row.solved), optional(row.meanReward), optional(row.rewardStd)],
        ...[row.gainingShare === null ? '' : percent(row.gainingShare), row.keptEntries ?? ''],
        ...[row.validation === null ? '' : percent(row.validation)],
        ...[row.parentValidation === null ? '' : percent(row.parentValidation), row.status, row.reason ?? ''],
      ]),
    )}</div>
<p class="soft">An edit earns the share of questions that are answered right after training on it. ReST-EM imitates the best edit of each passage. A writer is promoted when its edits are better than its parent's on the same validation passages, beyond chance.</p>
<h2>Ledger</h2>
${ledgerTable(ledger)}
<p class="soft">Executor ${escapeHtml(executor.model)} ${escapeHtml(executor.digest.slice(0, 16))}, ${executor.unchanged ? 'unchanged' : 'CHANGED'}. ${escapeHtml(`${loopTime(report)} ${cost(report)}`)}</p>`,
  );
}
