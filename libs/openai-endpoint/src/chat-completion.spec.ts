import { worstCase } from './chat-completion.js';

describe('the worst case of a request', () => {
  it('counts a token for every byte of its prompt: tokenizers that split digits need one for each', () => {
    const digits = '31415926535897932384626433832795'.repeat(40);
    expect(worstCase([digits], 50).promptTokens).toBeGreaterThanOrEqual(digits.length);
    // 漢 has three bytes, which a tokenizer that does not know it spells one by one.
    expect(worstCase([null, '漢'.repeat(100)], 50).promptTokens).toBeGreaterThanOrEqual(300);
    expect(worstCase(['a'], 50).responseTokens).toBe(50);
  });
});
