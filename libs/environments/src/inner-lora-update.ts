/**
 * A self-edit acts by a short training (SEAL, arXiv 2506.10943): the executor is trained on the documents that the entry holds, answers each
 * question about the passage without seeing it, and forgets. An empty entry trains on the passage alone; without an entry the frozen model
 * answers.
 */
import type { EditRefusal, ExecutorIdentity } from '@seamstream/events';
import { editText, type Prompts } from '@seamstream/experience';
import type { InnerUpdateSettings } from '@seamstream/inner-update';
import { canonicalJson, isSeamError, SeamError, sha256 } from '@seamstream/kernel';
import {
  EDIT_LIMITS,
  type EditFault,
  editFault,
  entryKind,
  type SelfEditKind,
  trainingDocuments,
} from '@seamstream/self-edits';
import { type AskedPassage, askedPassage } from '@seamstream/tasks';
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
import { answersBySeed, OneByOne } from './one-by-one.js';
import { passageAnswers, passageScores } from './passage-answers.js';
import { type TrainableExecutor, trainableExecutor } from './trainable-executor.js';

type AnsweringModel = Pick<ExecutorModel, 'answer' | 'sample' | 'score'>;
/** What a problem asks, and what is measured of the model that answers. */
type Asked = AskedPassage & Pick<AttemptRequest, 'examination'>;

export class InnerLoraUpdate extends Environment {
  override readonly examines: boolean;
  override readonly trains = true;
  private readonly oneByOne = new OneByOne();

  private constructor(
    private readonly executor: TrainableExecutor,
    private readonly prompts: Prompts,
    private readonly kind: SelfEditKind,
    private readonly settings: InnerUpdateSettings,
    private readonly filters: 'on' | 'off',
    /** Null: greedily. */
    private readonly drawing: SamplingParams | null,
  ) {
    super();
    this.examines = executor.score !== undefined;
  }

  /** @throws INVALID_CONFIGURATION for an executor that cannot be trained, and for entries that are no self-edits */
  static open(
    executor: ExecutorModel,
    prompts: Prompts,
    { entrySchemas, innerUpdate, editFilters = 'off' }: Omit<EnvironmentChoice, 'environment'>,
  ): InnerLoraUpdate {
    const kind = entryKind(entrySchemas);
    if (kind === null)
      throw refused(
        `entries that are self-edits, got ${entrySchemas ?? 'the general ones'}. Set SEAM_ENTRY_SCHEMAS to self-edit/implications, or to another kind`,
      );
    const trainable = trainableExecutor(executor, 'open environment inner-lora-update');
    return new InnerLoraUpdate(trainable, prompts, kind, innerUpdate, editFilters, null);
  }

  /** What is trained, and how, is a part of what answers. */
  override get identity(): ExecutorIdentity {
    const decoding = decodingOf(this.executor, this.drawing);
    // Without filters as before there were any: what is recorded so is comparable.
    const filters = this.filters === 'on' ? [EDIT_LIMITS] : [];
    const update = sha256(canonicalJson([this.kind.identity, { ...this.settings }, ...filters]));
    return {
      ...this.executor.identity,
      decoding,
      template: `inner-lora-update@${update}/${this.prompts.executorTemplate}`,
    };
  }

  override attempt(requests: readonly AttemptRequest[], options: AttemptOptions = {}): Promise<readonly Attempt[]> {
    return this.oneByOne.attempts(requests, (request, each) => this.attemptOne(request, each), options);
  }

  override drawn(drawing: SamplingParams): InnerLoraUpdate | null {
    const { executor, prompts, kind, settings, filters } = this;
    return executor.sample === undefined
      ? null
      : new InnerLoraUpdate(executor, prompts, kind, settings, filters, drawing);
  }

  /** An edit is to hold what the passage says; no answer is written with it in sight. */
  override givesAnswerAway(): boolean {
    return false;
  }

  private async attemptOne(
    { problem, entry, seeds, examination }: AttemptRequest,
    options: AttemptOptions,
  ): Promise<Attempt> {
    const passage = askedPassage(problem.prompt);
    if (passage === undefined) return seeds.map(() => notAPassage(problem.problemId));
    const asked = { ...passage, examination };
    const isAlike = entry === null && this.drawing === null;
    return answersBySeed(seeds, isAlike, (seed) => this.answerWith(asked, entry, seed, options));
  }

  /** Trains, asks, forgets. */
  private async answerWith(
    asked: Asked,
    entry: string | null,
    seed: string,
    options: AttemptOptions,
  ): Promise<ExecutorAnswer> {
    if (entry === null) return this.answerAll(this.executor, asked, seed, options);
    let text: string;
    try {
      text = editText(entry);
    } catch (error) {
      if (isSeamError(error, 'ENTRY_INVALID')) return notAnEdit(error.message);
      throw error;
    }
    const fault = this.faultOf(entry, text, asked);
    if (fault !== undefined) return nothingSaid({ reason: fault.reason, detail: figuresText(fault.figures) });
    const documents = trainingDocuments(this.kind, text, asked);
    const adaptation = await this.executor.adapt(
      { documents, settings: this.settings, seed },
      { signal: options.signal, onStep: () => options.onProgress?.(NOTHING_ANSWERED) },
    );
    // The edit's own fault: it earns nothing, and is no failure of the machine.
    if (adaptation.status === 'refused') return nothingSaid({ reason: 'untrainable', detail: adaptation.reason });
    return this.answerAll(adaptation.model, asked, seed, options);
  }

  /** An empty entry is a control and no edit. */
  private faultOf(entry: string, text: string, { title, passage }: Asked): EditFault | undefined {
    if (this.filters === 'off' || entry === '') return undefined;
    const countTokens = (each: string): number => this.executor.countTokens(each);
    return editFault({ kind: this.kind, text, passage: { title, passage } }, { countTokens });
  }

  private async answerAll(
    model: AnsweringModel,
    { questions, examination }: Asked,
    seed: string,
    options: AttemptOptions,
  ): Promise<ExecutorAnswer> {
    const { prompts, drawing } = this;
    const { controlTokens } = this.executor;
    const answer = await passageAnswers(model, questions, { prompts, controlTokens, drawing, seed, ...options });
    if (examination === undefined || answer.status === 'failed') return answer;
    const figures = await examination.figures((continuations) =>
      passageScores(model, questions, continuations, { prompts, controlTokens }),
    );
    return { ...answer, figures };
  }
}

const NOTHING_ANSWERED: AnsweringProgress = { answered: 0, tokens: 0, tokensPerPrompt: 0 };

function refused(expected: string): SeamError {
  return new SeamError('INVALID_CONFIGURATION', `Cannot open environment inner-lora-update: expected ${expected}.`);
}

const figuresText = (figures: EditFault['figures']): string =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${Number(value.toFixed(3))}`)
    .join(', ');

function nothingSaid(refused: EditRefusal): ExecutorResponse {
  return { status: 'answered', text: '', finished: true, promptTokens: 0, responseTokens: 0, refused };
}

function notAnEdit(fault: string): ExecutorAnswer {
  return {
    status: 'failed',
    code: 'ENTRY_INVALID',
    reason: `Cannot train on an entry: expected a self-edit, got another one (${fault}). Give all services the same SEAM_ENTRY_SCHEMAS.`,
    retryable: false,
  };
}

function notAPassage(problemId: string): ExecutorAnswer {
  return {
    status: 'failed',
    code: 'INVALID_INPUT',
    reason: `Cannot try a self-edit on problem ${problemId}: expected a passage with questions, got another prompt. Publish it as {"passage", "questions"}.`,
    retryable: false,
  };
}
