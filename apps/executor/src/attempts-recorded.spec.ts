/** Attempts that are trainings: each is in the log as soon as it is finished. */
import { TellingExecutor } from '@seamstream/environments/testing';
import { type EventOf, encodeEvent } from '@seamstream/events';
import { editEntry } from '@seamstream/experience';
import { passagePrompt } from '@seamstream/tasks';
import { EXAMPLE_EVENTS, eventsOf, openLog, until } from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { type ExecutorConfig, executorConfigSchema, executorService } from './app.module.js';

const configOf = (executor: Partial<ExecutorConfig['executor']> = {}): ExecutorConfig =>
  executorConfigSchema.parse({
    ...{ logging: { level: 'silent' }, entrySchemas: 'self-edit/implications' },
    executor: { environment: 'inner-lora-update', ...executor },
  });

describe('attempts that train', () => {
  it('are recorded one by one: a process that ends repeats the one that was under way, and no other', async () => {
    const log = await openLog();
    const outcomes = (): Promise<readonly unknown[]> => eventsOf(log, 'OutcomeRecorded');
    const ending = new TellingExecutor();
    ending.waits = true;
    const service = await startForTest(executorService({ executor: ending }), { config: configOf(), log });
    // Several of one partition, and several partitions.
    const edits = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, at) => written(name, `passage-${at % 2}`));
    await log.append(edits.map(encodeEvent));
    for (let finished = 1; finished <= 4; finished++) {
      await until(() => ending.trained.length === finished && ending.atOnce === 1, 'a training');
      await ending.finishOne();
      await until(async () => (await outcomes()).length === finished, 'its outcome');
    }
    await until(() => ending.trained.length === 5, 'the training that is under way');
    await service.close();
    const next = new TellingExecutor();
    await startForTest(executorService({ executor: next }), { config: configOf(), log });
    await until(async () => (await outcomes()).length === edits.length, 'all outcomes');
    expect(next.trained).toHaveLength(2);
    expect(ending.trained).toHaveLength(5);
  });

  it('are as many at once as the setting says, of different partitions', async () => {
    const log = await openLog();
    const executor = new TellingExecutor();
    executor.waits = true;
    await startForTest(executorService({ executor }), { config: configOf({ attemptsAtOnce: 2 }), log });
    await log.append(Array.from({ length: 24 }, (_, at) => encodeEvent(written(`${at}`, `passage-${at}`))));
    let most = 0;
    const recorded = async (): Promise<boolean> => {
      most = Math.max(most, executor.atOnce);
      await executor.finishOne();
      return (await eventsOf(log, 'OutcomeRecorded')).length === 24;
    };
    // While nothing is known of the speed, one is begun alone.
    await until(() => executor.atOnce > 0, 'a training');
    await executor.finishOne();
    await until(() => executor.atOnce === 2, 'two trainings');
    await until(recorded, 'all outcomes');
    expect(most).toBe(2);
  });
});

function written(id: string, problemId: string): EventOf<'ExperienceGenerated'> {
  const { meta, problem, ...rest } = EXAMPLE_EVENTS.ExperienceGenerated;
  const questions = [{ question: 'Who wrote?', reference: null, alternatives: [] }];
  const prompt = passagePrompt({ kind: 'passage', title: null, passage: `Ada wrote for ${problemId}.`, questions });
  const verifier = { kind: 'exact', version: '1', options: {} };
  return {
    ...rest,
    ...{ meta: { ...meta, messageId: `event-${id}` }, attemptId: null, experienceId: id },
    ...{ entry: editEntry(`Ada wrote ${id}.`), problem: { ...problem, problemId, prompt, reference: 'Ada', verifier } },
  };
}
