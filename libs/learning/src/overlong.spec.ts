import { overlongPunishment } from './overlong.js';

describe('the soft overlong punishment', () => {
  it("is that of DAPO's own limits: nothing up to 16,384 tokens, then falling to −1 at 20,480 and beyond", () => {
    const dapo = { of: 'entry', maxTokens: 20_480, bufferTokens: 4_096, penalty: 1 } as const;
    const punished = [1, 16_384, 17_408, 18_432, 20_480, 30_000].map((tokens) => overlongPunishment(tokens, dapo));
    expect(punished).toEqual([0, 0, -0.25, -0.5, -1, -1]);
  });

  it('scales with the penalty, and begins at the first token where the buffer is the whole limit', () => {
    const settings = { of: 'response', maxTokens: 8, bufferTokens: 8, penalty: 0.5 } as const;
    expect([0, 2, 8, 9].map((tokens) => overlongPunishment(tokens, settings))).toEqual([0, -0.125, -0.5, -0.5]);
  });
});
