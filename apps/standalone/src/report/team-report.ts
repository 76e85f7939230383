/** The report of the team demonstration: `report.json`, its page, and its last words. Rates are fractions of 1; intervals are at 95 %. */
import type { Estimate } from '@seamstream/statistics';
import { type Certificate, certificateText } from '@seamstream/team-tuning';
import type { FixedSettings, RunLimits } from '../run-settings.js';
import { escapeHtml, inPoints, measuredBars, page, percent, table } from './page-pieces.js';
import type { Report } from './report.types.js';
import { runFacts } from './run-parts.js';

export interface ArmResult {
  readonly problems: number;
  readonly success: number;
  readonly interval95: readonly [low: number, high: number];
  readonly perDomain: Readonly<Record<string, number>>;
  readonly solved: readonly boolean[];
}

export interface StageRow {
  /** 1, 2, 3, … */
  readonly stage: number;
  /** Rollouts sampled during the stage, and how many of them succeeded. */
  readonly rollouts: number;
  readonly successes: number;
  /** Success on the validation problems of the stage's team, and of the one before it; null where it was not measured. */
  readonly validation: number | null;
  readonly before: number | null;
  readonly accepted: number;
  readonly takenBack: number;
  readonly givenUp: number;
  readonly status: 'promoted' | 'rejected' | 'failed' | 'unfinished';
  readonly reason: string;
  /** From its first event to its last one. */
  readonly seconds: number;
}

/** What a report shows of a way of tuning. */
export interface ArmFigures {
  readonly stages: readonly StageRow[];
  readonly rollouts: number;
  /** As the log holds them: every rollout has a turn of each agent, and a verdict. */
  readonly turns: number;
  readonly judged: number;
  readonly accepted: number;
  readonly takenBack: number;
  readonly givenUp: number;
}

/** The largest fall of the validation success in a stage; 0 where none fell. */
export function worstFall({ stages }: Pick<ArmFigures, 'stages'>): number {
  return Math.max(
    0,
    ...stages.map(({ before, validation }) => (before === null || validation === null ? 0 : before - validation)),
  );
}

export interface ArmReport extends ArmFigures {
  readonly name: string;
  readonly title: string;
  /** Of the last team on held-out problems. */
  readonly heldOut: ArmResult;
}

export interface TeamReport
  extends Pick<
    Report,
    'seed' | 'version' | 'madeAt' | 'commands' | 'executor' | 'loopSeconds' | 'folderBytes' | 'peakMemoryBytes'
  > {
  readonly method: 'team';
  readonly settings: FixedSettings;
  readonly limits: readonly RunLimits[];
  /** Of the whole start, controls and measurements included. */
  readonly seconds: number;
  /** The agents' base models, untuned. */
  readonly base: ArmResult;
  /** What is shown, then its controls. */
  readonly arms: readonly ArmReport[];
  /** Success of what is shown less that of a control, on the same problems. */
  readonly differences: readonly { readonly less: string; readonly value: Estimate }[];
  readonly target: number;
  /** Of the last stage of what is shown. */
  readonly certificate: Certificate;
  readonly example: {
    readonly prompt: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
  } | null;
  readonly converged: boolean;
}

type Judged = Pick<TeamReport, 'arms' | 'differences' | 'target'>;

/** What the demonstration is to show, each with whether it does. */
function claimsOf({
  arms,
  differences,
  target,
}: Judged): readonly { readonly claim: string; readonly holds: boolean }[] {
  const [shown, , ungated] = arms as readonly [ArmReport, ArmReport, ArmReport];
  const [simultaneous] = differences as readonly [TeamReport['differences'][number]];
  const rollouts = new Set(arms.map((arm) => arm.rollouts));
  return [
    { claim: `the team solves ${percent(target)} of the held-out problems`, holds: shown.heldOut.success >= target },
    {
      claim: 'one after the other ends no lower than all at once',
      holds: simultaneous.value.interval95[1] >= 0,
    },
    { claim: 'the worst stage falls no further with the gate', holds: worstFall(shown) <= worstFall(ungated) },
    { claim: 'every way had equally many rollouts', holds: rollouts.size === 1 },
    { claim: 'every rollout has its turns and its verdict in the log', holds: arms.every(isBalanced) },
  ];
}

function isBalanced({ rollouts, turns, judged }: ArmReport): boolean {
  return judged === rollouts && turns === 3 * rollouts;
}

export function holds(report: Judged): boolean {
  return claimsOf(report).every((each) => each.holds);
}

/** What was learned, in one line. */
export function teamHeadline(report: TeamReport): string {
  const [shown, simultaneous, ungated] = report.arms as readonly [ArmReport, ArmReport, ArmReport];
  const figures = `${percent(shown.heldOut.success)} of the held-out problems solved by three agents tuned one after the other (${percent(report.base.success)} untuned, ${percent(simultaneous.heldOut.success)} tuned all at once, ${percent(ungated.heldOut.success)} without a gate)`;
  if (report.converged) return `Learned: ${figures}.`;
  const missing = claimsOf(report).filter((each) => !each.holds);
  return `NOT SHOWN: it does not hold that ${missing.map(({ claim }) => claim).join(', nor that ')}; ${figures}.`;
}

/** The end of a run for a terminal. */
export function teamSummary(report: TeamReport): string {
  const { arms, differences, certificate } = report;
  return [
    teamHeadline(report),
    ...differences.map(({ less, value }) => `one after the other, gated less ${less}: ${inPoints(value)}.`),
    `Worst fall of a stage: ${arms.map((arm) => `${(worstFall(arm) * 100).toFixed(1)} points ${arm.title}`).join(', ')}.`,
    `The gate took back ${arms[0]!.takenBack + arms[0]!.givenUp} of ${arms[0]!.takenBack + arms[0]!.givenUp + arms[0]!.accepted} updates. ${arms[0]!.rollouts} rollouts in each way.`,
    `Certificate of the last stage: ${certificateText(certificate)}.`,
    cost(report),
  ].join('\n');
}

