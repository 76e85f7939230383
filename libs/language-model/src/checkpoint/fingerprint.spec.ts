import { rm } from 'node:fs/promises';
import { createAdapter } from '../adapters/adapter.js';
import { initialTensors } from '../adapters/parameters.js';
import { GenerationLane } from '../generation/generation-lane.js';
import { writeRandomModel } from '../random-model.fake.js';
import { loadCheckpoint } from './checkpoint.js';
import { fingerprintOf, probePrompts, sameFingerprint } from './fingerprint.js';

const row = (change: number): Float32Array => Float32Array.from({ length: 300 }, (_, id) => 10 * Math.sin(id) + change);
const of = (change: number): string => fingerprintOf([row(change), row(change)]);

describe('a fingerprint', () => {
  it('bears the noise of processors and shows what training changes', () => {
    expect(sameFingerprint(of(0), of(0))).toBe(true);
    expect(sameFingerprint(of(0), of(5e-5))).toBe(true);
    expect(sameFingerprint(of(0), of(5e-2))).toBe(false);
  });

  it('is never the same as one of another form, or one that is no number', () => {
    expect(sameFingerprint(of(0), 'ab'.repeat(32))).toBe(false);
    expect(sameFingerprint(of(0), fingerprintOf([row(0)]))).toBe(false);
    expect(sameFingerprint(of(0), of(Number.NaN))).toBe(false);
    expect(sameFingerprint(of(Number.NaN), of(0))).toBe(false);
  });

  it('asks every vocabulary the same prompts in its own tokens', () => {
    expect(probePrompts(300)).toEqual(probePrompts(300));
    expect(
      probePrompts(7)
        .flat()
        .every((id) => id < 7),
    ).toBe(true);
  });

  it('is the same whether a model is computed as a small or as a large one, and another with an adapter', async () => {
    const folder = await writeRandomModel();
    const checkpoint = await loadCheckpoint(folder);
    const measured = async (isLarge: boolean, threadsPerLane: number, changed = false): Promise<string> => {
      const plan = { executionProvider: 'cpu', lanes: 1, threadsPerLane, isLarge, cacheBytes: 2 ** 30 } as const;
      const lane = new GenerationLane(checkpoint, plan);
      const tensors = await initialTensors(checkpoint, { kind: 'full' });
      for (const { data } of tensors.values()) data.forEach((value, at) => (data[at] = value * 1.02));
      const settings = { kind: 'full' } as const;
      const adapter = createAdapter({ kind: 'full', settings, baseModelDigest: checkpoint.digest, tensors });
      const logits = await lane.probe(probePrompts(300), changed ? adapter : undefined);
      await lane.close();
      return fingerprintOf(logits);
    };
    const small = await measured(false, 1);
    for (const threads of [1, 2]) expect(sameFingerprint(small, await measured(true, threads))).toBe(true);
    expect(sameFingerprint(small, await measured(false, 1, true))).toBe(false);
    await rm(folder, { recursive: true });
  });
});
