/** Puts the report together from what the log shows and what was measured on held-out problems. Pure. */

import { type ArmResult, type ControlsStudy, type EvaluationArm } from '@seamstream/evaluation';
import type { Evaluation } from '@seamstream/events';
import type { Ledger } from '@seamstream/read-models';
import { comparisonOf } from '@seamstream/release';
import { wilsonInterval } from '@seamstream/statistics';
import { loopPhases } from '../loop-phases.js';
import { ratesAsParent } from '../rates-as-parent.js';
import type { LogAccount } from '../read-log.js';
import {
  endedRuns,
  exploredOf,
  type LoopProgress,
  ofServed,
  type RoundProgress,
  type RunProgress,
  rate,
  servedAt,
  servedRun,
} from '../round-progress.js';
import type { RunFile } from '../run-settings.js';
import { commandsOf } from './commands-of.js';
import { optimismOf } from './optimism.js';
import type { Example, Report } from './report.types.js';

export interface ShiftMeasurement {
  readonly problems: number;
  readonly beforeTraining: number;
  readonly final: number;
  readonly oldDomainsBefore: number;
  readonly oldDomainsFinal: number;
  /** The last adapter on the new problems. */
  readonly result: Pick<ArmResult, 'perDomain'>;
}

export interface ReportInput {
  readonly run: RunFile;
  readonly progress: LoopProgress;
  readonly ledger: Ledger;
  readonly measuredOn: Report['measuredOn'];
  readonly heldOut: ControlsStudy;
  /** Held-out success by adapter digest, where it was measured. */
  readonly heldOutByAdapter: ReadonlyMap<string, number>;
  readonly shift: ShiftMeasurement | null;
  readonly example: Example | null;
  readonly entries: LogAccount['entries'];
  readonly quoting: LogAccount['quoting'];
  readonly misquote: LogAccount['misquote'];
  readonly executor: Report['executor'];
  readonly ended: string;
  readonly converged: boolean;
  readonly target: number;
  /** Seconds of work from the first problem to then, in milliseconds since 1970. */
  readonly loopSecondsTo: (toMs: number) => number;
  readonly madeAt: string;
  readonly heldOutProblems: number;
  readonly testFile: string | null;
  readonly folderBytes: number;
  readonly peakMemoryBytes: number;
}

export function buildReport(input: ReportInput): Report {
  const { progress, ledger, heldOut, run: file } = input;
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const runs = endedRuns(progress);
  const startedAtMs = Math.min(...rounds.map((row) => row.firstPublishedAtMs));
  const endedAtMs = Math.max(startedAtMs, ...runs.map((run) => run.endedAtMs ?? 0));
  const { trained } = heldOut.rows;
  const ratesPerDomain = Object.fromEntries(
    Object.entries(trained?.perDomain ?? {}).map(([domain, result]) => [domain, result.success]),
  );
  const rows = roundRows(rounds, runs, input, startedAtMs);
  return {
    loopSeconds: input.loopSecondsTo(endedAtMs),
    phases: loopPhases(progress, input.loopSecondsTo),
    seed: file.settings.seed,
    version: file.version,
    madeAt: input.madeAt,
    settings: file.settings,
    limits: file.limits,
    commands: commandsOf(input),
    verdict: verdictOf(progress, input.target),
    measuredOn: input.measuredOn,
    heldOut: { ...heldOutOf(heldOut), perDomain: ratesPerDomain },
    optimism: input.measuredOn.isHeldOut
      ? optimismOf({
          atPromotion: servedRun(progress)?.validationPerDomain ?? {},
          since: ratesSinceServed(progress),
          heldOut: ratesPerDomain,
        })
      : null,
    domains: [...domainRows(trained, false), ...domainRows(input.shift?.result, true)],
    example: input.example,
    rescued: (trained?.rescued ?? 0) / heldOut.problems,
    broken: (trained?.broken ?? 0) / heldOut.problems,
    liftInterval95: trained?.lift?.interval95 ?? [-1, 1],
    shift: shiftOf(input.shift),
    ledger: ledgerOf(ledger),
    adapters: promotedOf(runs, input.heldOutByAdapter),
    runs: runs.map((run, index) => runRow(run, index + 1, input.heldOutByAdapter)),
    rounds: rows,
    deadGroups: rows.reduce((sum, row) => sum + row.deadGroups, 0),
    liveGroups: rows.reduce((sum, row) => sum + row.liveGroups, 0),
    rollouts: rows.at(-1)?.rollouts ?? 0,
    entriesFaithful: faithfulOf([...input.quoting.values()]),
    misquote: input.misquote,
    entriesValid: input.entries.generated === 0 ? 1 : input.entries.valid / input.entries.generated,
    buffer: {
      digest: progress.buffer.digest,
      rows: progress.buffer.rows,
      strata: progress.buffer.rowsPerStratum,
      rejected: progress.rejections,
    },
    executor: input.executor,
    folderBytes: input.folderBytes,
    peakMemoryBytes: input.peakMemoryBytes,
    ended: input.ended,
    converged: input.converged,
  };
}

function heldOutOf({ problems, rows, faithful }: ControlsStudy): Omit<Report['heldOut'], 'perDomain'> {
  const success = (arm: EvaluationArm): number => rows[arm]?.success ?? 0;
  const interval = (arm: EvaluationArm) => rows[arm]?.interval95 ?? ([0, 1] as const);
  return {
    problems,
    noExperience: success('noExperience'),
    wrapperOnly: success('wrapperOnly'),
    fixedHint: success('fixedHint'),
    otherProblemsEntry: success('otherProblemsEntry'),
    untrained: success('untrained'),
    final: success('trained'),
    faithful: faithful === null ? null : faithful.faithful / faithful.quoting,
    interval95: interval('trained'),
    intervals95: {
      noExperience: interval('noExperience'),
      wrapperOnly: interval('wrapperOnly'),
      fixedHint: interval('fixedHint'),
      otherProblemsEntry: interval('otherProblemsEntry'),
      untrained: interval('untrained'),
      final: interval('trained'),
    },
  };
}

