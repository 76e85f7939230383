/** The entry is put into one delimited slot of the executor's prompt. */
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { givesAnswerAway, type Prompts } from '@seamstream/experience';
import { decodingOf } from './decoding.js';
import { type Attempt, type AttemptOptions, type AttemptRequest, Environment } from './environment.port.js';
import type { ExecutorAnswer, ExecutorModel, SamplingParams } from './executor-model.port.js';

export class PromptInjection extends Environment {
  constructor(
    private readonly executor: ExecutorModel,
    private readonly prompts: Prompts,
    /** Null: greedily. */
    private readonly drawing: SamplingParams | null = null,
  ) {
    super();
  }

  /** The model and the templates that it is asked with: logs of every release have it so. */
  override get identity(): ExecutorIdentity {
    const decoding = decodingOf(this.executor, this.drawing);
    return { ...this.executor.identity, decoding, template: this.prompts.executorTemplate };
  }

  override async attempt(
    requests: readonly AttemptRequest[],
    { signal, onProgress, mostTokens }: AttemptOptions = {},
  ): Promise<readonly Attempt[]> {
    if (requests.length === 0) return [];
    const { executor, drawing } = this;
    const asked = requests.map((request) => ({ prompt: this.promptOf(request), seeds: request.seeds }));
    if (drawing !== null) {
      const drawn = await executor.sample!(asked, drawing, signal, onProgress, undefined, mostTokens);
      return drawn.map((answers) => answers.map((answer) => this.read(answer)));
    }
    const prompts = asked.flatMap(({ prompt, seeds }) => seeds.map(() => prompt));
    const answers = (await executor.answer(prompts, signal, onProgress, undefined, mostTokens)).values();
    return asked.map(({ seeds }) => seeds.map(() => this.read(answers.next().value!)));
  }

  override drawn(drawing: SamplingParams): PromptInjection | null {
    return this.executor.sample === undefined ? null : new PromptInjection(this.executor, this.prompts, drawing);
  }

  override givesAnswerAway(entry: string, problem: Problem): boolean {
    return givesAnswerAway(entry, problem);
  }

  private promptOf({ problem, entry }: AttemptRequest): string {
    const { controlTokens } = this.executor;
    return entry === ''
      ? this.prompts.wrapperOnly(problem.prompt, controlTokens)
      : this.prompts.executor(problem.prompt, entry, controlTokens);
  }

  /** Marks what counts of a response. */
  private read(answer: ExecutorAnswer): ExecutorAnswer {
    return answer.status === 'answered' ? { ...answer, judged: this.prompts.judged(answer.text) } : answer;
  }
}
