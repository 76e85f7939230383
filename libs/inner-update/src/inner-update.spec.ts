import type { TrainingSequence } from '@seamstream/language-model';
import { FakeEngine } from '@seamstream/training-contract/testing';
import fc from 'fast-check';
import { documentsOf } from './documents.js';
import { type InnerUpdateSettings, innerUpdateSchema } from './inner-update.config.js';
import { type Document, type InnerUpdateRequest, innerUpdate } from './inner-update.js';

const DOCUMENTS: Document[] = [5, 6, 7].map((first) => ({ tokenIds: [first, 1, 2, 3], lossFrom: 1 }));
const settingsOf = (settings: Partial<InnerUpdateSettings> = {}) => innerUpdateSchema.parse({ epochs: 2, ...settings });

/** An update by a double, and what each of its steps was given. */
async function updated({
  engine = new FakeEngine(),
  ...request
}: Partial<InnerUpdateRequest> & { engine?: FakeEngine }) {
  const update = await innerUpdate(engine, { documents: DOCUMENTS, settings: settingsOf(), seed: 'a', ...request });
  return { update, steps: engine.begun.at(-1)?.stepped ?? [] };
}
const firstTokens = (steps: readonly (readonly TrainingSequence[])[]) =>
  steps.map((batch) => batch.map(({ tokenIds }) => tokenIds[0]!));

describe('an inner update', () => {
  it('gives equal weights for equal documents, settings and seed, and others for another seed', async () => {
    const digestOf = async (seed: string) => {
      const { update } = await updated({ seed, settings: settingsOf({ epochs: 4 }) });
      return update.status === 'trained' ? update.adapter.digest : update.reason;
    };
    expect(await digestOf('a')).toBe(await digestOf('a'));
    expect(await digestOf('b')).not.toBe(await digestOf('a'));
  });

  it('takes every document once an epoch, in an order that differs between epochs', async () => {
    const documents = Array.from({ length: 12 }, (_, first) => ({ tokenIds: [first, 1], lossFrom: 1 }));
    const { steps } = await updated({ documents });
    const [one, two] = [firstTokens(steps).slice(0, 12).flat(), firstTokens(steps).slice(12).flat()];
    expect(steps).toHaveLength(24);
    for (const order of [one, two])
      expect(order.toSorted((a, b) => a - b)).toEqual(documents.map(({ tokenIds }) => tokenIds[0]));
    expect(one).not.toEqual(two);
  });

  it('fills steps with documents up to a number of tokens, each document once an epoch, for any documents', async () => {
    const lengths = fc.array(fc.integer({ min: 2, max: 12 }), { minLength: 1, maxLength: 12 });
    const limits = fc.integer({ min: 1, max: 40 });
    const property = fc.asyncProperty(lengths, limits, fc.integer({ min: 1, max: 3 }), async (sizes, limit, epochs) => {
      const documents = sizes.map((length, id) => ({ tokenIds: Array.from({ length }, () => id), lossFrom: 1 }));
      const settings = settingsOf({ epochs, batchTokens: limit, plateau: { patience: 0, minimumFall: 0 } });
      const { update, steps } = await updated({ documents, settings });
      expect(update).toMatchObject({ status: 'trained', planned: steps.length });
      const tokens = (step: readonly TrainingSequence[]) => step.reduce((sum, each) => sum + each.tokenIds.length, 0);
      const ids: number[] = [];
      for (const [at, step] of steps.entries()) {
        if (step.length > 1) expect(tokens(step)).toBeLessThanOrEqual(limit);
        ids.push(...step.map(({ tokenIds }) => tokenIds[0]!));
        // The step could not have taken the next document as well, unless an epoch ends here.
        if (ids.length % sizes.length !== 0)
          expect(tokens(step) + steps[at + 1]![0]!.tokenIds.length).toBeGreaterThan(limit);
      }
      const ofEpoch = (epoch: number) => ids.slice(epoch * sizes.length, (epoch + 1) * sizes.length);
      for (let epoch = 0; epoch < epochs; epoch++)
        expect(ofEpoch(epoch).toSorted((a, b) => a - b)).toEqual([...sizes.keys()]);
    });
    await fc.assert(property, { numRuns: 60 });
  });

  it('weighs each token of a step alike of all its documents', async () => {
    const documents = [
      { tokenIds: [1, 2], lossFrom: 1 },
      { tokenIds: [1, 2, 3, 4], lossFrom: 1 },
    ];
    const { steps } = await updated({ documents, settings: settingsOf({ batchSize: 2, epochs: 1 }) });
    expect(steps).toHaveLength(1);
    expect(steps[0]!.flatMap(({ weights }) => weights)).toEqual([0.25, 0.25, 0.25, 0.25]);
  });

  it('learns from the tokens that carry loss, and from no others', async () => {
    const { steps } = await updated({ documents: [{ tokenIds: [4, 5, 6, 7], lossFrom: 3 }] });
    expect(steps[0]).toMatchObject([{ targets: [3], weights: [1] }]);
  });

  it('lets the rate fall linearly to 0 over the planned steps, or leaves it constant', async () => {
    const rates = async (schedule: 'linear' | 'constant') => {
      const told: number[] = [];
      class Watching extends FakeEngine {
        override async begin(settings: Parameters<FakeEngine['begin']>[0]) {
          const weights = await super.begin(settings);
          const step = weights.step.bind(weights);
          return Object.assign(weights, {
            step: (...[batch, optimizer]: Parameters<typeof step>) => {
              told.push(optimizer.learningRate);
              return step(batch, optimizer);
            },
          });
        }
      }
      await updated({ engine: new Watching(), settings: settingsOf({ schedule, learningRate: 0.6 }) });
      return told.map((rate) => Number(rate.toFixed(6)));
    };
    expect(await rates('linear')).toEqual([0.6, 0.5, 0.4, 0.3, 0.2, 0.1]);
    expect(await rates('constant')).toEqual([0.6, 0.6, 0.6, 0.6, 0.6, 0.6]);
  });

  it.each<[string, Partial<InnerUpdateRequest>, RegExp]>([
    ['no document', { documents: [] }, /no document/],
    ['documents of one token', { documents: [{ tokenIds: [1], lossFrom: 1 }] }, /no document/],
    ['a first token that carries loss', { documents: [{ tokenIds: [1, 2], lossFrom: 0 }] }, /no document/],
    ['too many steps', { settings: settingsOf({ maxSteps: 5 }) }, /3 documents need 6 steps, more than 5/],
  ])('refuses %s, and trains nothing', async (_, request, reason) => {
    const engine = new FakeEngine();
    const { update } = await updated({ engine, ...request });
    expect(update).toEqual({ status: 'refused', reason: expect.stringMatching(reason) });
    expect(engine.begun).toHaveLength(0);
  });

  it('ends once the loss of epochs has stopped falling, and not where that is switched off', async () => {
    // The double's loss is 1 / steps: an epoch's falls by half, a third, a quarter …
    const stepsWith = async (plateau: InnerUpdateSettings['plateau']) =>
      (await updated({ settings: settingsOf({ epochs: 30, plateau }) })).steps.length;
    expect(await stepsWith({ patience: 1, minimumFall: 0.5 })).toBe(9);
    expect(await stepsWith({ patience: 3, minimumFall: 0.5 })).toBeGreaterThan(9);
    expect(await stepsWith({ patience: 0, minimumFall: 1 })).toBe(90);
  });

  it('ends between two steps when its signal aborts', async () => {
    const abort = new AbortController();
    const engine = new FakeEngine((step) => (step === 2 ? abort.abort() : undefined));
    await expect(updated({ engine, signal: abort.signal })).rejects.toMatchObject({ code: 'ABORTED' });
    expect(engine.steps).toBe(3);
  });
});