function cost({ seconds, peakMemoryBytes, folderBytes }: TeamReport): string {
  return `It took ${seconds.toFixed(0)} s, ${(peakMemoryBytes / 2 ** 20).toFixed(0)} MiB of memory and ${(folderBytes / 2 ** 20).toFixed(0)} MiB of disk.`;
}

export function renderTeamPage(report: TeamReport): string {
  const { arms, base, differences, certificate, example, executor, settings } = report;
  const optional = (rate: number | null): string => (rate === null ? '' : percent(rate));
  return page(
    `Seamstream report, team, seed ${report.seed}`,
    `<h1>Seamstream: a team</h1>
<p class="verdict ${report.converged ? 'good' : 'short'}"><b>${escapeHtml(teamHeadline(report))}</b></p>
${runFacts(report, `stages of ${settings.roundSize} problems`)}
<h2>Held-out problems</h2>
${measuredBars(
  [{ title: 'untuned', heldOut: base }, ...arms].map(({ title, heldOut }) => ({
    ...{ name: title, rate: heldOut.success, interval95: heldOut.interval95, problems: heldOut.problems },
  })),
  report.target,
)}
<p class="soft">Each way had ${arms[0]!.rollouts} rollouts of the same problems. ${escapeHtml(differences.map(({ less, value }) => `Less ${less}: ${inPoints(value)}.`).join(' '))}</p>
<h2>Validation problems after each stage</h2>
${curves(arms)}
<h2>What holds</h2>
${table(
  ['claim', 'holds'],
  claimsOf(report).map((each) => [each.claim, each.holds ? 'yes' : 'NO']),
)}
<h2>One problem, and what the team makes of it</h2>
${example === null ? '<p class="soft">None that the untuned team failed and the tuned one solved.</p>' : `<pre>${escapeHtml(example.prompt)}</pre><div class="example"><div><b>untuned</b><pre>${escapeHtml(example.before.join('\n'))}</pre></div><div><b>tuned</b><pre>${escapeHtml(example.after.join('\n'))}</pre></div></div>`}
<h2>Stages</h2>
<div class="wide" tabindex="0">${table(
      [
        'way',
        'stage',
        'rollouts',
        'succeeded',
        'accepted',
        'taken back',
        'given up',
        'before',
        'validation',
        'outcome',
      ],
      arms.flatMap(({ title, stages }) =>
        stages.map((row) => [
          ...[title, row.stage, row.rollouts, percent(row.successes / Math.max(1, row.rollouts))],
          ...[row.accepted, row.takenBack, row.givenUp, optional(row.before), optional(row.validation), row.status],
        ]),
      ),
    )}</div>
<p class="soft">Worst fall of a stage: ${escapeHtml(arms.map((arm) => `${(worstFall(arm) * 100).toFixed(1)} points ${arm.title}`).join(', '))}. Every stage's team is promoted here, in all ways, so that what the gate does can be seen.</p>
<h2>Certificate</h2>
<p>${escapeHtml(certificateText(certificate))}.</p>
${table(['gain', 'occupancy shift', 'estimator bias', 'finite sample', 'bound'], [[certificate.gain, certificate.occupancyShift, certificate.estimatorBias, certificate.finiteSample, certificate.bound].map((term) => Number(term.toPrecision(4)))])}
<p class="soft">${escapeHtml(
      `Constants: ${Object.entries(certificate.constants)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ')}. κ, a and ζ are placeholders: the proof's are not published.`,
    )}</p>
<p class="soft">Executor ${escapeHtml(executor.model)} ${escapeHtml(executor.digest.slice(0, 16))}, ${executor.unchanged ? 'unchanged' : 'CHANGED'}. ${escapeHtml(cost(report))}</p>`,
  );
}

const INKS = ['var(--validation)', 'var(--explored)', 'var(--control)'] as const;

/** A line per way: success on the validation problems, stage by stage. */
function curves(arms: readonly ArmReport[]): string {
  const most = Math.max(1, ...arms.map(({ stages }) => stages.length));
  const x = (stage: number): number => 40 + (stage / most) * 640;
  const y = (rate: number): number => 190 - rate * 170;
  const grid = [0, 0.5, 1].map(
    (rate) =>
      `<line class="grid" x1="40" x2="680" y1="${y(rate)}" y2="${y(rate)}"/><text x="4" y="${y(rate) + 4}">${(rate * 100).toFixed(0)} %</text>`,
  );
  const lines = arms.map(({ stages }, arm) => {
    const measured = stages.filter(({ validation }) => validation !== null);
    const first = measured[0]?.before;
    const points = [
      ...(first == null ? [] : [`${x(0)},${y(first)}`]),
      ...measured.map(({ stage, validation }) => `${x(stage).toFixed(1)},${y(validation!).toFixed(1)}`),
    ];
    return `<polyline style="stroke:${INKS[arm % INKS.length]}" points="${points.join(' ')}"/>`;
  });
  const keys = arms.map(
    ({ title }, arm) =>
      `<span class="key"><i style="background:${INKS[arm % INKS.length]}"></i>${escapeHtml(title)}</span>`,
  );
  return `<svg viewBox="0 0 700 210" role="img" aria-label="validation success by stage">${grid.join('')}${lines.join('')}</svg><div class="legend">${keys.join('')}</div>`;
}
