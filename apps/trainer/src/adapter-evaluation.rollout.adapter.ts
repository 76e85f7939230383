import type { Problem } from '@seamstream/events';
import type { EntrySchemas, Prompts } from '@seamstream/experience';
import type { Adapter } from '@seamstream/language-model';
import { type ExecutorModel, evaluate, type GeneratorModel, problemSetDigest } from '@seamstream/rollout';
import { AdapterEvaluation, type MeasuredSuccess } from './adapter-evaluation.port.js';

export interface RolloutEvaluationSettings {
  readonly generator: GeneratorModel;
  readonly executor: ExecutorModel;
  readonly prompts: Prompts;
  readonly schemaFor: EntrySchemas;
  readonly entryMaxTokens: number;
  /** What events call the set. */
  readonly problemSet: string;
  readonly problems: readonly Problem[];
}

/** Asks generator and executor greedily for every problem of the set whose domain has appeared. */
export class RolloutEvaluation extends AdapterEvaluation {
  constructor(private readonly settings: RolloutEvaluationSettings) {
    super();
  }

  override problemSetFor(domains: readonly string[]): {
    readonly problemSet: string;
    readonly problemSetDigest: string;
  } {
    return { problemSet: this.settings.problemSet, problemSetDigest: problemSetDigest(this.problemsOf(domains)) };
  }

  override async measure(
    adapter: Adapter | null,
    domains: readonly string[],
    onProgress: (done: number, total: number) => void,
  ): Promise<MeasuredSuccess> {
    const problems = this.problemsOf(domains);
    const name = this.problemSetFor(domains);
    if (problems.length === 0) return { ...name, problems: 0, success: 0, perDomain: {} };
    const { generator, executor, prompts, schemaFor, entryMaxTokens } = this.settings;
    const { arms } = await evaluate(problems, {
      arms: ['trained'],
      executor,
      generator,
      adapter,
      prompts,
      schemaFor,
      maxEntryTokens: entryMaxTokens,
      seed: name.problemSetDigest,
      onProgress: (_arm, done, total) => onProgress(done, total),
    });
    const { trained } = arms;
    return {
      ...name,
      // A problem that could not be judged counts in no rate.
      problems: trained?.problems ?? 0,
      success: trained?.success ?? 0,
      perDomain: Object.fromEntries(
        Object.entries(trained?.perDomain ?? {}).map(([domain, { success }]) => [domain, success]),
      ),
    };
  }

  private problemsOf(domains: readonly string[]): readonly Problem[] {
    return this.settings.problems.filter(({ domain }) => domains.includes(domain));
  }
}