describe('texts as documents', () => {
  const encode = (text: string) => Array.from(text, (letter) => letter.codePointAt(0)!);

  it('are cut at the longest length, with every token in its order, and without parts that teach nothing', () => {
    const documents = documentsOf(['abcde', '', 'x', 'abc'], encode, 2);
    expect(documents).toEqual(['ab', 'cd', 'ab'].map((part) => ({ tokenIds: encode(part), lossFrom: 1 })));
  });

  it('stay whole where their beginning is given, and have loss from there on', () => {
    const texts = [
      { text: 'abcd', lossFrom: 2 },
      { text: 'abcd', lossFrom: 0 },
      { text: 'abcde', lossFrom: 2 },
      { text: 'ab', lossFrom: 2 },
    ];
    expect(documentsOf(texts, encode, 4)).toEqual([
      { tokenIds: encode('abcd'), lossFrom: 2 },
      { tokenIds: encode('abcd'), lossFrom: 1 },
    ]);
  });

  it('have loss on a token that holds characters of both sides', () => {
    const pairs = (text: string) => text.match(/.{1,2}/gs)!.map((part) => part.length * 1000 + part.charCodeAt(0));
    expect(documentsOf([{ text: 'abcdef', lossFrom: 3 }], pairs, 9)).toEqual([
      { tokenIds: pairs('abcdef'), lossFrom: 1 },
    ]);
  });
});
