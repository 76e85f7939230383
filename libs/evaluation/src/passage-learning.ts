/** Passages that a model is trained on, at once or one after the other, and how well it then answers about them without seeing them. */
import type { Adaptation, AdaptationOptions, AdaptationRequest, ExecutorModel } from '@seamstream/environments';
import { Random, SeamError } from '@seamstream/kernel';
import { mean } from '@seamstream/statistics';
import { squadScore } from '@seamstream/verifiers';

export type Learner = Pick<ExecutorModel, 'answer' | 'adapt'>;

export interface PassageQuestion {
  readonly prompt: string;
  /** Answers that are as right as each other. */
  readonly golds: readonly string[];
}

/** How answers are scored. */
export interface Scoring {
  readonly measure: 'exactMatch' | 'f1';
  /** What is judged of a response. */
  readonly answerOf: (response: string) => string;
  readonly signal?: AbortSignal | undefined;
  readonly onAnswered?: ((answered: number, total: number) => void) | undefined;
}

/** Which passages are learned when. */
export function retentionOrder(seed: string, passages: number): readonly number[] {
  return Random.of('retention', seed).shuffled(Array.from({ length: passages }, (_, index) => index));
}

/** Of the training with number `at` of a sequence, or of the one on all documents. */
export function trainingSeed(seed: string, at: number | 'together'): string {
  return `${seed}/${at}`;
}

/** @param purpose what it is for, e.g. `study retention`. @throws INVALID_CONFIGURATION for a model that cannot be trained; ABORTED */
export function trainOn(
  model: Learner,
  request: AdaptationRequest,
  { purpose, ...options }: AdaptationOptions & { readonly purpose: string },
): Promise<Adaptation> {
  if (model.adapt !== undefined) return model.adapt(request, options);
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${purpose}: expected an executor whose weights can be trained, got an endpoint. Set SEAM_EXECUTOR_DRIVER to checkpoint.`,
  );
}

/**
 * The mean score of the questions about each passage that is asked about, without the passage.
 * @throws what could not be answered, as the error of its failure; ABORTED
 */
export async function scoresByPassage(
  model: Pick<Learner, 'answer'>,
  questions: readonly (readonly PassageQuestion[])[],
  asked: readonly number[],
  { measure, answerOf, signal, onAnswered }: Scoring,
): Promise<ReadonlyMap<number, number>> {
  const all = asked.flatMap((passage) => questions[passage]!.map((question) => ({ passage, question })));
  const answers = await model.answer(
    all.map(({ question }) => question.prompt),
    signal,
    ({ answered }) => onAnswered?.(answered, all.length),
  );
  const scores = new Map<number, number[]>(asked.map((passage) => [passage, []]));
  answers.forEach((answer, index) => {
    if (answer.status === 'failed') throw new SeamError(answer.code, answer.reason);
    const { passage, question } = all[index]!;
    const score = squadScore(answerOf(answer.text), question.golds);
    scores.get(passage)!.push(measure === 'f1' ? score.f1 : Number(score.isExact));
  });
  return new Map([...scores].map(([passage, own]) => [passage, mean(own)]));
}

export interface PassageLearning extends Pick<AdaptationRequest, 'settings' | 'seed'> {
  /** `sequence`: a training for each passage, which begins with the weights of the one before it. */
  readonly order: 'together' | 'sequence';
  readonly signal?: AbortSignal | undefined;
  /** @param at the training with this number, from 0, of so many */
  readonly onStep?: (at: number, trainings: number, step: { done: number; planned: number; loss: number }) => void;
}

/** What trainings came to. */
export interface PassagesLearned {
  readonly model: Learner;
  /** Of the last training; null where none had something to learn, or the weights are elsewhere. */
  readonly adapter: NonNullable<Extract<Adaptation, { status: 'adapted' }>['adapter']['weights']> | null;
  /** Trainings that had something to learn. */
  readonly trainings: number;
  /** Mean loss in nats a token of each step of all of them. */
  readonly losses: readonly number[];
  /** Tokens that carried loss, over all steps. */
  readonly tokens: number;
  /** Why others had nothing to learn. */
  readonly refused: readonly string[];
}

/**
 * What a model learns of passages, as the arms `together` and `plain` of a study of retention do with the same seed.
 * @param documents of each passage
 * @throws as {@link trainOn}
 */
export async function learnPassages(
  model: Learner,
  documents: readonly (readonly string[])[],
  { order, settings, seed, signal, onStep }: PassageLearning,
): Promise<PassagesLearned> {
  const passages = retentionOrder(seed, documents.length);
  const planned =
    order === 'together'
      ? [{ at: 'together' as const, texts: passages.flatMap((passage) => documents[passage]!) }]
      : passages.map((passage, at) => ({ at, texts: documents[passage]! }));
  let [current, adapter, trainings, tokens] = [model, null as PassagesLearned['adapter'], 0, 0];
  const losses: number[] = [];
  const refused: string[] = [];
  for (const [number, { at, texts }] of planned.entries()) {
    const adaptation = await trainOn(
      current,
      { documents: texts, settings, seed: trainingSeed(seed, at) },
      { purpose: 'train on edits', signal, onStep: (step) => onStep?.(number, planned.length, step) },
    );
    if (adaptation.status === 'refused') {
      refused.push(adaptation.reason);
      continue;
    }
    // The weights of earlier trainings are let go: of a long sequence they would fill the memory.
    current = adaptation.model;
    adapter = adaptation.adapter.weights ?? null;
    for (const loss of adaptation.trained?.losses ?? []) losses.push(loss);
    tokens += adaptation.trained?.tokens ?? 0;
    trainings++;
  }
  return { model: current, adapter, trainings, losses, tokens, refused };
}
