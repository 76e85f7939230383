/** Measures what an edit of a few passages takes: writing it, training on it, and asking about the passage. */
import { SeamError } from '@seamstream/kernel';
import { selfEditKind, trainingDocuments, writerPrompt } from '@seamstream/self-edits';
import { type LearnedPassage, learnedPassages, type PassageChoice } from '../evaluate/learned-passages.js';
import type { LearnerModel } from '../evaluate/study-retention.js';
import type { InputDoor } from '../publish/dataset-file.js';
import { type CostEstimate, type CostPlan, estimateCost, type MeasuredPassage, sum } from './cost-estimate.decide.js';

export interface CostRequest extends PassageChoice, Omit<CostPlan, 'units'> {
  /** A shipped kind of self-edit. */
  readonly kind: string;
  /** Passages that are measured: the first. */
  readonly calibrate: number;
  /** Further passages that are measured afterwards, to compare the estimate with; 0: none. */
  readonly verify: number;
}

interface CostWorld extends InputDoor {
  readonly signal: AbortSignal;
  openLearner(): Promise<LearnerModel>;
}

export interface EstimatedCost extends CostEstimate {
  readonly passages: number;
  readonly calibrated: { readonly passages: number; readonly seconds: number };
  /** Further passages as they were estimated and as they were; null where none were asked for. */
  readonly verified: {
    readonly passages: number;
    readonly estimated: number;
    readonly measured: number;
    /** Of the estimate, as a share of what was measured. */
    readonly error: number;
  } | null;
}

/**
 * @param nowMs a clock that never goes back
 * @throws INVALID_INPUT for a file with fewer passages than are to be measured; INVALID_CONFIGURATION for an executor that cannot be trained
 */
export async function costOf(
  world: CostWorld,
  path: string,
  request: CostRequest,
  { nowMs, onProgress }: { readonly nowMs: () => number; readonly onProgress: (done: number, total: number) => void },
): Promise<EstimatedCost> {
  const { passages } = await learnedPassages(world, path, request);
  const { calibrate, verify } = request;
  const total = calibrate + verify;
  if (passages.length < total)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate the cost of ${path}: expected at least ${total} passages to measure, got ${passages.length}. Measure fewer (--calibrate, --verify).`,
    );
  const learner = await world.openLearner();
  const measure = new Measurement(learner, request.kind, nowMs, world.signal);
  // The first training compiles its graph: it is no part of what a passage takes.
  await measure.of(passages[0]!, 'warm-up');
  const taken: MeasuredPassage[] = [];
  for (const [at, passage] of passages.slice(0, total).entries()) {
    taken.push(await measure.of(passage, `calibration/${at}`));
    onProgress(at + 1, total);
  }
  const known = taken.slice(0, calibrate);
  // What is written is known of the measured passages alone: all others are taken for their average.
  const written = sum(known.map(({ units }) => units.writing)) / calibrate;
  const added = sum(known.map(({ units }, at) => units.training - measure.trainedTokens(passages[at]!))) / calibrate;
  const units = {
    training: sum(passages.map((passage) => measure.trainedTokens(passage) + added)),
    answering: sum(passages.map(({ task }) => task.questions.length)),
    writing: written * passages.length,
  };
  const estimate = estimateCost(known, { ...request, units });
  return {
    ...estimate,
    passages: passages.length,
    calibrated: { passages: calibrate, seconds: sum(known.map(secondsOf)) },
    verified: verify === 0 ? null : verified(known, taken.slice(calibrate)),
  };
}

const secondsOf = ({ seconds }: MeasuredPassage): number => sum(Object.values(seconds));

function verified(known: readonly MeasuredPassage[], others: readonly MeasuredPassage[]): EstimatedCost['verified'] {
  const units = {
    training: sum(others.map((each) => each.units.training)),
    answering: sum(others.map((each) => each.units.answering)),
    writing: sum(others.map((each) => each.units.writing)),
  };
  const plan = { units, iterations: 1, editsPerPassage: 1, speed: 1, pricePerHour: null };
  const { seconds: estimated } = estimateCost(known, plan);
  const measured = sum(others.map(secondsOf));
  return { passages: others.length, estimated, measured, error: (estimated - measured) / measured };
}

class Measurement {
  constructor(
    private readonly learner: LearnerModel,
    private readonly kind: string,
    private readonly nowMs: () => number,
    private readonly signal: AbortSignal,
  ) {}

  /** Tokens that carry loss in the training on a passage, as long as no plateau ends it early. */
  trainedTokens({ documents }: LearnedPassage): number {
    const { executor, update } = this.learner;
    if (executor.countTokens === undefined) throw untrainable();
    return update.epochs * sum(documents.map((document) => Math.max(0, executor.countTokens!(document) - 1)));
  }

  /** Writes, trains and asks once. */
  async of(passage: LearnedPassage, seed: string): Promise<MeasuredPassage> {
    const { executor, prompts, update } = this.learner;
    if (executor.adapt === undefined) throw untrainable();
    const { signal } = this;
    const kind = selfEditKind(this.kind);
    let written = 0;
    let text = '';
    const writing = await this.timed(async () => {
      if (kind.template === null) return;
      const [answer] = await executor.answer([writerPrompt(kind, passage.task)], signal);
      if (answer!.status === 'failed') throw new SeamError(answer!.code, answer!.reason);
      written = answer!.responseTokens;
      text = answer!.text;
    });
    const documents = kind.template === null ? passage.documents : trainingDocuments(kind, text, passage.task);
    let model: Pick<typeof executor, 'answer'> = executor;
    const training = await this.timed(async () => {
      const adaptation = await executor.adapt!({ documents, settings: update, seed }, { signal });
      if (adaptation.status === 'adapted') model = adaptation.model;
    });
    const asked = passage.task.questions.map(({ question }) =>
      prompts.executor(question, null, executor.controlTokens),
    );
    const answering = await this.timed(async () => {
      await model.answer(asked, signal);
    });
    return {
      units: { training: this.trainedTokens({ ...passage, documents }), answering: asked.length, writing: written },
      seconds: { training, answering, writing },
    };
  }

  private async timed(work: () => Promise<void>): Promise<number> {
    const begin = this.nowMs();
    await work();
    return (this.nowMs() - begin) / 1000;
  }
}

function untrainable(): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    'Cannot estimate the cost: expected an executor whose weights can be trained, got an endpoint. Set SEAM_EXECUTOR_DRIVER to checkpoint.',
  );
}
