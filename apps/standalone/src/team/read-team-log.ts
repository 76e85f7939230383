/** What the log says of each way of tuning: its stages, its rollouts, and what the gate did. */
import type { EventLog } from '@seamstream/event-log';
import { type SeamEvent, TOPIC } from '@seamstream/events';
import { readTopics } from '@seamstream/log-reader';
import { evolveServedSlots, initialServedSlots, type ServedAdapter, servedIn } from '@seamstream/release';
import { runConfigurationOf } from '@seamstream/training-runs';
import type { ArmFigures, StageRow } from '../report/team-report.js';

export interface ArmAccount {
  readonly figures: ArmFigures;
  readonly served: ServedAdapter | null;
  /** Distance and rollouts of each agent's update in the last stage. */
  readonly lastUpdates: readonly { readonly distance: number; readonly rollouts: number }[];
  /** Digests of what answered. */
  readonly executors: ReadonlySet<string>;
  /** Of the stages so far, as their runs record them. */
  readonly settings: readonly unknown[];
  /** From the start of the first stage to the end of the last one. */
  readonly seconds: number;
}

type Facts = { -readonly [K in keyof StageRow]: StageRow[K] };

interface Run {
  readonly slot: string;
  readonly row: Facts;
  readonly settings: unknown;
  updates: { distance: number; batch: number }[];
  batches: Map<number, number>;
  turns: number;
  judged: number;
  beganAtMs: number;
}

/** @param slots of the ways of tuning */
export async function readTeamAccounts(
  log: EventLog,
  slots: readonly string[],
): Promise<ReadonlyMap<string, ArmAccount>> {
  const runs = new Map<string, Run>();
  const executors = new Map<string, Set<string>>(slots.map((slot) => [slot, new Set<string>()]));
  const times = new Map<string, { from: number; to: number }>();
  let served = initialServedSlots();
  /** A stage that was killed records again what it had recorded. */
  const told = new Set<string>();
  const topics = [TOPIC.training, TOPIC.adapters, TOPIC.teams];
  for await (const { events } of readTopics(log, topics, { undecodable: 'skip' }))
    for (const { event } of events) {
      served = evolveServedSlots(served, event);
      if (told.has(event.meta.messageId)) continue;
      told.add(event.meta.messageId);
      note(event, runs, executors);
      const run = runOf(event, runs);
      if (run === undefined) continue;
      const at = event.meta.occurredAt;
      const span = times.get(run.slot) ?? { from: at, to: at };
      times.set(run.slot, { from: Math.min(span.from, at), to: Math.max(span.to, at) });
      run.row.seconds = Math.max(run.row.seconds, (at - run.beganAtMs) / 1000);
    }
  return new Map(
    slots.map((slot) => {
      const own = [...runs.values()].filter((run) => run.slot === slot).sort((a, b) => a.row.stage - b.row.stage);
      const sum = (of: (run: Run) => number): number => own.reduce((total, run) => total + of(run), 0);
      const last = own.at(-1);
      const span = times.get(slot) ?? { from: 0, to: 0 };
      return [
        slot,
        {
          figures: {
            stages: own.map(({ row }) => row),
            rollouts: sum(({ row }) => row.rollouts),
            turns: sum(({ turns }) => turns),
            judged: sum(({ judged }) => judged),
            accepted: sum(({ row }) => row.accepted),
            takenBack: sum(({ row }) => row.takenBack),
            givenUp: sum(({ row }) => row.givenUp),
          },
          served: servedIn(served, slot).served,
          lastUpdates: (last?.updates ?? []).map(({ distance, batch }) => ({
            distance,
            rollouts: last!.batches.get(batch) ?? 1,
          })),
          executors: executors.get(slot)!,
          settings: own.map(({ settings }) => settings),
          seconds: (span.to - span.from) / 1000,
        },
      ];
    }),
  );
}

function runOf(event: SeamEvent, runs: ReadonlyMap<string, Run>): Run | undefined {
  return 'runId' in event && event.runId !== null ? runs.get(event.runId) : undefined;
}

function note(event: SeamEvent, runs: Map<string, Run>, executors: ReadonlyMap<string, Set<string>>): void {
  if (event.type === 'TrainingRunStarted') {
    const { iteration, algorithm: settings } = runConfigurationOf(event);
    const stage = iteration?.index ?? 0;
    const row: Facts = {
      ...{ stage, rollouts: 0, successes: 0, validation: null, before: null, accepted: 0, takenBack: 0, givenUp: 0 },
      ...{ status: 'unfinished', reason: '', seconds: 0 },
    };
    const beganAtMs = event.meta.occurredAt;
    const run = { slot: event.slot, row, settings, updates: [], batches: new Map(), turns: 0, judged: 0, beganAtMs };
    if (!runs.has(event.runId)) runs.set(event.runId, run);
    return;
  }
  const run = runOf(event, runs);
  if (run === undefined) return;
  const { row } = run;
  switch (event.type) {
    case 'TeamTurnTaken':
      run.turns++;
      break;
    case 'TeamRolloutJudged':
      run.judged++;
      executors.get(run.slot)?.add(event.executor.revision);
      break;
    case 'TeamBatchSampled':
      run.batches.set(event.batch, event.rollouts);
      row.rollouts += event.rollouts;
      row.successes += event.successes;
      break;
    case 'AgentUpdateTried':
      if (event.decision === 'accepted') row.accepted++;
      else if (event.decision === 'taken back') row.takenBack++;
      else row.givenUp++;
      break;
    case 'AgentUpdated':
      run.updates.push({ distance: event.distance, batch: event.batch });
      break;
    case 'AdapterPromoted':
    case 'TrainingRunRejected':
      row.validation = event.evaluation?.success ?? null;
      row.before = event.evaluation?.parentSuccess ?? null;
      row.status = event.type === 'AdapterPromoted' ? 'promoted' : 'rejected';
      row.reason = event.type === 'AdapterPromoted' ? event.rule : event.reason;
      break;
    case 'TrainingRunFailed':
      row.status = 'failed';
      row.reason = event.reason;
      break;
    default:
  }
}
