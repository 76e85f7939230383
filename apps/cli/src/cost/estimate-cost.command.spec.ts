/** On the shipped executor: what is estimated is compared with what a real run took. */
import { fileURLToPath } from 'node:url';
import { loadPrompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor, LanguageModelTraining } from '@seamstream/model-clients';
import type { EstimatedCost } from '@seamstream/operations/cost';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let model: LanguageModel;
let training: LanguageModelTraining;
let world: FakeWorld;
beforeAll(async () => {
  model = await LanguageModel.load(FOLDER, { threads: 1 });
  training = new LanguageModelTraining(FOLDER, model, { threads: 1, executionProvider: 'cpu' });
  const executor = new LanguageModelExecutor(model, { name: 'executor', maxTokens: 24, training });
  world = await fakeWorld();
  world.learner = { executor, prompts: await loadPrompts({ template: 'direct' }), update: UPDATE };
  world.files.set('p.jsonl', Buffer.from(PASSAGES.map((passage) => `${JSON.stringify(passage)}\n`).join('')));
});
afterAll(async () => {
  await training.close();
  await model.close();
});

const estimate = (...options: string[]) => world.seam('cost', 'estimate', 'p.jsonl', ...options);

describe('seam cost estimate', () => {
  it('estimates what further passages really take, for any length', async () => {
    // The machine may be busy with something else for a while: one of three estimates has to hold.
    let error = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 3 && Math.abs(error) > 0.5; attempt++) {
      await estimate('--kind', 'passage', '--calibrate', '3', '--verify', '5', '--json');
      const [{ verified }] = world.takeJson() as [EstimatedCost];
      expect(verified!.passages).toBe(5);
      error = verified!.error;
    }
    expect(Math.abs(error)).toBeLessThan(0.5);
  });

  it('counts the work of all passages, edits and iterations', async () => {
    await estimate('--kind', 'passage', '--iterations', '2', '--edits-per-passage', '3', '--json');
    const [cost] = world.takeJson() as [EstimatedCost];
    const tokens = PASSAGES.map(({ passage }) => model.tokenizer.encodeDocument(passage).length - 1);
    expect(cost.phases.training.units).toBe(2 * 3 * UPDATE.epochs * tokens.reduce((sum, each) => sum + each, 0));
    expect(cost.phases.answering.units).toBe(2 * 3 * PASSAGES.length);
    expect(cost.phases.writing.units).toBe(0);
  });

  it('shows time, its interval, and money', async () => {
    expect(await estimate('--calibrate', '2', '--speed', '40', '--price-per-hour', '2.5')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^writing +\d[\d,]* tokens written/m);
    expect(output).toMatch(/8 passages, 5 edits each, 2 iterations: .* \(95 %: .* … .*, ± .* %\)\./);
    expect(output).toMatch(/At this price: \d+\.\d\d \(/);
  });

  it('refuses to measure more passages than there are', async () => {
    expect(await estimate('--calibrate', '6', '--verify', '3')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least 9 passages to measure, got 8');
    expect(await estimate('--speed', '0')).toBe(2);
  });
});

const FOLDER = fileURLToPath(new URL('../../../../models/executor', import.meta.url));
const UPDATE = innerUpdateSchema.parse({ rank: 8, alpha: 16, epochs: 10, plateau: { patience: 0 } });
/** Of different lengths. */
const PASSAGES = Array.from({ length: 8 }, (_, house) => ({
  passage: `House ${house} is blue.${' Its door is red.'.repeat(1 + ((house * 3) % 8))}`,
  questions: [{ question: `Which colour has house ${house}?`, reference: 'blue' }],
}));
