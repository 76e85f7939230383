/** The held-out measurement: the trained generator and every control, on problems that decided nothing before. */

import { answerOnce } from '@seamstream/environments';
import {
  type ArmResult,
  type ControlRow,
  type ControlsStudy,
  chooseFixedHints,
  EVALUATION_ARMS,
  studyControls,
} from '@seamstream/evaluation';
import type { Problem } from '@seamstream/events';
import { generateExperiences, judge, type Served } from '@seamstream/rollout';
import type { Host } from './host-services.js';
import type { Example } from './report/report.types.js';

type Models = Pick<Host, 'generator' | 'environment' | 'prompts' | 'schemaFor' | 'entryMaxTokens'>;

export class MeasureHeldOutHandler {
  constructor(
    private readonly models: Models,
    private readonly onProgress: (activity: string) => void,
  ) {}

  /**
   * One adapter (null: the base model) alone.
   * @param what for the line that reports its progress
   */
  async resultOf(adapter: Served | null, problems: readonly Problem[], what: string): Promise<ArmResult> {
    const { rows } = await this.study(problems, adapter, ['trained'], what);
    return rows.trained!;
  }

  /** The first problem that the executor fails alone and solves with the adapter's entry, asked again; null where there is none. */
  async example(adapter: Served | null, problems: readonly Problem[], study: ControlsStudy): Promise<Example | null> {
    const { trained, noExperience } = study.rows;
    const at = problems.findIndex((_, i) => trained?.solved[i] === true && noExperience?.solved[i] === false);
    const problem = problems[at];
    if (problem === undefined) return null;
    const entries = [null, await this.entry(null, problem), await this.entry(adapter, problem)];
    const answers = await answerOnce(
      this.models.environment,
      entries.map((entry) => ({ problem, entry, seed: problem.problemId })),
    );
    const [without, untrained, withEntry] = answers.map((answer) => (answer.status === 'answered' ? answer : null));
    const own = entries[2];
    if (without == null || withEntry == null || own == null) return null;
    return {
      domain: problem.domain,
      prompt: problem.prompt,
      reference: problem.reference ?? '',
      without: { response: without.text },
      untrained:
        untrained == null || entries[1] == null
          ? null
          : { entry: entries[1], response: untrained.text, solved: (await judge(problem, untrained)).success },
      trained: { entry: own, response: withEntry.text },
    };
  }

  /** Written greedily, as in an evaluation; null where none could be. */
  private async entry(adapter: Served | null, problem: Problem): Promise<string | null> {
    const { generator, prompts, schemaFor, entryMaxTokens: maxTokens } = this.models;
    const [written] = await generateExperiences([{ eventId: problem.problemId, problem }], {
      model: generator,
      adapter,
      prompts,
      groupSize: 1,
      sampling: { temperature: 0, topK: 0, topP: 1, maxTokens },
      schemaFor: (domain) => schemaFor(domain),
    });
    return written?.status === 'explored' ? (written.candidates[0]?.entry ?? null) : null;
  }

  /** All arms; `validation` serves to choose the fixed hint, so that this control is as strong as it can be. */
  async all(
    adapter: Served | null,
    problems: readonly Problem[],
    validation: readonly Problem[],
  ): Promise<ControlsStudy> {
    const hints = await chooseFixedHints(validation, {
      ...this.settings(adapter),
      onProgress: (domain, done, total) => this.onProgress(`measuring fixed hints of ${domain} ${done}/${total}`),
    });
    return this.study(
      problems,
      adapter,
      EVALUATION_ARMS,
      'held-out problems',
      (domain) => hints.get(domain) ?? this.models.prompts.fixedHint,
    );
  }

  private async study(
    problems: readonly Problem[],
    adapter: Served | null,
    rows: readonly ControlRow[],
    what: string,
    fixedHint?: (domain: string) => string,
  ): Promise<ControlsStudy> {
    return studyControls(problems, {
      ...this.settings(adapter),
      rows,
      // No row of the demonstration's report solves without an executor.
      maxAloneTokens: this.models.entryMaxTokens,
      nowMs: () => performance.now(),
      ...(fixedHint === undefined ? {} : { fixedHint }),
      onProgress: (row, done, total) => this.onProgress(`measuring ${what}: ${row} ${done}/${total}`),
    });
  }

  private settings(adapter: Served | null) {
    const { generator, environment, prompts, schemaFor, entryMaxTokens: maxEntryTokens } = this.models;
    return { generator, environment, prompts, schemaFor, adapter, maxEntryTokens, seed: 'held-out' };
  }
}
