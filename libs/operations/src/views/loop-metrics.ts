/**
 * What alerts and boards read of the loop: lift, ledger, learning, adapters and releases, from the answers that pages and commands show. No label
 * names a problem, a key or a user. Domains and slots, which people name, are cut to a number that does not grow.
 */
import { parsePartitionName } from '@seamstream/event-log';
import { compareText, onOneLine, sha256 } from '@seamstream/kernel';
import type { AdapterLineage } from '@seamstream/read-models';
import { evidenceNeeded, type Release, STAGE_ENDS } from '@seamstream/release';
import type { Estimate } from '@seamstream/statistics';
import type { LiftAnswer } from '../read-models/lift-estimate.js';
import type { RecordedRun } from '../read-models/recorded-runs.js';
import type { ReleaseStatus } from '../release/release-status.js';
import type { Overview } from './overview.js';

/** The loop as it is in the log up to a place. */
export interface LoopFacts {
  readonly overview: Overview;
  readonly lineage: AdapterLineage;
  readonly runs: readonly RecordedRun[];
  readonly releases: readonly Release[];
  /** Of these, those that run, with what their counts say now. */
  readonly running: readonly ReleaseStatus[];
  /** The next offset of each partition, by its name. */
  readonly position: Readonly<Record<string, number>>;
}

type Labels = Readonly<Record<string, string>>;

export interface LoopMetric {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  readonly samples: (facts: LoopFacts) => readonly { readonly labels: Labels; readonly value: number }[];
}

/** Domains that have separate series: those with the oldest problems, so that a new one does not take another's place. */
export const MOST_DOMAINS = 50;
const MOST_SLOTS = 16;
const LONGEST_LABEL = 64;

/** Figures of a run that have a series where it records them. Algorithms may record any others. */
const FIGURES = ['loss', 'klNats', 'entropyNats', 'meanReward', 'gradientNorm', 'learningRate', 'groups', 'liveGroups'];

export const LOOP_METRICS: readonly LoopMetric[] = [
  ...liftMetrics(),
  ...ledgerMetrics(),
  ...learningMetrics(),
  ...releaseMetrics(),
];

function liftMetrics(): readonly LoopMetric[] {
  const modes = ({ overview }: LoopFacts): readonly LiftAnswer[] => overview.lift.modes;
  const ends = [
    ['estimate', 'The estimate', ({ value }: Estimate) => value],
    ['lower', 'The lower end of its 95 % interval', ({ interval95: [low] }: Estimate) => low],
    ['upper', 'The upper end of its 95 % interval', ({ interval95: [, high] }: Estimate) => high],
  ] as const;
  const what = 'the success of treated problems less that of controls, from -1 to 1';
  return [
    ...ends.map(([end, words, of]) =>
      metric(`seam_lift_${end}`, `${words} of what experiences add: ${what}.`, ['mode'], (facts) =>
        modes(facts).flatMap(({ mode, lift }) => (lift === null ? [] : [[of(lift), mode]])),
      ),
    ),
    ...ends.map(([end, words, of]) =>
      metric(`seam_domain_lift_${end}`, `${words} in one domain: ${what}.`, ['mode', 'domain'], (facts) =>
        modes(facts).flatMap(({ mode, domains }) =>
          oldest(domains).flatMap(({ domain, lift }): Row[] => (lift === null ? [] : [[of(lift), mode, domain]])),
        ),
      ),
    ),
    metric('seam_harmed_domains', 'Domains in which experiences do harm beyond chance.', ['mode'], (facts) =>
      modes(facts).map(({ mode, harmed }) => [harmed.length, mode]),
    ),
    metric('seam_judged_problems', 'Settled problems with a verdict, by arm.', ['mode', 'arm'], (facts) =>
      modes(facts).flatMap(({ mode, treated, control }): Row[] => [
        [treated.problems, mode, 'treated'],
        [control.problems, mode, 'control'],
      ]),
    ),
    metric('seam_missing_verdicts', 'Settled problems without a verdict, by arm.', ['mode', 'arm'], (facts) =>
      modes(facts).flatMap(({ mode, missing }) =>
        Object.entries(missing).map(([arm, problems]): Row => [problems, mode, arm]),
      ),
    ),
    metric(
      'seam_experiment_doubt_ratio',
      'Evidence that an experiment did not go as it was drawn (ln), as a fraction of what is needed; the largest of all experiments. From 1 on its lift may come from that.',
      ['mode', 'check'],
      (facts) =>
        modes(facts).flatMap(({ mode, experiments }): Row[] => [
          [largest(experiments.map(({ unevenDoubt }) => unevenDoubt)), mode, 'shares'],
          [largest(experiments.map(({ missingDoubt }) => missingDoubt)), mode, 'verdicts'],
        ]),
    ),
    metric('seam_uncounted_problems', 'Published problems that do not count in the lift yet.', [], (facts) => [
      [facts.overview.lift.unsettled],
    ]),
  ];
}

