/** Self-trainings as tables: one line an iteration. Pure. */
import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import {
  dynamicsOf,
  type IterationFigures,
  type NextStep,
  type SelfTrainingReport,
} from '@seamstream/operations/restem';
import type { Style } from '../terminal/style.js';
import { type Column, renderTable } from '../terminal/table.js';
import { minuteOf, percent } from '../terminal/text.js';

const BARS = ['·', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

const COLUMNS: readonly Column[] = [
  { title: 'ITERATION', align: 'right' },
  { title: 'WRITER' },
  ...['SETTLED', 'ATTEMPTS', 'REWARD', 'STD', 'CONTROL', 'GAINING'].map((title): Column => ({ title, align: 'right' })),
  { title: 'REWARDS 0…1' },
  { title: 'BEFORE', align: 'right' },
  { title: 'AFTER', align: 'right' },
  { title: 'RUN' },
  { title: 'MADE' },
];

export function renderSelfTrainings(reports: readonly SelfTrainingReport[], style: Style): string {
  if (reports.length === 0)
    return 'No self-training in this log. Start one: seam restem start passages.jsonl (generator and executor run meanwhile).\n';
  return reports.map((report) => renderSelfTraining(report, style)).join('\n');
}

export function renderSelfTraining(report: SelfTrainingReport, style: Style): string {
  const { selfTrainingId, standing, stopped, config, idle, iterations } = report;
  const by = stopped === null ? '' : ` by ${onOneLine(stopped.by)}: ${onOneLine(stopped.reason)}`;
  const head = `${style.bold(shortId(selfTrainingId))} ${standing}${by}; ${plural(config.iterations, 'iteration')} of ${plural(config.passages, 'passage')}\n`;
  const reasons = iterations.flatMap(({ index, run }) =>
    run?.reason == null || run.status === 'promoted' ? [] : [`${index}: ${onOneLine(run.reason)}\n`],
  );
  const table = iterations.length === 0 ? '' : renderTable(COLUMNS, iterations.map(rowOf), style);
  return `${head}${idle === null ? '' : renderIdle(idle, config.idle!)}${table}${renderDynamics(iterations)}${reasons.join('')}`;
}

/** What idle time was spent, and why it does not work now. */
function renderIdle(
  { spent, pause }: NonNullable<SelfTrainingReport['idle']>,
  { maxAttempts, maxSeconds, maxTokens }: NonNullable<SelfTrainingReport['config']['idle']>,
): string {
  const tokens =
    maxTokens === null ? plural(spent.tokens, 'token') : `${count(spent.tokens)} of ${plural(maxTokens, 'token')}`;
  const why =
    pause === null
      ? ''
      : `; ${PAUSES[pause.reason] ?? onOneLine(pause.reason)}${pause.waiting === 0 ? '' : ` (${pause.waiting} waited)`} since ${new Date(pause.since).toISOString()}`;
  return `in idle time: spent ${count(spent.attempts)} of ${plural(maxAttempts, 'attempt')}, ${spent.seconds.toFixed(0)} of ${maxSeconds} s, ${tokens}${why}\n`;
}

const PAUSES: Readonly<Record<string, string>> = {
  work: 'rests, for other problems wait',
  feedback: 'rests, for people can judge answers',
  budget: 'its budget is spent',
  end: 'it has ended',
  stop: 'its process was stopped',
};

/** What the table's rows come to together; empty where that is nothing. */
function renderDynamics(iterations: readonly IterationFigures[]): string {
  const dynamics = dynamicsOf(iterations.flatMap(({ reward }) => (reward === null ? [] : [reward.mean])));
  const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;
  const measured = iterations.flatMap(({ measured: each, index }) =>
    each?.after == null ? [] : [`${index}: ${percent(each.before ?? undefined)} to ${percent(each.after)}`],
  );
  const lines = [
    ...(dynamics === null
      ? []
      : [`reward by iteration: trend ${signed(dynamics.trend)}, unsteadiness ${dynamics.unsteadiness.toFixed(3)}\n`]),
    ...iterations.flatMap(sayRefused),
    ...iterations.flatMap(sayFeedback),
    ...(measured.length === 0 ? [] : [`right before and after an update, by iteration: ${measured.join('; ')}\n`]),
  ];
  return lines.join('');
}

/** Edits that could not act, by reason. */
function sayRefused({ index, refused, attempts }: IterationFigures): readonly string[] {
  const total = refused.reduce((sum, each) => sum + each.count, 0);
  if (total === 0) return [];
  const reasons = refused.map(({ reason, count: times }) => `${onOneLine(reason)} ${count(times)}`).join(', ');
  return [`edits refused in iteration ${index}: ${count(total)} of ${count(attempts)} (${reasons})\n`];
}

function sayFeedback({ index, feedback, reward }: IterationFigures): readonly string[] {
  if (feedback === null) return [];
  const { attempts, people, reward: heard, decided } = feedback;
  const rewards =
    heard === null || reward === null
      ? ''
      : `, mean reward ${heard.toFixed(3)} with it, ${reward.mean.toFixed(3)} without`;
  return [
    `feedback in iteration ${index}: on ${plural(attempts, 'attempt')} by ${plural(people, 'person', 'people')}${rewards}; it decided ${plural(decided, 'group')}\n`,
  ];
}

function rowOf(figures: IterationFigures): readonly string[] {
  const { index, writer, problems, settled, attempts, byOthers, reward, control, gaining, before, after, run } =
    figures;
  const figure = (value: number | undefined | null): string => (value == null ? '–' : value.toFixed(3));
  return [
    String(index),
    attempts === 0 ? '–' : writer === null ? 'base' : shortId(writer),
    `${count(settled)}/${count(problems)}`,
    `${count(attempts)}${byOthers === 0 ? '' : ` (+${count(byOthers)})`}`,
    ...[reward?.mean, reward?.std, control].map(figure),
    percent(gaining ?? undefined),
    reward === null ? '' : histogram(reward.histogram),
    percent(before ?? undefined),
    percent(after ?? undefined),
    run === null ? '–' : run.status,
    run?.adapter == null ? '–' : shortId(run.adapter),
  ];
}

function histogram(bins: readonly number[]): string {
  const most = Math.max(1, ...bins);
  return bins.map((each) => BARS[Math.ceil((each * (BARS.length - 1)) / most)]!).join('');
}

/** What is done next, in words. */
export function sayStep(step: NextStep): string {
  switch (step.kind) {
    case 'explore':
      return `iteration ${step.index}: publishing ${plural(step.rows.length, 'problem')}`;
    case 'wait':
      return `iteration ${step.index}: waiting for the services, ${step.settled} of ${plural(step.problems, 'problem')} settled`;
    case 'listen':
      return `iteration ${step.index}: people can judge its answers until ${minuteOf(step.until)}`;
    case 'train':
      return `iteration ${step.index}: training`;
    case 'rest':
      return `iteration ${step.index}: resting, for ${plural(step.waiting, 'other problem')} ${step.waiting === 1 ? 'waits' : 'wait'}`;
    case 'none':
      return ENDINGS[step.reason];
  }
}

const ENDINGS: Readonly<Record<Extract<NextStep, { kind: 'none' }>['reason'], string>> = {
  done: 'all iterations are done',
  'no gain': 'ended: as many iterations in a row as patience allows made no better writer',
  stopped: 'stopped: the same command resumes',
  budget: 'ended: its budget for idle time is spent; a greater one continues it',
  failed: 'a training run failed: look at it (seam runs show last); other settings begin another self-training',
};
