/** What judges the answers of comparisons, with the model that SEAM_TRAINER_EXECUTOR_JUDGE_… names. */
import { openVerifiers } from '@seamstream/model-clients';
import type { ServiceContext } from '@seamstream/service-kit';
import type { Verifiers } from '@seamstream/verifiers';
import type { TrainerServiceConfig } from './config.js';
import type { ValidationProblems } from './validation-problems.js';

/** @throws INVALID_CONFIGURATION where a model has to judge a validation problem and none is configured */
export async function comparingVerifiers(
  { config, onClose }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'onClose'>,
  { problems }: ValidationProblems,
): Promise<Verifiers> {
  const verifiers = await openVerifiers(config.trainer.executor.judge, {
    environment: process.env,
    keySetting: 'SEAM_TRAINER_EXECUTOR_JUDGE_KEY_VARIABLE',
  });
  onClose(() => verifiers.close());
  verifiers.assertCanJudge(problems);
  return verifiers;
}
