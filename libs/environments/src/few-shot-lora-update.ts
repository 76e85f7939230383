/**
 * A tool configuration acts by a short training on the task's own pairs (SEAL, arXiv 2506.10943, section 3.2): leave-one-out examples
 * under the augmentations that it switches on, a vote over transformed inputs, two attempts, and the training is forgotten. An empty entry
 * is the fixed configuration of the settings; without an entry the frozen model answers from the pairs in its prompt.
 */
import type { ExecutorIdentity } from '@seamstream/events';
import { TOOL_CONFIGURATION } from '@seamstream/experience';
import {
  type AskedGrid,
  attemptsOf,
  attemptsText,
  BATCH_SIZE,
  type EditFailure,
  MAX_STEPS,
  MAX_TOKENS,
  plannedSteps,
  readPrompt,
  readToolConfiguration,
  type ToolConfiguration,
  trainingSet,
  type View,
  viewPrompt,
  viewsOf,
  voteOf,
} from '@seamstream/grid-tasks';
import type { InnerUpdateSettings } from '@seamstream/inner-update';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { FEW_SHOT_END, readFewShotAnswer } from '@seamstream/tasks';
import { decodingOf } from './decoding.js';
import {
  type Attempt,
  type AttemptOptions,
  type AttemptRequest,
  Environment,
  type EnvironmentChoice,
} from './environment.port.js';
import type {
  AnsweringProgress,
  ExecutorAnswer,
  ExecutorModel,
  ExecutorResponse,
  SamplingParams,
} from './executor-model.port.js';
import { type FewShotSettings, fewShotSchema } from './few-shot.config.js';
import { answersBySeed, OneByOne } from './one-by-one.js';
import { type TrainableExecutor, trainableExecutor } from './trainable-executor.js';

type AnsweringModel = Pick<ExecutorModel, 'answer' | 'sample'>;

interface Settings {
  readonly innerUpdate: InnerUpdateSettings;
  readonly fewShot: FewShotSettings;
}

export class FewShotLoraUpdate extends Environment {
  override readonly trains = true;
  private readonly oneByOne = new OneByOne();

  private constructor(
    private readonly executor: TrainableExecutor,
    private readonly settings: Settings,
    /** Null: greedily. */
    private readonly drawing: SamplingParams | null,
  ) {
    super();
  }

  /** @throws INVALID_CONFIGURATION for an executor that cannot be trained or that chats, and for entries that are no tool configurations */
  static open(
    executor: ExecutorModel,
    { entrySchemas, innerUpdate, fewShot = fewShotSchema.parse({}) }: Omit<EnvironmentChoice, 'environment'>,
  ): FewShotLoraUpdate {
    if (entrySchemas !== TOOL_CONFIGURATION)
      throw refused(
        `entries that are tool configurations, got ${entrySchemas ?? 'the general ones'}. Set SEAM_ENTRY_SCHEMAS to ${TOOL_CONFIGURATION}`,
      );
    const trainable = trainableExecutor(executor, 'open environment few-shot-lora-update');
    // Examples are trained on as plain text, which a prompt within a turn of a dialogue does not continue.
    if (executor.chats === true)
      throw refused('an executor that continues text, got one that chats. Set SEAM_EXECUTOR_CHAT_TEMPLATE to none');
    return new FewShotLoraUpdate(trainable, { innerUpdate, fewShot }, null);
  }

  /** How the task is trained on and asked is a part of what answers. */
  override get identity(): ExecutorIdentity {
    const decoding = decodingOf(this.executor, this.drawing);
    const digest = sha256(canonicalJson(this.settings));
    return { ...this.executor.identity, decoding, template: `few-shot-lora-update@${digest}` };
  }

  override attempt(requests: readonly AttemptRequest[], options: AttemptOptions = {}): Promise<readonly Attempt[]> {
    return this.oneByOne.attempts(requests, (request, each) => this.attemptOne(request, each), options);
  }

  override drawn(drawing: SamplingParams): FewShotLoraUpdate | null {
    const { executor, settings } = this;
    return executor.sample === undefined ? null : new FewShotLoraUpdate(executor, settings, drawing);
  }

  /** A configuration names no grid. */
  override givesAnswerAway(): boolean {
    return false;
  }

  private async attemptOne({ problem, entry, seeds }: AttemptRequest, options: AttemptOptions): Promise<Attempt> {
    const asked = readPrompt(problem.prompt);
    if (asked === undefined) return seeds.map(() => notOnGrids(problem.problemId));
    const isAlike = entry === null && this.drawing === null;
    return answersBySeed(seeds, isAlike, (seed) => this.answerWith(asked, entry, seed, options));
  }

