/** The held-out measurement: the trained generator beside every control, on problems that decided nothing before. */
import type { Problem } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';
import { type EvaluationArm, type EvaluationResult, evaluate, generateExperiences } from '@seamstream/rollout';
import type { Host } from './host-services.js';

type Models = Pick<Host, 'generator' | 'executor' | 'prompts' | 'schemaFor' | 'entryMaxTokens'>;

/** Fixed hints tried per domain, and validation problems each is tried on. */
const HINTS_TRIED = 3;
const HINT_PROBLEMS = 12;

export class MeasureHeldOutHandler {
  constructor(
    private readonly models: Models,
    private readonly onProgress: (activity: string) => void,
  ) {}

  /** Success of one adapter (null: the base model) alone. */
  async successOf(adapter: Adapter | null, problems: readonly Problem[]): Promise<number> {
    const { arms } = await this.evaluate(problems, adapter, ['trained'], 'an adapter');
    return arms.trained?.success ?? 0;
  }

  /** All arms; `validation` serves to choose the fixed hint, so that this control is as strong as it can be. */
  async all(
    adapter: Adapter | null,
    problems: readonly Problem[],
    validation: readonly Problem[],
  ): Promise<EvaluationResult> {
    const hints = await this.bestHints(adapter, validation);
    return this.evaluate(
      problems,
      adapter,
      ['noExperience', 'wrapperOnly', 'fixedHint', 'otherProblemsEntry', 'untrained', 'trained'],
      'held-out problems',
      (domain) => hints.get(domain) ?? this.models.prompts.fixedHint,
    );
  }

  private async evaluate(
    problems: readonly Problem[],
    adapter: Adapter | null,
    arms: readonly EvaluationArm[],
    what: string,
    fixedHint?: (domain: string) => string,
  ): Promise<EvaluationResult> {
    const { generator, executor, prompts, schemaFor, entryMaxTokens } = this.models;
    return evaluate(problems, {
      arms,
      generator,
      executor,
      prompts,
      schemaFor,
      adapter,
      maxEntryTokens: entryMaxTokens,
      seed: 'held-out',
      ...(fixedHint === undefined ? {} : { fixedHint }),
      onProgress: (arm, done, total) => this.onProgress(`measuring ${what}: ${arm} ${done}/${total}`),
    });
  }

  /** Per domain the entry, out of a few that the trained generator wrote, that solves most validation problems as it stands. */
  private async bestHints(
    adapter: Adapter | null,
    validation: readonly Problem[],
  ): Promise<ReadonlyMap<string, string>> {
    const best = new Map<string, string>();
    for (const [domain, problems] of Map.groupBy(validation, (problem) => problem.domain)) {
      const written = await generateExperiences(
        problems.slice(0, HINTS_TRIED).map((problem) => ({ eventId: problem.problemId, problem })),
        {
          model: this.models.generator,
          adapter,
          prompts: this.models.prompts,
          groupSize: 1,
          sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: this.models.entryMaxTokens },
          schemaFor: (name) => this.models.schemaFor(name),
        },
      );
      let highest = -1;
      for (const exploration of written) {
        const hint = exploration.status === 'explored' ? exploration.candidates[0]?.entry : undefined;
        if (hint === undefined) continue;
        const { arms } = await this.evaluate(
          problems.slice(-HINT_PROBLEMS),
          adapter,
          ['fixedHint'],
          `fixed hints of ${domain}`,
          () => hint,
        );
        const success = arms.fixedHint?.success ?? 0;
        if (success > highest) {
          highest = success;
          best.set(domain, hint);
        }
      }
    }
    return best;
  }
}
