import { loadPrompts } from '@seamstream/experience';
import fc from 'fast-check';
import { AttemptsOnce } from './attempts-once.js';
import type { AttemptRequest } from './environment.port.js';
import { FakeExecutor } from './executor-model.fake.js';
import { PromptInjection } from './prompt-injection.js';

const requests = fc.array(
  fc.record({
    problem: fc.nat(3).map((n) => ({ problemId: `p${n}`, domain: 'd', prompt: `Number ${n} asks.` })),
    entry: fc.constantFrom(null, '', '{"a":"b"}', '{"a":"c"}'),
    seeds: fc.constantFrom(['s'], ['s', 't']),
  }),
);

describe('attempts that are made once', () => {
  it('are those that the environment makes, and each is made one time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(requests, { maxLength: 4 }), async (calls) => {
        const { environment, once, executor } = await over((prompt) => `Answer: ${prompt.length}`);
        for (const call of calls) expect(await once.attempt(call)).toEqual(await environment.attempt(call));
        const different = new Set(calls.flat().map((request) => JSON.stringify(request)));
        expect(once.made).toBe(different.size);
        const seeds = [...different].map((text) => (JSON.parse(text) as AttemptRequest).seeds.length);
        expect(executor.prompts).toHaveLength(seeds.reduce((sum, each) => sum + each, 0));
      }),
    );
  });

  it('are others where their answers may have fewer tokens, drawn ones too', async () => {
    const { environment, once } = await over(() => 'Answer: 1');
    const request = { problem: { problemId: 'p', domain: 'd', prompt: 'Which?' }, entry: null, seeds: ['s'] };
    for (const asked of [once, environment.drawn({ temperature: 1, topP: 1 })!])
      for (const [mostTokens, text] of [[3, 'Ans'] as const, [undefined, 'Answer: 1'] as const, [3, 'Ans'] as const])
        expect(await asked.attempt([request], { mostTokens })).toMatchObject([[{ text }]]);
  });

  it('are made again where they failed', async () => {
    let isDown = true;
    const { once } = await over(() =>
      isDown ? { status: 'failed', code: 'ENDPOINT_UNAVAILABLE', reason: 'It is down.', retryable: true } : 'Answer: 1',
    );
    const request = { problem: { problemId: 'p', domain: 'd', prompt: 'Which?' }, entry: null, seeds: ['s'] };
    expect(await once.attempt([request, request])).toMatchObject([[{ status: 'failed' }], [{ status: 'failed' }]]);
    isDown = false;
    expect(await once.attempt([request])).toMatchObject([[{ status: 'answered' }]]);
  });

  it('are apart where an examination measures something else', async () => {
    const { once } = await over(() => 'Answer: 1');
    const request = { problem: { problemId: 'p', domain: 'd', prompt: 'Which?' }, entry: null, seeds: ['s'] };
    const examined = { ...request, examination: { id: 'loss', figures: () => Promise.resolve({}) } };
    await once.attempt([request]);
    await once.attempt([examined]);
    expect(once.made).toBe(2);
  });
});

async function over(rule: ConstructorParameters<typeof FakeExecutor>[0]) {
  const prompts = await loadPrompts();
  const executor = new FakeExecutor(rule);
  const environment = new PromptInjection(new FakeExecutor(rule), prompts);
  return { executor, environment, once: new AttemptsOnce(new PromptInjection(executor, prompts)) };
}