  /** Trains, asks, forgets. */
  private async answerWith(
    asked: AskedGrid,
    entry: string | null,
    seed: string,
    options: AttemptOptions,
  ): Promise<ExecutorAnswer> {
    if (entry === null) return this.predict(this.executor, asked, seed, options);
    const read = readToolConfiguration(entry === '' ? this.settings.fewShot.fixed : entry);
    if (read.failure !== undefined) return noAttempt(read.failure);
    const documents = this.documentsFor(asked, read.value, seed);
    const steps = plannedSteps(documents.length, read.value);
    if (steps.failure !== undefined) return noAttempt(steps.failure);
    const { learning_rate: learningRate, num_train_epochs: epochs } = read.value.training;
    const settings = {
      ...this.settings.innerUpdate,
      ...{ learningRate, epochs, batchSize: BATCH_SIZE, batchTokens: undefined, maxSteps: MAX_STEPS },
    };
    const adaptation = await this.executor.adapt(
      { documents, settings, seed },
      { signal: options.signal, onStep: () => options.onProgress?.(NOTHING_ANSWERED) },
    );
    // The edit's own fault: it earns nothing, and is no failure of the machine.
    if (adaptation.status === 'refused') return noAttempt({ reason: 'no-example', detail: adaptation.reason });
    return this.predict(adaptation.model, asked, seed, options);
  }

  private documentsFor({ pairs }: AskedGrid, configuration: ToolConfiguration, seed: string) {
    const { innerUpdate, fewShot } = this.settings;
    const { examples } = trainingSet(pairs, configuration, {
      seed,
      countTokens: (text) => this.executor.countTokens(text),
      maxExamples: fewShot.maxExamples,
      maxTokens: Math.min(innerUpdate.maxDocumentTokens, MAX_TOKENS),
    });
    return examples.map(({ text, loss }) => ({ text, lossFrom: loss.begin }));
  }

  /** Asks in every view. The views of a task are the same for each entry, so that entries differ by what they train alone. */
  private async predict(
    model: AnsweringModel,
    { pairs, input }: AskedGrid,
    seed: string,
    { signal, onProgress }: AttemptOptions,
  ): Promise<ExecutorAnswer> {
    const { views: symmetries, orders } = this.settings.fewShot;
    const all = viewsOf(pairs.length, sha256(canonicalJson([pairs, input])), orders);
    const views = symmetries === 'symmetries' ? all : all.filter(({ symmetry }) => symmetry.name === 'identity');
    const prompts = views.map((view) => viewPrompt(view, pairs, input));
    const answers =
      this.drawing === null
        ? await model.answer(prompts, signal, onProgress, FEW_SHOT_END)
        : (
            await model.sample!(
              prompts.map((prompt, index) => ({ prompt, seeds: [`${seed}/${index}`] })),
              this.drawing,
              signal,
              onProgress,
              FEW_SHOT_END,
            )
          ).map(([answer]) => answer!);
    const failure = answers.find(({ status }) => status === 'failed');
    return failure ?? voted(views, answers as readonly ExecutorResponse[]);
  }
}

/** The attempts that most answers are for. An answer that was cut off may be a part of a grid, and has no vote. */
function voted(views: readonly View[], answers: readonly ExecutorResponse[]): ExecutorResponse {
  const votes = answers.map(({ text, finished }, index) => {
    const isWhole = finished || readFewShotAnswer(text).isEnded;
    return isWhole ? voteOf(views[index]!, text) : { view: views[index]!, grid: undefined };
  });
  const attempts = attemptsOf(votes).map(({ grid }) => grid);
  const total = (count: (answer: ExecutorResponse) => number): number =>
    answers.reduce((sum, answer) => sum + count(answer), 0);
  return {
    status: 'answered',
    text: attempts.length === 0 ? 'No attempt: no answer was a grid.' : attemptsText(attempts),
    finished: true,
    promptTokens: total(({ promptTokens }) => promptTokens),
    responseTokens: total(({ responseTokens }) => responseTokens),
  };
}

const NOTHING_ANSWERED: AnsweringProgress = { answered: 0, tokens: 0, tokensPerPrompt: 0 };

function refused(expected: string): SeamError {
  return new SeamError('INVALID_CONFIGURATION', `Cannot open environment few-shot-lora-update: expected ${expected}.`);
}

/** A failure of the edit, in words: no grid, so it earns nothing. */
function noAttempt({ reason, detail }: EditFailure): ExecutorResponse {
  const text = `No attempt: ${reason} (${detail}).`;
  return { status: 'answered', text, finished: true, promptTokens: 0, responseTokens: 0 };
}

function notOnGrids(problemId: string): ExecutorAnswer {
  return {
    status: 'failed',
    code: 'INVALID_INPUT',
    reason: `Cannot try a tool configuration on problem ${problemId}: expected pairs of grids with an input, got another prompt. Publish it in the form of ARC.`,
    retryable: false,
  };
}