function ledgerMetrics(): readonly LoopMetric[] {
  const ledger = ({ overview }: LoopFacts) => overview.status.ledger;
  return [
    metric('seam_ledger_balanced', 'Whether the ledger balances: 1, or 0.', [], (facts) => [
      [Number(ledger(facts).balanced)],
    ]),
    metric('seam_problems', 'Published problems by what became of them.', ['standing'], (facts) => {
      const { solved, failed, ungraded, expired, deadLettered, inFlight } = ledger(facts);
      const rows = { solved, failed, ungraded, expired, dead_lettered: deadLettered, in_flight: inFlight };
      return Object.entries(rows).map(([standing, problems]): Row => [problems, standing]);
    }),
    metric('seam_orphaned_problems', 'Problems with results or an expiry that were never published.', [], (facts) => [
      [ledger(facts).orphaned],
    ]),
    metric('seam_waiting_answers', 'Answers that only feedback judges, and that are not settled.', [], (facts) => [
      [facts.overview.status.waiting.answers],
    ]),
    metric('seam_dead_letter_records', 'Records in the dead letters, once for each group.', [], (facts) => [
      [ledger(facts).deadLetterRecords],
    ]),
    metric('seam_topic_offset', 'Next offsets of a topic, the sum of its partitions.', ['topic'], ({ position }) => {
      const offsets = new Map<string, number>();
      for (const [name, next] of Object.entries(position)) {
        const { topic } = parsePartitionName(name);
        offsets.set(topic, (offsets.get(topic) ?? 0) + next);
      }
      return [...offsets].map(([topic, next]): Row => [next, topic]);
    }),
  ];
}

function learningMetrics(): readonly LoopMetric[] {
  const statuses = ['running', 'completed', 'failed', 'rejected', 'cancelled'];
  const adapterStatuses = ['published', 'served', 'promoted', 'rolledBack', 'rejected'];
  const figures = ({ runs }: LoopFacts): RecordedRun['metrics'] =>
    runs.findLast(({ metrics }) => Object.keys(metrics).length > 0)?.metrics ?? {};
  return [
    metric('seam_training_runs', 'Training runs by status.', ['status'], ({ runs }) =>
      counted(
        statuses,
        runs.map(({ status }) => status),
      ),
    ),
    metric('seam_training_figure', 'Figures of the newest run that has recorded any.', ['figure'], (facts) =>
      FIGURES.flatMap((name): Row[] => (figures(facts)[name] === undefined ? [] : [[figures(facts)[name]!, name]])),
    ),
    metric(
      'seam_training_live_groups_ratio',
      'Of the groups with verdicts of the newest run, those whose verdicts differ, from 0 to 1: nothing is learned from the others.',
      [],
      (facts) => {
        const { liveGroups, scoredGroups = 0 } = figures(facts);
        return liveGroups === undefined || scoredGroups === 0 ? [] : [[liveGroups / scoredGroups]];
      },
    ),
    metric('seam_training_findings', 'What the newest ended run found wrong: 1 each.', ['code'], ({ overview }) =>
      overview.status.findings.map((code): Row => [1, code]),
    ),
    metric('seam_buffer_rows', 'Rows of the newest version of the buffer.', [], ({ overview: { status } }) =>
      status.buffer === null ? [] : [[status.buffer.rows]],
    ),
    metric('seam_adapters', 'Adapters by what was decided on them.', ['status'], ({ lineage }) =>
      counted(
        adapterStatuses,
        lineage.versions.map(({ status }) => status),
      ),
    ),
    metric('seam_served_adapter_version', 'Version of the served adapter; 0 is the base model.', [], (facts) => [
      [facts.overview.served?.version ?? 0],
    ]),
    metric(
      'seam_refused_decisions',
      'Decisions on adapters and evaluations that the log does not bear out, the newest.',
      [],
      ({ lineage }) => [[lineage.refused.length]],
    ),
  ];
}

