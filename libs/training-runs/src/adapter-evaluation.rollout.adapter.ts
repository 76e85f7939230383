import { AttemptsOnce, type Environment } from '@seamstream/environments';
import { evaluate, problemSetDigest } from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import type { EntrySchemas, Prompts } from '@seamstream/experience';
import type { GeneratorModel, JudgedBy, Served } from '@seamstream/rollout';
import type { Verifiers } from '@seamstream/verifiers';
import type { AdapterEvaluation, ProblemResult, Said, Stretch } from './adapter-evaluation.port.js';
import { ProblemSetEvaluation } from './problem-set-evaluation.js';
import type { EvaluationTerms } from './run-plan.js';

interface RolloutEvaluationSettings {
  readonly generator: GeneratorModel;
  /** The environment over an executor whose responses have so many tokens at most. */
  readonly environmentOf: (responseMaxTokens: number) => Promise<Environment>;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly verifiers: Verifiers;
  readonly responseMaxTokens: number;
  readonly entryMaxTokens: number;
  /** What events call the set. */
  readonly problemSet: string;
  readonly problems: readonly Problem[];
}

/** Asks generator and executor greedily for problems of the set whose domain has appeared. */
export class RolloutEvaluation extends ProblemSetEvaluation<Served> {
  /** Of the problems that were measured last: the other adapter of a comparison is asked the same ones. */
  private latest: { readonly problems: string; readonly environment: AttemptsOnce } | null = null;
  private attemptsBefore = 0;

  constructor(private readonly settings: RolloutEvaluationSettings) {
    super(settings);
  }

  override attempts(): number {
    return this.attemptsBefore + (this.latest?.environment.made ?? 0);
  }

  override under({ responseMaxTokens, entryMaxTokens }: EvaluationTerms): Promise<AdapterEvaluation<Served>> {
    return Promise.resolve(new RolloutEvaluation({ ...this.settings, responseMaxTokens, entryMaxTokens }));
  }

  override over(problemSet: string, problems: readonly Problem[]): AdapterEvaluation<Served> {
    return new RolloutEvaluation({ ...this.settings, problemSet, problems });
  }

  override async measure(
    adapter: Served | null,
    domains: readonly string[],
    stretch: Stretch,
    onProgress: (done: number, total: number) => void,
  ): Promise<readonly ProblemResult[]> {
    const problems = this.problemsOf(domains, stretch);
    if (problems.length === 0) return [];
    const { generator, prompts, schemaFor, verifiers, entryMaxTokens } = this.settings;
    const digest = problemSetDigest(problems);
    const judgedBy: JudgedBy[] = problems.map(() => null);
    const said: Said[] = problems.map(({ problemId, prompt }) => ({ problemId, prompt, entry: null, answer: null }));
    const shares: (number | undefined)[] = problems.map(() => undefined);
    const environment = await this.environmentFor(digest);
    const { arms } = await evaluate(problems, {
      arms: ['trained'],
      environment,
      generator,
      adapter,
      prompts,
      schemaFor,
      verifiers,
      maxEntryTokens: entryMaxTokens,
      seed: digest,
      onPrediction: (prediction) => {
        const { problem, entry, answer } = prediction;
        judgedBy[problem] = prediction.judgedBy;
        shares[problem] = prediction.share;
        said[problem] = { ...said[problem]!, entry, answer };
      },
      onProgress: (_arm, done, total) => onProgress(done, total),
    });
    return problems.map(({ domain }, index) => ({
      ...{ domain, solved: arms.trained?.solved[index] ?? null, judgedBy: judgedBy[index]!, said: said[index]! },
      ...(shares[index] === undefined ? {} : { share: shares[index] }),
    }));
  }

  /** @param problems digest of what is measured */
  private async environmentFor(problems: string): Promise<AttemptsOnce> {
    if (this.latest?.problems === problems) return this.latest.environment;
    const { environmentOf, responseMaxTokens } = this.settings;
    const environment = new AttemptsOnce(await environmentOf(responseMaxTokens));
    this.attemptsBefore = this.attempts();
    this.latest = { problems, environment };
    return environment;
  }
}
