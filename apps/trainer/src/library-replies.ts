/** The replies that bring libraries on: recorded ones, and those of the configured model. */
import { LIBRARY_METHOD } from '@seamstream/events';
import { systemClock } from '@seamstream/kernel';
import { learningSettings } from '@seamstream/learning';
import { openDistillation } from '@seamstream/model-clients';
import type { ServiceContext } from '@seamstream/service-kit';
import { distillationSettingsSchema, LIBRARY_RECIPES, RecordedReplies } from '@seamstream/training-runs';
import type { TrainerConfig, TrainerServiceConfig } from './config.js';

/**
 * @param checks `start`: a process that is there to ask a checkpoint shows that it can. `run`: the run shows it, since a person's command
 *   may also do a run again from its recorded replies, without any model
 * @throws INVALID_CONFIGURATION; CHECKPOINT_INVALID, UNSUPPORTED_MODEL for the folder
 */
export async function repliesOf(
  {
    config: { trainer },
    drivers: { log },
    onClose,
  }: Pick<ServiceContext<TrainerServiceConfig>, 'config' | 'drivers' | 'onClose'>,
  checks: 'start' | 'run',
): Promise<RecordedReplies> {
  const { distillation } = trainer;
  const isNeeded = asksModel(trainer);
  if (!isNeeded && distillation.url === undefined && distillation.modelFolder === undefined)
    return new RecordedReplies({ log, clock: systemClock, client: undefined });
  const client = openDistillation(distillation, process.env, trainer);
  onClose(() => client.close());
  if (isNeeded && checks === 'start') {
    const { llm } = learningSettings(trainer, LIBRARY_RECIPES).algorithms;
    await client.prepare(distillationSettingsSchema.parse(llm));
  }
  return new RecordedReplies({ log, clock: systemClock, client });
}

/** Whether this process is there to bring libraries on by a model. */
function asksModel({ method, algorithm, roles }: TrainerConfig): boolean {
  return method === LIBRARY_METHOD && algorithm === 'llm' && roles.includes('worker');
}
