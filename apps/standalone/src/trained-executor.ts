/**
 * The baseline of training the executor itself: the same frozen base is trained on what the rounds recorded, and is then asked without any
 * entry. It has the problems and verdicts that the generator had, either with an answer of the rounds that was verified or with the
 * published reference.
 */
import { type Environment, type ExecutorModel, PromptInjection } from '@seamstream/environments';
import type { Prompts } from '@seamstream/experience';
import { type InnerUpdateSettings, innerUpdateSchema } from '@seamstream/inner-update';
import { SeamError } from '@seamstream/kernel';
import type { RecordedAttempt } from './recorded-attempts.js';

/** What the executor learns to answer. */
export const ANSWERED_BY = ['answers', 'references'] as const;
export type AnsweredBy = (typeof ANSWERED_BY)[number];

/** A problem of the rounds with an answer that is right. */
export interface Example {
  readonly prompt: string;
  readonly response: string;
}

/** LoRA on all linear layers; two passes. Chosen on the split `development` of seed 3 (docs/adr/0132-training-the-executor-is-a-baseline.md). */
const SETTINGS: InnerUpdateSettings = innerUpdateSchema.parse({
  ...{ rank: 32, alpha: 64, learningRate: 5e-3, epochs: 2, batchSize: 32 },
  plateau: { patience: 0 },
});

/** Problems with what the executor is to answer, in the order of the stream. */
export const EXAMPLES_OF: Readonly<Record<AnsweredBy, (attempts: readonly RecordedAttempt[]) => readonly Example[]>> = {
  /**
   * Of each problem that was solved, the verified answer that was given most often; of equals the first. A wrong plan may end at the right
   * number by chance, and such answers differ from one another.
   */
  answers: (attempts) =>
    byProblem(attempts.filter(({ success }) => success)).map((own) => {
      const responses = [...Map.groupBy(own, ({ response }) => response)];
      const [response] = responses.reduce((most, next) => (next[1].length > most[1].length ? next : most));
      return { prompt: own[0].problem.prompt, response };
    }),
  /** Of every problem that has one its reference, in the form that the executor's answers end with: nothing says how it is found. */
  references: (attempts) =>
    byProblem(attempts).flatMap(([{ problem }]) =>
      problem.reference === null ? [] : [{ prompt: problem.prompt, response: `\nAnswer: ${problem.reference}` }],
    ),
};

type OfOneProblem = readonly [RecordedAttempt, ...RecordedAttempt[]];

function byProblem(attempts: readonly RecordedAttempt[]): readonly OfOneProblem[] {
  return [...Map.groupBy(attempts, ({ problem }) => problem.problemId).values()] as unknown as readonly OfOneProblem[];
}

/** What a training took. */
export interface ExecutorTraining {
  readonly examples: number;
  readonly epochs: number;
  /** Of the optimizer. */
  readonly steps: number;
  readonly seconds: number;
}

interface TrainingSettings {
  readonly executor: ExecutorModel;
  readonly prompts: Prompts;
  readonly seed: string;
  /** Milliseconds of a steady clock. */
  readonly nowMs: () => number;
  readonly onStep: (done: number, planned: number) => void;
}

/**
 * The executor after it was trained on the examples, asked as before. Equal examples and seeds give equal weights.
 * @returns null where its weights are not at hand, as at an endpoint, and without examples
 */
export async function trainExecutor(
  examples: readonly Example[],
  { executor, prompts, seed, nowMs, onStep }: TrainingSettings,
): Promise<{ readonly environment: Environment; readonly training: ExecutorTraining } | null> {
  if (executor.adapt === undefined || examples.length === 0) return null;
  const { identity, controlTokens } = executor;
  const documents = examples.map(({ prompt, response }) => {
    const asked = prompts.executor(prompt, null, controlTokens);
    return { text: asked + response, lossFrom: asked.length };
  });
  const { epochs, batchSize } = SETTINGS;
  const planned = Math.ceil(documents.length / batchSize) * epochs;
  let steps = 0;
  const startedMs = nowMs();
  const adaptation = await executor.adapt(
    // As many steps as a run of any length takes: its limit is for edits.
    { documents, settings: { ...SETTINGS, maxSteps: Math.max(planned, 1) }, seed },
    {
      onStep: () => {
        steps++;
        onStep(steps, planned);
      },
    },
  );
  if (adaptation.status === 'refused')
    throw new SeamError(
      'INTERNAL',
      `Cannot train the executor as a baseline: expected examples that fit it, got a refusal: ${adaptation.reason}.`,
    );
  const { answer } = adaptation.model;
  const model: ExecutorModel = { identity, answer, ...(controlTokens === undefined ? {} : { controlTokens }) };
  return {
    environment: new PromptInjection(model, prompts),
    training: { examples: examples.length, epochs, steps, seconds: (nowMs() - startedMs) / 1000 },
  };
}
