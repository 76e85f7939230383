import { fileURLToPath } from 'node:url';
import { entryText, groundedSchema, isFaithful, loadPrompts, type Prompts } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import type { JsonSchema } from '@seamstream/token-grammar';
import { ATTRIBUTES } from './attributes.js';
import { followCustom, followPlan, type PlanEntry, planSchemaFor, randomPlan, rightEntry, stepsOf } from './entries.js';
import { CUSTOM, drawWorld, NAMES } from './lore.js';
import { DIAL, KINDS, operatorsOf } from './operators.js';
import { attributeProblems } from './problems.js';

const folder = (name: string): string => fileURLToPath(new URL(`../../../models/attributes/${name}`, import.meta.url));
const WORLD = drawWorld('shipped', 'strange');
const PROBLEMS = attributeProblems({ world: WORLD, seed: 'shipped', split: 'newWords', count: 90 });

/** A change of the world needs new models; this spec reports it. */
describe('the shipped models of the world of attributes', () => {
  const models: Record<string, LanguageModel> = {};
  let prompts: Prompts;
  beforeAll(async () => {
    prompts = await loadPrompts();
    for (const name of ['executor', 'other-executor', 'generator-base'])
      models[name] = await LanguageModel.load(folder(name), { threads: 1 });
  });
  afterAll(() => Promise.all(Object.values(models).map((model) => model.close())));

  async function written(name: string, texts: readonly string[], temperature: number, schemas?: readonly JsonSchema[]) {
    const model = models[name]!;
    const results = await model.generate(
      texts.map((text, index) => ({
        promptTokenIds: model.tokenizer.encode(text),
        seeds: [`shipped ${index}`],
        sampling: { temperature, topK: 0, topP: 1, maxTokens: 96 },
        ...(schemas === undefined ? {} : { schema: schemas[index]! }),
      })),
    );
    return results.map(([one]) => model.tokenizer.decode(one!.tokenIds));
  }

  it('have one tokenizer, in which every word of the world is one token', () => {
    const { executor, 'generator-base': generator } = models;
    expect(executor!.tokenizer.digest).toBe(generator!.tokenizer.digest);
    const numbers = Array.from({ length: DIAL }, (_, number) => String(number));
    const words = [...NAMES, ...Object.values(ATTRIBUTES).flat(), ...KINDS.flatMap(operatorsOf), ...numbers];
    expect(words.filter((word) => executor!.tokenizer.encode(` ${word}`).length !== 1)).toEqual([]);
  });

  it.each(['executor', 'other-executor'])(
    'the %s obeys an entry to the letter, right or wrong, its own or of another statement',
    async (name) => {
      const entries = PROBLEMS.map((_, index) => {
        const read = PROBLEMS[index % 2 === 0 ? index : (index + 1) % PROBLEMS.length]!;
        return { entry: randomPlan(read, Random.of('obeyed', index)), schema: planSchemaFor(read.domain)! };
      });
      const asked = PROBLEMS.map(({ prompt }, i) =>
        prompts.executor(prompt, entryText(entries[i]!.entry, entries[i]!.schema)),
      );
      const responses = await written(name, asked, 0);
      const obedient = PROBLEMS.filter((problem, i) => responses[i] === followPlan(problem, entries[i]!.entry));
      expect(obedient.length / PROBLEMS.length).toBeGreaterThanOrEqual(0.97);
    },
  );

  it('the executor follows custom without an entry, with no slot, an empty one or a hint', async () => {
    const slots: readonly ((problem: string) => string)[] = [
      (problem) => prompts.executor(problem, null),
      (problem) => prompts.wrapperOnly(problem),
      (problem) => prompts.executor(problem, prompts.fixedHint),
    ];
    for (const slot of slots) {
      const responses = await written(
        'executor',
        PROBLEMS.map(({ prompt }) => slot(prompt)),
        0,
      );
      const usual = PROBLEMS.filter((problem, i) => responses[i] === followCustom(problem));
      expect(usual.length / PROBLEMS.length).toBeGreaterThanOrEqual(0.95);
    }
  });

  it('the generator base reads statements with new words rightly, and knows neither lore nor custom', async () => {
    const schemas = PROBLEMS.map(({ domain }) => planSchemaFor(domain)!);
    const asked = PROBLEMS.map(({ prompt }) => prompts.generator(prompt));
    const entries = await written('generator-base', asked, 1, schemas);
    const plans = entries.map((text) => stepsOf(JSON.parse(text) as PlanEntry));
    const right = PROBLEMS.map((problem) => stepsOf(rightEntry(problem, WORLD)));
    const reads = plans.filter((plan, i) => plan.every(({ value }, at) => value === right[i]![at]!.value));
    expect(reads.length / plans.length).toBeGreaterThanOrEqual(0.97);
    const steps = plans.flat();
    for (const lore of [WORLD.lore, CUSTOM]) {
      const asLore = steps.filter(({ value, operator }) => lore.get(value) === operator).length / steps.length;
      // A third by chance; 390 steps.
      expect(Math.abs(asLore - 1 / 3)).toBeLessThan(0.09);
    }
  });

  it('the generator base can write nothing but true quotes under what a problem leaves of its schema', async () => {
    const schemas = PROBLEMS.map(({ domain, prompt }) => groundedSchema(planSchemaFor(domain)!, prompt));
    // Hot, so that it would misquote wherever it may.
    const asked = PROBLEMS.map(({ prompt }) => prompts.generator(prompt));
    const entries = await written('generator-base', asked, 3, schemas);
    const misquotes = PROBLEMS.filter(
      ({ domain, prompt }, i) => isFaithful(entries[i]!, planSchemaFor(domain)!, prompt) !== true,
    );
    expect(misquotes.map(({ prompt }) => prompt)).toEqual([]);
  });
});