function promotedOf(runs: readonly RunProgress[], heldOutByAdapter: ReadonlyMap<string, number>): Report['adapters'] {
  return runs.flatMap(({ status, adapterDigest: digest, algorithm, parent, validation }, index) =>
    status === 'promoted' && digest !== null
      ? [{ digest, algorithm, parent, heldOut: heldOutByAdapter.get(digest) ?? null, validation, round: index + 1 }]
      : [],
  );
}

export function ledgerOf(ledger: Ledger): Report['ledger'] {
  const { published, solved, failed, deadLettered, expired, inFlight, balanced } = ledger;
  return { published, solved, failed, deadLettered, expired, inFlight, balanced };
}

function roundRows(
  rounds: readonly RoundProgress[],
  runs: readonly RunProgress[],
  { progress, loopSecondsTo, quoting }: Pick<ReportInput, 'progress' | 'loopSecondsTo' | 'quoting'>,
  startedAtMs: number,
): Report['rounds'] {
  let rollouts = 0;
  return rounds.map((row, index) => {
    const run = runs[index];
    rollouts += row.byAdapter.executed + row.byBase.executed;
    return {
      round: row.round,
      phase: row.phase,
      algorithm: run?.algorithm ?? '',
      explored: rate(exploredOf(row)) ?? 0,
      control: rate(row.control),
      faithful: faithfulOf([quoting.get(row.round)]),
      controls: row.control.executed,
      validation: run?.validation ?? null,
      promoted: run?.status === 'promoted',
      servedValidation: validationServedAt(progress, run?.endedAtMs ?? startedAtMs),
      deadGroups: run?.metrics.deadGroups ?? 0,
      liveGroups: run?.metrics.liveGroups ?? 0,
      rollouts,
      seconds: loopSecondsTo(run?.endedAtMs ?? startedAtMs),
    };
  });
}

/** Null where nothing was to be quoted. */
function faithfulOf(
  rows: readonly ({ readonly entries: number; readonly faithful: number } | undefined)[],
): number | null {
  const entries = rows.reduce((sum, row) => sum + (row?.entries ?? 0), 0);
  return entries === 0 ? null : rows.reduce((sum, row) => sum + (row?.faithful ?? 0), 0) / entries;
}

/** What the adapter served then had reached on the validation problems; null for the base model, and for an adapter without a comparison. */
export function validationServedAt(progress: LoopProgress, atMs: number): number | null {
  const served = servedAt(progress, atMs);
  return served === null ? null : (newestEvaluation(progress, served.adapterDigest, atMs)?.success ?? null);
}

/** What the promotion says that it was served by. */
function newestEvaluation({ adapters }: LoopProgress, adapterDigest: string, atMs: number): Evaluation | null {
  const promotion = adapters.decisions.findLast(
    ({ event, status }) =>
      status === 'counted' &&
      event.type === 'AdapterPromoted' &&
      event.adapterDigest === adapterDigest &&
      event.meta.occurredAt <= atMs,
  );
  return promotion?.event.type === 'AdapterPromoted' ? promotion.event.evaluation : null;
}

function runRow(
  run: RunProgress,
  round: number,
  heldOutByAdapter: ReadonlyMap<string, number>,
): Report['runs'][number] {
  const { validation, validationProblems, comparedAttempts } = run;
  return {
    round,
    algorithm: run.algorithm,
    status: run.status === 'running' ? 'failed' : run.status,
    digest: run.adapterDigest,
    parent: run.parent,
    validation,
    validationProblems,
    comparedAttempts,
    validationInterval95:
      validation === null || validationProblems === null
        ? null
        : wilsonInterval(Math.round(validation * validationProblems), validationProblems),
    parentValidation: run.parentValidation,
    comparison: comparisonOf(run, run.level),
    heldOut: run.adapterDigest === null ? null : (heldOutByAdapter.get(run.adapterDigest) ?? null),
    reason: run.reason,
  };
}

function verdictOf(progress: LoopProgress, target: number): Report['verdict'] {
  const served = progress.adapters.served?.adapterDigest ?? null;
  const evaluation = served === null ? null : newestEvaluation(progress, served, Number.POSITIVE_INFINITY);
  const rates = { ...evaluation?.perDomain, ...ratesSinceServed(progress) };
  return {
    target,
    served,
    short: Object.entries(rates)
      .filter(([, validation]) => validation < target)
      .map(([domain, validation]) => ({ domain, validation })),
  };
}

/** Of the served adapter on fresh problems; empty until a later run was compared with it. */
function ratesSinceServed(progress: LoopProgress): Readonly<Record<string, number>> {
  const runs = ofServed(endedRuns(progress), progress.adapters.served?.adapterDigest ?? null);
  return runs.at(-1)?.status === 'promoted' ? {} : ratesAsParent(runs);
}

function domainRows(result: Pick<ArmResult, 'perDomain'> | undefined, isNew: boolean): Report['domains'] {
  return Object.entries(result?.perDomain ?? {}).map(([domain, { problems, successes, success }]) => ({
    domain,
    isNew,
    problems,
    success,
    interval95: wilsonInterval(successes, problems),
  }));
}

function shiftOf(shift: ShiftMeasurement | null): Report['shift'] {
  if (shift === null) return null;
  const { problems, beforeTraining, final, oldDomainsBefore, oldDomainsFinal } = shift;
  return { problems, beforeTraining, final, oldDomainsBefore, oldDomainsFinal };
}
