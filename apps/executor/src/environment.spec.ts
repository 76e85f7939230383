/** The service with another environment than prompt injection: from an experience to its outcome, and what a log holds of it. */
import { ENVIRONMENTS } from '@seamstream/environments';
import { FakeExecutor, PLAN_FIRST } from '@seamstream/environments/testing';
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent } from '@seamstream/events';
import { entrySchemas, loadPrompts, MEMORY_ITEM_SCHEMA, schemaDigest } from '@seamstream/experience';
import type { RunningService } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS, eventsOf, openLog, until } from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { executorConfigSchema, executorService } from './app.module.js';

let log: EventLog;
beforeEach(async () => {
  log = await openLog();
});

describe('an environment of another kind', () => {
  it('takes experiences to outcomes in its own way, and each outcome has its identity', async () => {
    await start('plan-first');
    const recorded = await outcomesOf(experience('a', 'mind the carry'), experience('b', 'hurry'));
    const byId = new Map(recorded.map((each) => [each.experienceId, each]));
    expect([byId.get('a')!.success, byId.get('b')!.success]).toEqual([true, false]);
    const { prompts } = planner;
    expect(prompts.filter((prompt) => prompt.includes('add ten first')).join()).not.toContain('mind the carry');
    // Both turns count.
    const turns = prompts.filter((prompt) => prompt.includes('What is a?'));
    expect(byId.get('a')!.promptTokens).toBe(turns.join('').length);
    expect(byId.get('a')!.responseTokens).toBe('add ten firstAnswer: 4'.length);
    const { executorTemplate } = await loadPrompts();
    for (const { executor } of recorded) {
      expect(executor).toMatchObject({ model: 'fake', revision: '1', decoding: '{}' });
      expect(executor.template).toMatch(/^plan-first@[0-9a-f]{16}\//);
      expect(executor.template.endsWith(executorTemplate)).toBe(true);
    }
  });

  it('is another executor for a log: neither continues where the other has recorded', async () => {
    await (await start('plan-first')).close();
    await start('plan-first');
    await outcomesOf(experience('a', 'hurry'));
    await expect(start('prompt-injection')).rejects.toMatchObject({ code: 'CONFLICT' });
    await expect(start()).rejects.toThrow(/template: recorded plan-first@/);
    await start('plan-first');
  });

  it('is refused at the start where its name is unknown', async () => {
    const started = start('plan-last');
    await expect(started).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await expect(started).rejects.toThrow(
      'expected one of prompt-injection, inner-lora-update, few-shot-lora-update, plan-first',
    );
  });
});

/** Solves what its plan says, and plans well with the right hint alone. */
const planner = new FakeExecutor((prompt) => {
  if (prompt.startsWith('Plan')) return prompt.includes('mind the carry') ? 'add ten first' : 'guess';
  return prompt.includes('add ten first') ? 'Answer: 4' : 'Answer: 5';
});

function start(environment?: string): Promise<RunningService> {
  const { domain } = EXAMPLE_EVENTS.ExperienceGenerated.problem;
  const assets = {
    executor: planner,
    environments: { ...ENVIRONMENTS, 'plan-first': PLAN_FIRST },
    schemaFor: entrySchemas({ [domain]: MEMORY_ITEM_SCHEMA }),
  };
  const executor = environment === undefined ? {} : { environment };
  const config = executorConfigSchema.parse({ logging: { level: 'silent' }, executor });
  return startForTest(executorService(assets), { config, log });
}

async function outcomesOf(...experiences: readonly EventOf<'ExperienceGenerated'>[]) {
  await log.append(experiences.map(encodeEvent));
  await until(async () => (await eventsOf(log, 'OutcomeRecorded')).length === experiences.length, 'all outcomes');
  return eventsOf(log, 'OutcomeRecorded');
}

function experience(id: string, hint: string): EventOf<'ExperienceGenerated'> {
  const { meta, problem, ...rest } = EXAMPLE_EVENTS.ExperienceGenerated;
  const verifier = { kind: 'exact', version: '1', options: {} };
  return {
    ...rest,
    meta: { ...meta, messageId: `event-${id}` },
    problem: { ...problem, problemId: id, prompt: `What is ${id}?`, reference: '4', verifier },
    attemptId: null,
    experienceId: id,
    entry: JSON.stringify({ memory_item: hint }),
    entrySchema: schemaDigest(MEMORY_ITEM_SCHEMA),
  };
}
