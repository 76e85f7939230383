/** What sessions with separate adapters gain and cost, on the passages of a file. */
import { unpublishedProblem } from '@seamstream/datasets';
import { sessionSchema, trainableExecutor } from '@seamstream/environments';
import { type SessionsStudy, studySessions } from '@seamstream/evaluation';
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { type Clock, SeamError } from '@seamstream/kernel';
import { type JudgingWorld, verifiersFor } from './judging.js';
import { gradedPassages, type PassagesDoor } from './learned-passages.js';
import type { LearnerModel } from './study-retention.js';

export interface SessionsRequest {
  /** The form of the file; by its first row when absent. */
  readonly dataset?: string | undefined;
  /** Passages to take: the first. */
  readonly limit?: number | undefined;
  /** Messages after which a session learns. */
  readonly every: number;
  readonly rank: number;
  readonly steps: number;
  readonly learningRate: number;
}

export interface SessionsReport extends SessionsStudy {
  /** Rows of the file that were left out. */
  readonly faultyRows: number;
  readonly executor: Omit<ExecutorIdentity, 'template'>;
}

/** @throws INVALID_INPUT for a file without passages; INVALID_CONFIGURATION for an executor that cannot be trained; as `studySessions` */
export async function studySessionsOf(
  world: PassagesDoor &
    JudgingWorld & { readonly signal: AbortSignal; readonly clock: Clock; openLearner(): Promise<LearnerModel> },
  path: string,
  { dataset, limit = Number.POSITIVE_INFINITY, every, rank, steps, learningRate }: SessionsRequest,
  onProgress: (stage: string, done: number, total: number) => void,
): Promise<SessionsReport> {
  const file = await gradedPassages(world, path, dataset);
  const problems: Problem[] = [];
  for await (const { problem } of file.read()) {
    if (problems.length >= limit) break;
    problems.push(unpublishedProblem(file.digest, problem));
  }
  if (problems.length === 0)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot study sessions on ${path}: expected passages with answered questions, got none. Name a file of passages, and its form (--dataset).`,
    );
  const verifiers = await verifiersFor(world, problems);
  const { executor, prompts } = await world.openLearner();
  const study = await studySessions(problems, {
    executor: trainableExecutor(executor, 'study sessions'),
    ...{ prompts, verifiers, clock: world.clock, signal: world.signal },
    sessions: sessionSchema.parse({ every, rank, steps, learningRate }),
    onSession: (done, total) => onProgress('sessions', done, total),
  });
  return { ...study, faultyRows: file.faultyRows, executor: executor.identity };
}
