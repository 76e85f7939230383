/** A run's batches of rollouts as events, and back: what the log has, no model is asked again. */
import { type EventLog, partitionForKey } from '@seamstream/event-log';
import { type EventOf, type ExecutorIdentity, type Problem, type SeamEvent, TOPIC } from '@seamstream/events';
import { canonicalJson, derivedId, sha256 } from '@seamstream/kernel';
import type { SamplingSettings } from '@seamstream/language-model';
import { readEvents } from '@seamstream/log-reader';
import { tallyJudges } from '@seamstream/rollout';
import { runMeta } from '@seamstream/training-runs';
import type { Team } from './team.js';
import { type TeamRollout, type Turn, turnSeed } from './team-rollout.js';

export interface BatchFacts {
  readonly runId: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  readonly agents: readonly string[];
  readonly isResampled: boolean;
}

interface RecordingFacts extends BatchFacts {
  readonly team: Team;
  readonly groupSize: number;
  readonly sampling: SamplingSettings;
  readonly executor: ExecutorIdentity;
  /** By agent. */
  readonly baseModelDigests: ReadonlyMap<string, string>;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Digest of a batch: equal rollouts, equal digest. One that no model judged is digested as in versions that did not name the judge. */
function batchDigest(rollouts: readonly TeamRollout[]): string {
  return sha256(
    ...rollouts.map(({ rolloutId, turns, outcome, reward, judgedBy: judge = null }) => {
      const digested = { rolloutId, turns, outcome, reward, ...(judge === null ? {} : { judge }) };
      return `${canonicalJson(digested)}\n`;
    }),
  );
}

/** Turns, verdicts, and last the record that says that they are all there. Their ids follow from the run: a repeated record is recognised. */
export function batchEvents(rollouts: readonly TeamRollout[], facts: RecordingFacts): readonly SeamEvent[] {
  const { runId, batch, team, groupSize, sampling, executor, agents, isResampled, baseModelDigests, at } = facts;
  const slots = new Map(team.agents.map(({ name, slot }) => [name, slot]));
  const events = rollouts.flatMap((rollout): SeamEvent[] => {
    const {
      rolloutId,
      problem,
      candidate,
      turns,
      outcome,
      response,
      success,
      reward,
      judgedBy: judge = null,
    } = rollout;
    const about = { runId, batch, rolloutId, problemId: problem.problemId, candidate };
    return [
      ...turns.map(
        (turn, index): EventOf<'TeamTurnTaken'> => ({
          type: 'TeamTurnTaken',
          meta: runMeta(runId, `turn/${rolloutId}/${index}`, at),
          ...about,
          ...{ turn: index, agent: turn.agent, slot: slots.get(turn.agent)!, text: turn.text },
          ...{ promptTokenIds: turn.promptTokenIds, tokenIds: turn.tokenIds },
          ...{ logProbs: turn.logProbs, forced: turn.forced },
          sampling: { ...sampling, seed: turnSeed(rolloutId, turn.agent) },
          baseModelDigest: baseModelDigests.get(turn.agent)!,
          adapterDigest: turn.adapterDigest,
        }),
      ),
      {
        type: 'TeamRolloutJudged',
        meta: runMeta(runId, `judged/${rolloutId}`, at),
        ...about,
        ...{ domain: problem.domain, groupSize, outcome, response, success, reward, executor, judge },
      },
    ];
  });
  const sampled: EventOf<'TeamBatchSampled'> = {
    type: 'TeamBatchSampled',
    meta: runMeta(runId, `batch/${batch}`, at),
    ...{ runId, batch, agents, isResampled, rollouts: rollouts.length },
    successes: rollouts.filter(({ success }) => success).length,
    digest: batchDigest(rollouts),
    judges: tallyJudges(rollouts.map(({ judgedBy = null }) => judgedBy)),
  };
  return [...events, sampled];
}

/**
 * A batch of a run as it is in the log.
 * @param problems that it was sampled on
 * @returns undefined where the log does not hold all of it, or other rollouts than its last record names
 */
export async function recordedBatch(
  log: EventLog,
  { runId, batch }: Pick<BatchFacts, 'runId' | 'batch'>,
  problems: readonly Problem[],
): Promise<readonly TeamRollout[] | undefined> {
  const told = await eventsOf(log, runId, batch);
  const sampled = told.filter((event) => event.type === 'TeamBatchSampled');
  if (sampled.length === 0) return undefined;
  const byId = new Map(problems.map((problem) => [problem.problemId, problem]));
  const turns = new Map<string, Map<number, Turn>>();
  const judged = new Map<string, EventOf<'TeamRolloutJudged'>>();
  for (const event of told) {
    if (event.type === 'TeamRolloutJudged' && !judged.has(event.rolloutId)) judged.set(event.rolloutId, event);
    if (event.type !== 'TeamTurnTaken') continue;
    const own = turns.get(event.rolloutId) ?? new Map<number, Turn>();
    turns.set(event.rolloutId, own);
    const { agent, promptTokenIds, tokenIds, logProbs, forced, text, adapterDigest } = event;
    if (!own.has(event.turn))
      own.set(event.turn, { agent, promptTokenIds, tokenIds, logProbs, forced, text, adapterDigest });
  }
  const order = new Map(problems.map(({ problemId }, at) => [problemId, at]));
  const rollouts = [...judged.values()].flatMap((event): TeamRollout[] => {
    const { rolloutId, candidate, outcome, response, success, reward, judge: judgedBy = null } = event;
    const problem = byId.get(event.problemId);
    const own = [...(turns.get(rolloutId) ?? [])].sort(([a], [b]) => a - b).map(([, turn]) => turn);
    return problem === undefined
      ? []
      : [{ rolloutId, problem, candidate, turns: own, outcome, response, success, reward, judgedBy }];
  });
  rollouts.sort(
    (a, b) => order.get(a.problem.problemId)! - order.get(b.problem.problemId)! || a.candidate - b.candidate,
  );
  const digest = batchDigest(rollouts);
  return sampled.some((event) => event.digest === digest && event.rollouts === rollouts.length) ? rollouts : undefined;
}

type TeamEvent = EventOf<'TeamTurnTaken' | 'TeamRolloutJudged' | 'TeamBatchSampled'>;

/** In the log's order. Records of other runs are not opened. */
async function eventsOf(log: EventLog, runId: string, batch: number): Promise<readonly TeamEvent[]> {
  const watermarks = await log.watermarks(TOPIC.teams);
  const own = partitionForKey(runId, watermarks.length);
  const ranges = watermarks
    .filter(({ partition }) => partition === own)
    .map(({ partition, low, high }) => ({ topic: TOPIC.teams, partition, from: low, to: high }));
  const found: TeamEvent[] = [];
  for await (const { events } of readEvents(log, ranges, { undecodable: 'skip', wants: ({ key }) => key === runId }))
    for (const { event } of events)
      if (
        (event.type === 'TeamTurnTaken' || event.type === 'TeamRolloutJudged' || event.type === 'TeamBatchSampled') &&
        event.runId === runId &&
        event.batch === batch
      )
        found.push(event);
  return found;
}

/** Id that seeds a batch's rollouts. */
export function batchSeed(runId: string, batch: number): string {
  return derivedId(runId, 'team-batch', batch);
}
