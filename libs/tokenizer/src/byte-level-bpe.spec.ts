import fc from 'fast-check';
import { trainByteLevelBpe } from './byte-level-bpe.js';
import { Tokenizer } from './tokenizer.js';

const CORPUS = ['low low low lower lowest', 'new newer newest new', 'wide wider widest'];

describe('training a byte-level BPE', () => {
  it('merges the most frequent adjacent pair first, the lower ids among equals', () => {
    // Pieces: "low" ×1, " low" ×2, " lower", " lowest", "new", " newer", " newest", " new", "wide", " wider", " widest".
    // Pairs: (l,o) 5, (o,w) 5, (w,e) 2+2 …, (Ġ,l) 4, (n,e) 4, (e,w) 4; (l,o) precedes (o,w) since "l" precedes "o".
    const { merges } = trainByteLevelBpe(CORPUS, 256 + 3, []).model;
    expect(merges).toEqual([
      ['l', 'o'],
      ['lo', 'w'],
      ['e', 'w'],
    ]);
  });

  it('puts special tokens first, then all 256 bytes, then the merges', () => {
    const json = trainByteLevelBpe(CORPUS, 260, ['<|endoftext|>', '<|pad|>']);
    expect(json.model.vocab['<|endoftext|>']).toBe(0);
    expect(json.model.vocab['<|pad|>']).toBe(1);
    expect(json.model.vocab['!']).toBe(2);
    expect(json.model.vocab.lo).toBe(258);
    expect(Object.keys(json.model.vocab)).toHaveLength(260);
  });

  it('is a function of the words alone: order of texts and repetition of the call change nothing', () => {
    const once = trainByteLevelBpe(CORPUS, 290, ['<e>']);
    expect(trainByteLevelBpe([...CORPUS].reverse(), 290, ['<e>'])).toEqual(once);
  });

  it('stops early where no pair is left', () => {
    expect(Object.keys(trainByteLevelBpe(['ab'], 400, []).model.vocab)).toHaveLength(257);
  });

  it('refuses a vocabulary that cannot hold every byte', () => {
    expect(() => trainByteLevelBpe(CORPUS, 256, ['<e>'])).toThrow(/at least 257/);
  });

  it('yields a tokenizer whose encoding applies the merges in order of rank, as a plain implementation does', () => {
    const json = trainByteLevelBpe(CORPUS, 300, []);
    const tokenizer = Tokenizer.fromJson(json);
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('lowernstid')) }), (word) => {
        expect(tokenizer.encode(word)).toEqual(
          applyMerges(word, json.model.merges as [string, string][], json.model.vocab),
        );
      }),
    );
  });
});

/** BPE as its paper states it: while some adjacent pair has a merge, apply the merge of the lowest rank everywhere. */
function applyMerges(
  word: string,
  merges: readonly [string, string][],
  vocab: Readonly<Record<string, number>>,
): number[] {
  let parts = Array.from(word);
  for (;;) {
    const merge = merges.find(([left, right]) => parts.some((part, i) => part === left && parts[i + 1] === right));
    if (merge === undefined) return parts.map((part) => vocab[part]!);
    const next: string[] = [];
    for (let i = 0; i < parts.length; i++) {
      if (parts[i] === merge[0] && parts[i + 1] === merge[1]) next.push(`${parts[i]}${parts[++i]}`);
      else next.push(parts[i]!);
    }
    parts = next;
  }
}
