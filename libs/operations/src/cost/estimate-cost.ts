/** Measures what an edit of a few passages takes: writing it, training on it, asking about the passage, and teaching the writer. */
import { SeamError } from '@seamstream/kernel';
import {
  type EditOutcome,
  type EditSampling,
  type EditWriter,
  ownSelfEditKind,
  type SelfEditKind,
  selfEditKind,
  trainingDocuments,
  writerPrompt,
} from '@seamstream/self-edits';
import type { EditsWorld } from '../edits/edits-world.js';
import {
  type LearnedPassage,
  learnedPassages,
  type PassageChoice,
  type PassagesDoor,
} from '../evaluate/learned-passages.js';
import type { LearnerModel } from '../evaluate/study-retention.js';
import type { ReadingOptions } from '../read-models/kept-log.js';
import {
  COST_PHASES,
  type CostEstimate,
  type CostPlan,
  estimateCost,
  type MeasuredPassage,
  sum,
} from './cost-estimate.decide.js';

/** A slow model writes an edit in minutes. One that takes longer is a fault of the machine. */
const LONGEST_EDIT_MS = 3_600_000;
/** Of an edit that is empty, or too long to learn from: a writer leaves it out. */
const NOT_LEARNED = { tokens: 0, seconds: 0 };

export interface CostRequest extends PassageChoice, Omit<CostPlan, 'units' | 'passages' | 'trainingsPerEdit'> {
  /** A shipped kind of self-edit, unless `template` names a file or folder with another. */
  readonly kind: string;
  readonly template?: string | undefined;
  /** Of the generator: `base`, `served`, or the first digits of a digest. */
  readonly adapter: string;
  /** Most tokens of an edit; as the generator's service has it when absent. */
  readonly maxTokens?: number | undefined;
  /** As the executor's service has it when absent. */
  readonly trainingsPerEdit?: number | undefined;
  /** Passages that are measured: the first. */
  readonly calibrate: number;
  /** Further passages that are measured afterwards, to compare the estimate with; 0: none. */
  readonly verify: number;
}

/** A model whose weights can be trained, in whichever service. */
export type TrainedModel = Pick<LearnerModel['executor'], 'adapt' | 'countTokens'>;

interface CostWorld extends PassagesDoor, Pick<EditsWorld, 'openEditWriter'> {
  readonly signal: AbortSignal;
  openLearner(): Promise<LearnerModel>;
  /** The generator's model, to be trained as a writer is. */
  openTrainedWriter(): Promise<TrainedModel>;
  /** How the generator's service draws edits. */
  editSampling(): Promise<EditSampling>;
}

