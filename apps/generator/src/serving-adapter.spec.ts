/** Adapters that were promoted as they should be and do not fit the model: the one before them keeps serving. */
import { fileURLToPath } from 'node:url';
import { encodeEvent } from '@seamstream/events';
import {
  type AdapterContent,
  createAdapter,
  encodeAdapter,
  LanguageModel,
  trainableShapes,
} from '@seamstream/language-model';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { openLog } from '@seamstream/testing';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { ServingAdapter } from './serving-adapter.js';

const SETTINGS = { kind: 'lora', rank: 1, alpha: 2, targetModules: ['q_proj'], modulesToSave: [], seed: 's' } as const;

let model: LanguageModel;
let sound: AdapterContent;
beforeAll(async () => {
  model = await LanguageModel.load(fileURLToPath(new URL('../../../models/executor', import.meta.url)), { threads: 1 });
  const tensors = [...trainableShapes(model.config, SETTINGS)].map(([name, shape]) => [name, zeros(shape)] as const);
  sound = { kind: 'lora', baseModelDigest: model.digest, settings: SETTINGS, tensors: new Map(tensors) };
});
afterAll(() => model.close());

describe('a promoted adapter that does not fit the model', () => {
  const [first, second] = [(of: AdapterContent) => [...of.tensors][0]!, (of: AdapterContent) => [...of.tensors][1]!];

  it.each<[string, (good: AdapterContent) => Partial<AdapterContent>, RegExp]>([
    ['has rank 0', () => ({ settings: { ...SETTINGS, rank: 0 } }), /expected a rank of 1 … 65536, got 0/],
    [
      'says another rank than its tensors have',
      () => ({ settings: { ...SETTINGS, rank: 2 } }),
      /the model needs \[2, /,
    ],
    ['has no alpha', () => ({ settings: { ...SETTINGS, alpha: null as never } }), /expected a finite alpha, got null/],
    [
      'names modules that no model has',
      () => ({ settings: { ...SETTINGS, targetModules: ['x_proj'] } }),
      /its settings fit no tensors .*x_proj/,
    ],
    ['lacks a tensor', (good) => ({ tensors: new Map([...good.tensors].slice(1)) }), /tensor .* is missing/],
    ['has no tensor at all', () => ({ tensors: new Map() }), /tensor .* is missing/],
    [
      'has one tensor too many',
      (good) => ({ tensors: new Map([...good.tensors, ['odd', zeros([1])]]) }),
      /no tensor odd/,
    ],
    [
      'has two tensors the wrong way round',
      (good) => {
        const [[one, a], [other, b]] = [first(good), second(good)];
        return { tensors: new Map([...good.tensors, [one, b], [other, a]]) };
      },
      /has shape .* the model needs/,
    ],
  ])(
    'is refused where it %s; the one before keeps serving, and the next sound one serves',
    async (_, change, reason) => {
      const { adapters, promote, refusals } = await startServing();
      const good = await promote(sound);
      expect((await adapters.catchUp()).adapter?.digest).toBe(good);
      const odd = await promote({ ...sound, ...change(sound) });
      expect((await adapters.catchUp()).adapter?.digest).toBe(good);
      expect(adapters.status()).toEqual({ serving: good, refused: odd });
      expect(refusals).toEqual([expect.stringMatching(reason)]);
      const [name, { shape }] = first(sound);
      const next = await promote({ ...sound, tensors: new Map([...sound.tensors, [name, ones(shape)]]) });
      expect((await adapters.catchUp()).adapter?.digest).toBe(next);
    },
  );
});

function zeros(shape: readonly number[]) {
  return { shape, data: new Float32Array(shape.reduce((total, size) => total * size, 1)) };
}

function ones(shape: readonly number[]) {
  return { shape, data: zeros(shape).data.fill(1) };
}

/** What follows a log, and a run that promotes into it what the log bears out. */
async function startServing() {
  const [log, objects] = [await openLog(), new InMemoryObjectStore()];
  const refusals: string[] = [];
  const logger = { info: () => undefined, error: ({ reason }: { reason: string }) => void refusals.push(reason) };
  const adapters = new ServingAdapter({
    ...{ log, objects, model, slot: 'generator', logger: logger as never, lines: logger as never },
    shapesFor: (settings) => trainableShapes(model.config, settings),
    onRefused: () => undefined,
    onUnfounded: () => refusals.push('unfounded'),
  });
  // The second matrices of sound ones are zero: they answer as the bare model does.
  const fingerprint = await model.fingerprint();
  const promote = async (content: AdapterContent): Promise<string> => {
    const adapter = createAdapter(content);
    const key = `adapters/${adapter.digest}.safetensors`;
    await objects.put(key, encodeAdapter(adapter));
    await log.append(promotedByRun({ adapterDigest: adapter.digest, key, fingerprint }).map(encodeEvent));
    return adapter.digest;
  };
  return { adapters, promote, refusals };
}
