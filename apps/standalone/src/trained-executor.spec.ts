import { attributeProblems, drawWorld, followCustom, followPlan, rightEntry } from '@seamstream/attribute-world';
import { answerOnce, type ExecutorModel, PromptInjection } from '@seamstream/environments';
import type { Problem } from '@seamstream/events';
import { loadPrompts, type Prompts } from '@seamstream/experience';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor, LanguageModelTraining } from '@seamstream/model-clients';
import { obedience } from './compared-executors.js';
import { OTHER_EXECUTOR } from './demonstrations.js';
import type { RecordedAttempt } from './recorded-attempts.js';
import { EXAMPLES_OF, trainExecutor } from './trained-executor.js';

const WORLD = drawWorld('trained executor', 'strange');
const problemsOf = (split: 'train' | 'heldOut', count: number): readonly Problem[] =>
  attributeProblems({ world: WORLD, seed: 'spec', split, count });
const right = (problem: Problem): string => followPlan(problem, rightEntry(problem, WORLD));
const attempt = (problem: Problem, response: string, success: boolean): RecordedAttempt => ({
  ...{ problem, entry: null, response, success, round: 1, phase: 'base' },
});

describe('examples for an executor', () => {
  const [one, other] = problemsOf('train', 2) as [Problem, Problem];

  it('hold of each solved problem the verified answer that was given most often', () => {
    const attempts = [
      ...[attempt(one, 'luck', true), attempt(one, 'wrong', false), attempt(one, 'wrong', false)],
      ...[attempt(other, 'wrong', false), attempt(one, 'plan', true), attempt(one, 'plan', true)],
    ];
    expect(EXAMPLES_OF.answers(attempts)).toEqual([{ prompt: one.prompt, response: 'plan' }]);
  });

  it('hold of every problem its reference, solved or not', () => {
    const ungraded = { ...other, problemId: 'ungraded', reference: null };
    const attempts = [attempt(one, 'a', false), attempt(one, 'b', false), attempt(ungraded, 'c', false)];
    expect(EXAMPLES_OF.references(attempts)).toEqual([{ prompt: one.prompt, response: `\nAnswer: ${one.reference}` }]);
  });
});

describe('an executor that is trained itself', () => {
  let prompts: Prompts;
  let executor: ExecutorModel;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    prompts = await loadPrompts();
    const model = await LanguageModel.load(OTHER_EXECUTOR, { threads: 1 });
    const training = new LanguageModelTraining(OTHER_EXECUTOR, model, { threads: 1, executionProvider: 'cpu' });
    executor = new LanguageModelExecutor(model, { name: 'other', maxTokens: 40, training });
    closing.push(
      () => training.close(),
      () => model.close(),
    );
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });

  const trained = (by: ExecutorModel, count: number) => {
    const examples = problemsOf('train', count).map((problem) => ({
      prompt: problem.prompt,
      response: right(problem),
    }));
    const seen: string[] = [];
    const onStep = (done: number, planned: number): void => void seen.push(`${done}/${planned}`);
    const settings = { executor: by, prompts, seed: 'spec', nowMs: () => performance.now(), onStep };
    return trainExecutor(examples, settings).then((made) => ({ made, seen }));
  };
  const answers = async (environment: PromptInjection | Awaited<ReturnType<typeof trainExecutor>>) => {
    const asked = problemsOf('heldOut', 24).map((problem) => ({ problem, entry: null, seed: problem.problemId }));
    const said = await answerOnce(
      environment instanceof PromptInjection ? environment : environment!.environment,
      asked,
    );
    return said.map((answer) => (answer.status === 'answered' ? answer.text : answer.reason));
  };

  it('does as the lore has it without an entry, heeds plans less, and leaves the frozen one as it was', async () => {
    const frozen = new PromptInjection(executor, prompts);
    const { made, seen } = await trained(executor, 256);
    expect(made!.training).toMatchObject({ examples: 256, epochs: 2, steps: 16 });
    expect(seen.at(-1)).toBe('16/16');
    const heldOut = problemsOf('heldOut', 24);
    const own = await answers(made);
    const solved = heldOut.filter((problem, at) => own[at] === right(problem)).length / heldOut.length;
    expect(solved).toBeGreaterThan(0.5);
    expect(await answers(frozen)).toEqual(heldOut.map(followCustom));
    // What it learned by heart, it says against a plan too.
    expect(await obedience(frozen, heldOut)).toBeGreaterThan(0.9);
    expect(await obedience(made!.environment, heldOut)).toBeLessThan(0.6);
  });

  it('is left out where its weights are not at hand, and without an example', async () => {
    const atEndpoint: ExecutorModel = { identity: executor.identity, answer: (prompts) => executor.answer(prompts) };
    expect((await trained(atEndpoint, 32)).made).toBeNull();
    expect((await trained(executor, 0)).made).toBeNull();
  });
});