export interface EstimatedCost extends CostEstimate {
  readonly passages: number;
  /** Rows of the file that were left out. */
  readonly faultyRows: number;
  readonly trainingsPerEdit: number;
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
  {
    nowMs,
    reading,
    onProgress,
  }: {
    readonly nowMs: () => number;
    /** How the log is read, for an adapter. */
    readonly reading: ReadingOptions;
    readonly onProgress: (done: number, total: number) => void;
  },
): Promise<EstimatedCost> {
  const { passages, faultyRows } = await learnedPassages(world, path, request);
  const { calibrate, verify } = request;
  const total = calibrate + verify;
  if (passages.length < total)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot estimate the cost of ${path}: expected at least ${total} passages to measure, got ${passages.length}. Measure fewer (--calibrate, --verify).`,
    );
  const measure = await openMeasurement(world, request, { nowMs, reading });
  // The first training compiles its graph: it is no part of what a passage takes.
  await measure.of(passages[0]!, 'warm-up');
  const taken: MeasuredPassage[] = [];
  for (const [at, passage] of passages.slice(0, total).entries()) {
    taken.push(await measure.of(passage, `calibration/${at}`));
    onProgress(at + 1, total);
  }
  const known = taken.slice(0, calibrate);
  // What is written is known of the measured passages alone: all others are taken for their average.
  const average = (of: (each: MeasuredPassage, at: number) => number): number => sum(known.map(of)) / calibrate;
  const added = average(({ units }, at) => units.training - measure.trainedTokens(passages[at]!));
  const units = {
    training: sum(passages.map((passage) => measure.trainedTokens(passage) + added)),
    answering: sum(passages.map(({ task }) => task.questions.length)),
    writing: average((each) => each.units.writing) * passages.length,
    learning: average((each) => each.units.learning) * passages.length,
  };
  const trainingsPerEdit = request.trainingsPerEdit ?? measure.trainingsPerEdit;
  const estimate = estimateCost(known, { ...request, trainingsPerEdit, units, passages: passages.length });
  return {
    ...estimate,
    ...{ passages: passages.length, faultyRows, trainingsPerEdit },
    calibrated: { passages: calibrate, seconds: sum(known.map(secondsOf)) },
    verified: verify === 0 ? null : verified(known, taken.slice(calibrate)),
  };
}

/** Loads what the request needs: a kind that is not written needs no writer, and one that does not learn no second training. */
async function openMeasurement(
  world: CostWorld,
  { template, kind: name, adapter, maxTokens, writerEpochs, keptPerPassage }: CostRequest,
  { nowMs, reading }: { readonly nowMs: () => number; readonly reading: ReadingOptions },
): Promise<Measurement> {
  const kind = template === undefined ? selfEditKind(name) : ownSelfEditKind(template);
  const isWritten = kind.template !== null;
  const learner = await world.openLearner();
  const sampling = isWritten ? await world.editSampling() : null;
  const writer = isWritten ? await world.openEditWriter({ by: 'generator', adapter, batch: 1 }, reading) : null;
  const isTaught = isWritten && writerEpochs * keptPerPassage > 0;
  return new Measurement({
    ...{ learner, kind, writer, nowMs, signal: world.signal },
    sampling: sampling === null || maxTokens === undefined ? sampling : { ...sampling, maxTokens },
    taught: isTaught ? await world.openTrainedWriter() : null,
  });
}

const secondsOf = ({ seconds }: MeasuredPassage): number => sum(Object.values(seconds));

function verified(known: readonly MeasuredPassage[], others: readonly MeasuredPassage[]): EstimatedCost['verified'] {
  const units = Object.fromEntries(
    COST_PHASES.map((phase) => [phase, sum(others.map((each) => each.units[phase]))]),
  ) as CostPlan['units'];
  const once = { iterations: 1, editsPerPassage: 1, trainingsPerEdit: 1, keptPerPassage: 1, writerEpochs: 1 };
  const plan = { ...once, units, passages: others.length, validationPassages: 0, speed: 1, pricePerHour: null };
  const { seconds: estimated } = estimateCost(known, plan);
  const measured = sum(others.map(secondsOf));
  return { passages: others.length, estimated, measured, error: (estimated - measured) / measured };
}

interface Measured {
  readonly learner: LearnerModel;
  readonly kind: SelfEditKind;
  /** Null for a kind that is not written. */
  readonly writer: EditWriter | null;
  readonly sampling: EditSampling | null;
  /** The writer's model, to be trained; null where it does not learn. */
  readonly taught: TrainedModel | null;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

class Measurement {
  constructor(private readonly by: Measured) {}

  get trainingsPerEdit(): number {
    return this.by.learner.answersPerEntry ?? 1;
  }

  /** Tokens that carry loss in the training on a passage, as long as no plateau ends it early. */
  trainedTokens({ documents }: Pick<LearnedPassage, 'documents'>): number {
    const { executor, update } = this.by.learner;
    return update.epochs * sum(documents.map((document) => Math.max(0, tokensIn(executor, document) - 1)));
  }

  /** Writes, trains, asks, and teaches the writer, once each. */
  async of(passage: LearnedPassage, seed: string): Promise<MeasuredPassage> {
    const { kind, learner, signal } = this.by;
    const { executor, prompts, update } = learner;
    const written = await this.write(passage, seed);
    const documents = written.text === null ? passage.documents : trainingDocuments(kind, written.text, passage.task);
    const [adaptation, training] = await this.timed(() =>
      adaptable(executor)({ documents, settings: update, seed }, { signal }),
    );
    const model = adaptation.status === 'adapted' ? adaptation.model : executor;
    const asked = passage.task.questions.map(({ question }) =>
      prompts.executor(question, null, executor.controlTokens),
    );
    const [, answering] = await this.timed(() => model.answer(asked, signal));
    const learned = await this.teach(passage, written.text, seed);
    return {
      units: {
        ...{ training: this.trainedTokens({ documents }), answering: asked.length },
        ...{ writing: written.tokens, learning: learned.tokens },
      },
      seconds: { training, answering, writing: written.seconds, learning: learned.seconds },
    };
  }

  /** As the generator's service draws it, within its own limit of tokens. */
  private async write({ task: passage }: LearnedPassage, seed: string) {
    const { kind, writer, sampling, signal } = this.by;
    if (writer === null || sampling === null) return { text: null, tokens: 0, seconds: 0 };
    const outcomes: EditOutcome[] = [];
    const [, seconds] = await this.timed(() =>
      writer.write([{ kind, passage, sampling, seed }], {
        ...{ timeoutMs: LONGEST_EDIT_MS, signal },
        onOutcome: (_, outcome) => void outcomes.push(outcome),
      }),
    );
    const outcome = outcomes[0]!;
    if (outcome.status !== 'written')
      throw new SeamError(
        outcome.code,
        `Cannot estimate the cost: expected an edit, got none (${outcome.reason}). Read what is written with seam edits preview.`,
      );
    return { text: outcome.text, tokens: writer.countTokens?.(outcome.text) ?? 0, seconds };
  }

  /** Once through a request with its edit, as the writer learns from what it keeps. */
  private async teach({ task }: LearnedPassage, text: string | null, seed: string) {
    const { kind, taught, learner, signal } = this.by;
    if (taught === null || text === null || text.trim() === '') return NOT_LEARNED;
    const document = `${writerPrompt(kind, task)}${text}`;
    const settings = { ...learner.update, epochs: 1 };
    const [{ status }, seconds] = await this.timed(() =>
      adaptable(taught)({ documents: [document], settings, seed }, { signal }),
    );
    return status === 'adapted' ? { tokens: Math.max(0, tokensIn(taught, document) - 1), seconds } : NOT_LEARNED;
  }

  /** With the seconds that it took. */
  private async timed<T>(work: () => Promise<T>): Promise<readonly [T, number]> {
    const begin = this.by.nowMs();
    const done = await work();
    return [done, (this.by.nowMs() - begin) / 1000];
  }
}

function adaptable(model: TrainedModel): NonNullable<TrainedModel['adapt']> {
  if (model.adapt === undefined) throw untrainable();
  return (...asked) => model.adapt!(...asked);
}

function tokensIn(model: TrainedModel, text: string): number {
  if (model.countTokens === undefined) throw untrainable();
  return model.countTokens(text);
}

function untrainable(): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    'Cannot estimate the cost: expected an executor whose weights can be trained, got an endpoint. Set SEAM_EXECUTOR_DRIVER to checkpoint.',
  );
}
