import { fingerprintFigures } from '@seamstream/language-model';
import { distanceFrom } from './vllm-attestation.js';

/** Of so many that no probe draws one token twice. */
const VOCABULARY = 150_000;

const promoted = (id: number): number => 10 * Math.sin(id);

describe('the attestation of an adapter', () => {
  it('finds the promoted weights in log-probabilities, also where the logits differ by a constant', async () => {
    const fingerprint = fingerprintOf(promoted);
    expect(await distanceFrom(fingerprint, VOCABULARY, answering(promoted))).toBeLessThan(1e-6);
    expect(
      await distanceFrom(
        fingerprint,
        VOCABULARY,
        answering((id) => promoted(id) + 7),
      ),
    ).toBeLessThan(1e-6);
  });

  it('is as far from other weights as their logits are, of the largest', async () => {
    const other = (id: number): number => promoted(id) + 0.5 * Math.cos(7 * id);
    const distance = await distanceFrom(fingerprintOf(promoted), VOCABULARY, answering(other));
    expect(distance).toBeGreaterThan(0.02);
    expect(distance).toBeLessThan(0.15);
  });

  it('takes a log-probability that is missing for an infinite distance', async () => {
    expect(await distanceFrom(fingerprintOf(promoted), VOCABULARY, () => Promise.resolve(new Map()))).toBe(Infinity);
  });

  it('refuses a fingerprint of another form', async () => {
    for (const fingerprint of ['ab'.repeat(32), fingerprintOf(() => Number.NaN)]) {
      const attested = distanceFrom(fingerprint, VOCABULARY, answering(promoted));
      await expect(attested).rejects.toMatchObject({ code: 'ADAPTER_INVALID' });
    }
  });
});

/** The fingerprint of a model that gives each token this logit, behind every prompt. */
function fingerprintOf(logit: (id: number) => number): string {
  const blank = `logits-1:${Buffer.alloc(4 * 32 * 4).toString('base64')}`;
  const tokens = fingerprintFigures(blank, VOCABULARY)!.map(({ logits }) => [...logits.keys()]);
  // A token that is drawn twice stands twice in a fingerprint; this model has none.
  expect(tokens.map(({ length }) => length)).toEqual([32, 32, 32, 32]);
  const figures = Float32Array.from(tokens.flat(), logit);
  return `logits-1:${Buffer.from(figures.buffer).toString('base64')}`;
}

/** What a server says whose model gives each token this logit. */
function answering(logit: (id: number) => number) {
  return (_prompt: readonly number[], ids: readonly number[]): Promise<Map<number, number>> => {
    const mass = Math.log(ids.reduce((sum, id) => sum + Math.exp(logit(id)), 0));
    return Promise.resolve(new Map(ids.map((id) => [id, logit(id) - mass])));
  };
}
