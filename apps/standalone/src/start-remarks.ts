/** What is said at the start and stays on the screen: with what settings one's own problems come to nothing, or to figures that flatter. */
import type { Environment } from '@seamstream/service-kit';
import type { StartOptions } from './config.js';
import { shippedModels } from './embedded-environment.js';
import type { RunFile } from './run-settings.js';

/** Empty on the demonstration's own problems. */
export function remarksOn(
  { settings, test }: Pick<RunFile, 'settings' | 'test'>,
  { drive }: Pick<StartOptions, 'drive'>,
  environment: Environment,
): string[] {
  if (settings.problems === null) return [];
  const { generator, executor } = shippedModels(environment);
  const remarks: string[] = [];
  if (generator || executor)
    remarks.push(
      `the shipped ${generator && executor ? 'models know' : generator ? 'generator knows' : 'executor knows'} only the demonstration's words and will solve next to nothing of yours`,
      `set ${[
        ...(generator ? ['SEAM_GENERATOR_MODEL_FOLDER'] : []),
        ...(executor ? ['SEAM_EXECUTOR_MODEL_FOLDER, or SEAM_EXECUTOR_DRIVER=endpoint and its URL and model'] : []),
      ].join(' and ')} (README, "Your own problems")`,
    );
  if (!executor && (environment.SEAM_EXECUTOR_TEMPLATE ?? 'plain') === 'plain')
    remarks.push(
      "the executor's template is plain, which asks for no form of answer: verifiers may find none in what it says",
      'set SEAM_EXECUTOR_TEMPLATE to deepseek, qwen or one of your own before the first round (docs/how-to/executors.md)',
    );
  if (test === null && drive)
    remarks.push('the report measures on --validation, which decides promotions: too good by a little; give --test');
  return remarks;
}
