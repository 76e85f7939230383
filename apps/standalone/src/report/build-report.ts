/** Puts the report together from what the log shows and what was measured on held-out problems. Pure. */
import type { Ledger } from '@seamstream/read-models';
import type { ControlsStudy, EvaluationArm } from '@seamstream/rollout';
import { endedRuns, exploredOf, type LoopProgress, rate } from '../round-progress.js';
import type { Report } from './report.types.js';

export interface ShiftMeasurement {
  readonly problems: number;
  readonly beforeTraining: number;
  readonly final: number;
  readonly oldDomainsBefore: number;
  readonly oldDomainsFinal: number;
}

export interface ReportInput {
  readonly seed: number;
  readonly progress: LoopProgress;
  readonly ledger: Ledger;
  readonly heldOut: ControlsStudy;
  /** Held-out success by adapter digest, where it was measured. */
  readonly heldOutByAdapter: ReadonlyMap<string, number>;
  readonly shift: ShiftMeasurement | null;
  readonly entries: { readonly valid: number; readonly generated: number };
  readonly executor: Report['executor'];
  readonly ended: string;
  readonly converged: boolean;
}

export function buildReport(input: ReportInput): Report {
  const { progress, ledger, heldOut } = input;
  const rounds = [...progress.rounds.values()].sort((a, b) => a.round - b.round);
  const runs = endedRuns(progress);
  const startedAtMs = Math.min(...rounds.map((row) => row.firstPublishedAtMs));
  const endedAtMs = Math.max(startedAtMs, ...runs.map((run) => run.endedAtMs ?? 0));
  let rollouts = 0;
  const rows = rounds.map((row, index) => {
    const run = runs[index];
    rollouts += row.byAdapter.executed + row.byBase.executed;
    return {
      round: row.round,
      phase: row.phase,
      algorithm: run?.algorithm ?? '',
      explored: rate(exploredOf(row)) ?? 0,
      control: rate(row.control),
      validation: run?.validation ?? null,
      promoted: run?.status === 'promoted',
      deadGroups: run?.metrics.deadGroups ?? 0,
      liveGroups: run?.metrics.liveGroups ?? 0,
      rollouts,
      seconds: ((run?.endedAtMs ?? startedAtMs) - startedAtMs) / 1000,
    };
  });
  const success = (arm: EvaluationArm): number => heldOut.rows[arm]?.success ?? 0;
  const { trained } = heldOut.rows;
  return {
    loopSeconds: (endedAtMs - startedAtMs) / 1000,
    seed: input.seed,
    heldOut: {
      problems: heldOut.problems,
      noExperience: success('noExperience'),
      wrapperOnly: success('wrapperOnly'),
      fixedHint: success('fixedHint'),
      otherProblemsEntry: success('otherProblemsEntry'),
      untrained: success('untrained'),
      final: success('trained'),
      perDomain: Object.fromEntries(
        Object.entries(trained?.perDomain ?? {}).map(([domain, result]) => [domain, result.success]),
      ),
      interval95: trained?.interval95 ?? [0, 1],
    },
    rescued: (trained?.rescued ?? 0) / heldOut.problems,
    broken: (trained?.broken ?? 0) / heldOut.problems,
    liftInterval95: trained?.lift?.interval95 ?? [-1, 1],
    shift: input.shift,
    ledger: {
      published: ledger.published,
      solved: ledger.solved,
      failed: ledger.failed,
      deadLettered: ledger.deadLettered,
      expired: ledger.expired,
      inFlight: ledger.inFlight,
      balanced: ledger.balanced,
    },
    adapters: runs.flatMap((run, index) =>
      run.status === 'promoted' && run.adapterDigest !== null
        ? [
            {
              digest: run.adapterDigest,
              algorithm: run.algorithm,
              parent: run.parent,
              heldOut: input.heldOutByAdapter.get(run.adapterDigest) ?? null,
              validation: run.validation,
              round: index + 1,
            },
          ]
        : [],
    ),
    rounds: rows,
    deadGroups: rows.reduce((sum, row) => sum + row.deadGroups, 0),
    rollouts,
    entriesValid: input.entries.generated === 0 ? 1 : input.entries.valid / input.entries.generated,
    buffer: {
      digest: progress.buffer.digest,
      rows: progress.buffer.rows,
      strata: progress.buffer.rowsPerStratum,
      rejected: progress.rejections,
    },
    executor: input.executor,
    ended: input.ended,
    converged: input.converged,
  };
}
