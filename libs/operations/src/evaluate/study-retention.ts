/** What a model keeps of passages that it learns one after the other, from a file of them. */
import { type AdaptationRequest, answerLine, type ExecutorModel } from '@seamstream/environments';
import {
  RETENTION_ARMS,
  type RetentionArm,
  type RetentionLine,
  type RetentionPassage,
  type RetentionResult,
  type RetentionStep,
  retentionResults,
  studyRetention,
} from '@seamstream/evaluation';
import type { ExecutorIdentity } from '@seamstream/events';
import type { Prompts } from '@seamstream/experience';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import type { Adapter, PeftFiles } from '@seamstream/language-model';
import { z } from 'zod';
import type { GrowingOutput, GrowOptions, OutputOptions } from './asking-world.js';
import { learnedPassages, type PassageChoice, type PassagesDoor } from './learned-passages.js';
import { parsedLine } from './parsed-line.js';

export interface RetentionRequest extends PassageChoice {
  readonly arms: readonly RetentionArm[];
  readonly seeds: readonly string[];
  readonly replayed: number;
  readonly mostCost: number;
  readonly measure: 'exactMatch' | 'f1';
  /** Where scores go as they are known; what an interrupted call left there is continued. */
  readonly scores?: string | undefined;
  readonly report?: string | undefined;
  readonly force?: true;
}

/** A model that can be trained, and how it is asked. */
export interface LearnerModel {
  readonly executor: ExecutorModel;
  readonly prompts: Prompts;
  readonly update: AdaptationRequest['settings'];
  /** Answers to each entry of an attempt, as its service gives them; one when absent. */
  readonly answersPerEntry?: number | undefined;
  /** For who keeps what it learns; absent where its weights are not at hand. */
  readonly weights?: KeepableWeights | undefined;
}

/** Weights that a model carries, and how those that it learns are written. */
export interface KeepableWeights {
  /** Digest of those that it carries already; null: the bare model. */
  readonly parent: string | null;
  readonly encode: (adapter: Adapter) => PeftFiles;
}

export interface RetentionWorld extends PassagesDoor {
  readonly signal: AbortSignal;
  openLearner(): Promise<LearnerModel>;
  checkOutput(path: string, options?: OutputOptions): Promise<void>;
  growOutput(path: string, options?: GrowOptions): Promise<GrowingOutput>;
}

export interface RetentionReport {
  readonly passages: number;
  /** Rows of the file that were left out. */
  readonly faultyRows: number;
  readonly seeds: readonly string[];
  readonly measure: RetentionRequest['measure'];
  /** Mean of all passages. */
  readonly before: number;
  readonly arms: readonly RetentionResult[];
  readonly executor: Omit<ExecutorIdentity, 'template'>;
}

/**
 * Learns the passages of a file in sequences, and measures after each edit what is left of those before it.
 * @throws INVALID_INPUT for a file without two passages with answered questions; otherwise as `studyRetention`
 */
export async function studyRetentionOf(
  world: RetentionWorld,
  path: string,
  request: RetentionRequest,
  onProgress: (stage: string, done: number, total: number) => void,
): Promise<RetentionReport> {
  const { arms, seeds, replayed, mostCost, measure, scores, report, force: replace } = request;
  const { digest, faultyRows, passages: tasks } = await learnedPassages(world, path, request);
  for (const output of [scores, report]) if (output !== undefined) await world.checkOutput(output, { replace });
  const { executor, prompts, update } = await world.openLearner();
  const passages = tasks.map(
    ({ documents, task }): RetentionPassage => ({
      documents,
      questions: task.questions.map(({ question, reference, alternatives }) => ({
        prompt: prompts.executor(question, null, executor.controlTokens),
        golds: [reference!, ...alternatives],
      })),
    }),
  );
  const identity = { ...executor.identity, template: prompts.executorTemplate };
  const texts = passages.map(({ documents }) => [...documents]);
  const settings = { arms: [...arms], seeds: [...seeds], replayed, mostCost, measure, update: { ...update } };
  const work = sha256(canonicalJson(['retention', digest, texts, settings, { ...identity }]));
  const file = await scoresFile(world, { path: scores, replace, work, arms, seeds, passages: passages.length });
  const studied = await studyRetention(passages, {
    ...{ executor, update, arms, seeds, replayed, mostCost, measure, onProgress },
    signal: world.signal,
    answerOf: (response) => answerLine(prompts.judged(response)),
    known: file.known,
    onScores: file.append,
  });
  await file.finish();
  const { before } = studied;
  return {
    ...{
      passages: passages.length,
      faultyRows,
      seeds,
      measure,
      arms: retentionResults(studied),
      executor: executor.identity,
    },
    before: before.reduce((sum, score) => sum + score, 0) / before.length,
  };
}

const score = z.number().min(0).max(1);
const stepSchema = z.strictObject({
  arm: z.enum(RETENTION_ARMS),
  seed: z.string(),
  step: z.int().positive(),
  scores: z.array(score.nullable()),
  merged: z.boolean(),
});
const beforeSchema = z.strictObject({ before: z.array(score) });

interface ScoresFile {
  readonly known: { readonly before?: readonly number[]; readonly steps: readonly RetentionStep[] };
  readonly append: (line: RetentionLine) => Promise<void>;
  readonly finish: () => Promise<void>;
}

/** A file that scores go into as they are known, with those that an earlier call left. */
async function scoresFile(
  world: RetentionWorld,
  {
    path,
    replace,
    work,
    arms,
    seeds,
    passages,
  }: {
    readonly path: string | undefined;
    readonly replace: true | undefined;
    readonly work: string;
    readonly arms: readonly RetentionArm[];
    readonly seeds: readonly string[];
    readonly passages: number;
  },
): Promise<ScoresFile> {
  let before: readonly number[] | undefined;
  const steps: RetentionStep[] = [];
  const nothing = (): Promise<void> => Promise.resolve();
  if (path === undefined) return { known: { steps }, append: nothing, finish: nothing };
  const wanted = arms.flatMap((arm) =>
    seeds.flatMap((seed) =>
      (arm === 'together' ? [passages] : Array.from({ length: passages }, (_, at) => at + 1)).map(
        (step) => `${arm} ${seed} ${step}`,
      ),
    ),
  );
  const keep = async (lines: AsyncIterable<string>): Promise<number> => {
    for await (const line of lines) {
      if (before === undefined) {
        before = parsedLine(beforeSchema, line)?.before;
        if (before?.length === passages) continue;
        return 0;
      }
      const step = parsedLine(stepSchema, line);
      if (step?.scores.length !== passages || `${step.arm} ${step.seed} ${step.step}` !== wanted[steps.length]) break;
      steps.push(step);
    }
    return before === undefined ? 0 : 1 + steps.length;
  };
  const output = await world.growOutput(path, { replace, work, keep });
  return {
    known: { ...(before === undefined ? {} : { before }), steps },
    append: (line) => output.append(`${canonicalJson(line)}\n`),
    finish: () => output.finish(),
  };
}
