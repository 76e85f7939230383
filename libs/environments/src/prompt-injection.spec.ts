import { loadPrompts, type Prompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { canonicalJson } from '@seamstream/kernel';
import { answerOnce } from './answer-once.js';
import { describeEnvironment } from './environment.contract.js';
import { ENVIRONMENTS, environmentKind, openEnvironment } from './environments.js';
import { FakeExecutor } from './executor-model.fake.js';
import { PromptInjection } from './prompt-injection.js';
import { repeatedAnswers } from './repeated-answers.js';

describeEnvironment('prompt-injection', environmentKind('prompt-injection'), { isDefault: true });

describe('prompt injection', () => {
  let prompts: Prompts;
  beforeAll(async () => {
    prompts = await loadPrompts();
  });
  const problem = { problemId: 'p', domain: 'd', prompt: 'Number 1 asks for ash.' };

  it('asks with the entry in its slot, with an empty slot or without one', async () => {
    const executor = new FakeExecutor(() => 'Answer: 1');
    await answerOnce(
      new PromptInjection(executor, prompts),
      ['{"a":"b"}', '', null].map((entry) => ({ problem, entry, seed: 's' })),
    );
    expect(executor.prompts).toEqual([
      `${problem.prompt}\nExperience:\n{"a":"b"}\nSolution:`,
      `${problem.prompt}\nExperience:\n\nSolution:`,
      `${problem.prompt}\nSolution:`,
    ]);
  });

  it('marks the part of a response that the template asked to hold the answer', async () => {
    const executor = new FakeExecutor(() => 'Answer: secret1? No.\n<answer>secret2</answer> or Answer: secret3');
    const judged = await Promise.all(
      ['plain', 'qwen', 'deepseek'].map(async (template) => {
        const environment = new PromptInjection(executor, await loadPrompts({ template }));
        const [answer] = await answerOnce(environment, [{ problem, entry: null, seed: 's' }]);
        return answer!.status === 'answered' ? answer!.judged : null;
      }),
    );
    expect(judged).toEqual([
      expect.stringMatching(/Answer: secret3$/),
      'Answer: secret2',
      expect.not.stringMatching(/secret2/),
    ]);
  });

  it('is recorded as the releases before it have it: the model and its templates, and nothing else', () => {
    const executor = new FakeExecutor(() => '');
    expect(canonicalJson({ ...new PromptInjection(executor, prompts).identity })).toBe(
      canonicalJson({ model: 'fake', revision: '1', decoding: '{}', template: prompts.executorTemplate }),
    );
    const repeated = repeatedAnswers(new PromptInjection(executor, prompts), {
      rollouts: 4,
      temperature: 0.7,
      topP: 0.9,
    });
    expect(repeated.identity).toEqual({
      model: 'fake',
      revision: '1',
      decoding: canonicalJson({ answer: '{}', rollouts: 4, temperature: 0.7, topP: 0.9 }),
      template: prompts.executorTemplate,
    });
  });

  it('answers several times by seeds of the entry, regardless of the other requests', async () => {
    const settings = { rollouts: 4, temperature: 0.7, topP: 0.9 };
    const environment = repeatedAnswers(new PromptInjection(new FakeExecutor((_, seed) => seed), prompts), settings);
    const asked = (ids: readonly string[]) =>
      environment.attempt(ids.map((id) => ({ problem, entry: '{}', seeds: [id] })));
    const [alone] = await asked(['x']);
    expect(alone!.map((answer) => (answer.status === 'answered' ? answer.text : ''))).toEqual([
      ...['x/rollout/0', 'x/rollout/1', 'x/rollout/2', 'x/rollout/3'],
    ]);
    expect((await asked(['w', 'x']))[1]).toEqual(alone);
  });

  it('needs an executor that can draw for several answers', () => {
    const { identity } = new FakeExecutor(() => '');
    const greedy = new PromptInjection({ identity, answer: () => Promise.resolve([]) }, prompts);
    expect(() => repeatedAnswers(greedy, { rollouts: 2, temperature: 1, topP: 1 })).toThrow(
      /got fake, which answers greedily/,
    );
  });

  it('is chosen by its name; an unknown name is refused with those that are known', () => {
    const choiceOf = (environment: string) => ({ environment, innerUpdate: innerUpdateSchema.parse({}) });
    const executor = new FakeExecutor(() => '');
    expect(openEnvironment(choiceOf('prompt-injection'), executor, prompts)).toBeInstanceOf(PromptInjection);
    for (const name of ['promptinjection', 'constructor', '__proto__', ''])
      expect(() => openEnvironment(choiceOf(name), executor, prompts)).toThrow(
        `Cannot open environment "${name}": expected one of ${Object.keys(ENVIRONMENTS).join(', ')}.`,
      );
  });
});
