/** The held-out measurement: the trained generator beside every control, on problems that decided nothing before. */
import type { Problem } from '@seamstream/events';
import type { Adapter } from '@seamstream/language-model';
import {
  type ControlRow,
  type ControlsStudy,
  chooseFixedHints,
  EVALUATION_ARMS,
  studyControls,
} from '@seamstream/rollout';
import type { Host } from './host-services.js';

type Models = Pick<Host, 'generator' | 'executor' | 'prompts' | 'schemaFor' | 'entryMaxTokens'>;

export class MeasureHeldOutHandler {
  constructor(
    private readonly models: Models,
    private readonly onProgress: (activity: string) => void,
  ) {}

  /** Success of one adapter (null: the base model) alone. */
  async successOf(adapter: Adapter | null, problems: readonly Problem[]): Promise<number> {
    const { rows } = await this.study(problems, adapter, ['trained'], 'an adapter');
    return rows.trained?.success ?? 0;
  }

  /** All arms; `validation` serves to choose the fixed hint, so that this control is as strong as it can be. */
  async all(
    adapter: Adapter | null,
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
    adapter: Adapter | null,
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

  private settings(adapter: Adapter | null) {
    const { generator, executor, prompts, schemaFor, entryMaxTokens: maxEntryTokens } = this.models;
    return { generator, executor, prompts, schemaFor, adapter, maxEntryTokens, seed: 'held-out' };
  }
}