function releaseMetrics(): readonly LoopMetric[] {
  const perSlot = (rows: (status: ReleaseStatus, slot: string) => readonly Row[]) => (facts: LoopFacts) =>
    [...facts.running]
      .sort((a, b) => compareText(a.release.event.slot, b.release.event.slot))
      .slice(0, MOST_SLOTS)
      .flatMap((status) => rows(status, named(status.release.event.slot)));
  return [
    metric('seam_releases', 'Releases by how they stand.', ['status'], ({ releases }) =>
      counted(
        ['running', 'overtaken', ...STAGE_ENDS.filter((end) => end !== 'advanced')],
        releases.map(({ status }) => status),
      ),
    ),
    metric(
      'seam_release_evidence_ratio',
      'Evidence of the running stage (ln) as a fraction of what is needed: from 1 on it decides.',
      ['slot', 'claim'],
      perSlot(({ release: { plan, stage }, now }, slot) => {
        const needed = evidenceNeeded(plan, plan.stages[stage]!);
        return (['harm', 'success', 'sampleRatio', 'missing'] as const).flatMap((claim): Row[] => {
          const evidence = now?.figures[claim] ?? null;
          return evidence === null ? [] : [[evidence / needed[claim], slot, CLAIMS[claim]]];
        });
      }),
    ),
    metric(
      'seam_release_interval_width',
      'Width of the interval of the running stage: upper less lower end.',
      ['slot'],
      perSlot(({ release: { stage }, stages }, slot) => {
        const interval = stages[stage]?.estimate?.interval;
        return interval === undefined ? [] : [[interval[1] - interval[0], slot]];
      }),
    ),
    metric(
      'seam_release_planned_width',
      'Twice the margin of the running stage: a wider interval around no difference does not pass it.',
      ['slot'],
      perSlot(({ release: { stage }, stages }, slot) => {
        const margin = stages[stage]?.margin ?? null;
        return margin === null ? [] : [[2 * margin, slot]];
      }),
    ),
    metric(
      'seam_release_horizon_used_ratio',
      'Problems of the stages on the stream as a fraction of the most that the plan allows.',
      ['slot'],
      perSlot(({ release: { plan }, stages }, slot) => {
        const onStream = stages.filter(({ kind }) => kind !== 'validation').map(({ problems }) => problems ?? 0);
        return [[onStream.reduce((sum, problems) => sum + problems, 0) / plan.horizon, slot]];
      }),
    ),
  ];
}

/** As the checks of experiments are called. */
const CLAIMS = { harm: 'harm', success: 'success', sampleRatio: 'shares', missing: 'verdicts' } as const;

/** A value, and its labels in their order. */
type Row = readonly [number, ...string[]];

function metric(
  name: string,
  help: string,
  labels: readonly string[],
  rows: (facts: LoopFacts) => readonly Row[],
): LoopMetric {
  return {
    ...{ name, help, labels },
    samples: (facts) =>
      rows(facts).map(([value, ...values]) => ({
        labels: Object.fromEntries(labels.map((label, at) => [label, values[at]!])),
        value,
      })),
  };
}

/** Each of the words with how often it was met. */
function counted(words: readonly string[], met: readonly string[]): readonly Row[] {
  return words.map((word): Row => [met.filter((each) => each === word).length, word]);
}

function oldest(domains: LiftAnswer['domains']): readonly LiftAnswer['domains'][number][] {
  return [...domains]
    .sort((a, b) => a.firstAt - b.firstAt || compareText(a.domain, b.domain))
    .slice(0, MOST_DOMAINS)
    .map((each) => ({ ...each, domain: named(each.domain) }));
}

/** A name that people gave, on one line and not longer than a label may be. */
function named(name: string): string {
  const line = onOneLine(name);
  return line.length <= LONGEST_LABEL ? line : `${line.slice(0, LONGEST_LABEL - 9)}~${sha256(name).slice(0, 8)}`;
}

const largest = (values: readonly number[]): number => values.reduce((most, value) => Math.max(most, value), 0);
