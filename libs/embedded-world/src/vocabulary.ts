/** What the shipped models were shown: they have no other words, so nothing else can be asked of them. */
import { unknownWordsOf } from '@seamstream/kernel';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { pitfallWords } from './problems.js';

/** Digests of the shipped models, wherever their folders are copied to; models/README.md says how they were made. */
export const SHIPPED_MODELS = {
  generator: '6b9b674ce496b816a55d5daa9fa38129154a6527fe8ee759f71edd1b8f3c271c',
  executor: 'b33cdd61440346c3dcd12ae66c6f3c31db97367947d36f28ca0ca527b92438d8',
} as const;

/** The largest number that one of their texts holds; as models/training-texts.mjs has it. */
const LARGEST_NUMBER = 62;

/** Words and numbers of a text that are in no statement of the embedded world, each once, as they come. */
export const unknownWords = unknownWordsOf(
  [...DOMAINS, ...SHIFTED_DOMAINS].flatMap((domain) => {
    const lore = loreOf(domain);
    const spoken = [lore.cues, lore.phrases, pitfallWords(lore)].flatMap((words) => Object.keys(words));
    // With the names of their slots, which are no words of a statement: {cue}, {phrase}, {pitfall}, {other}, {word}.
    const sentences = [...lore.questions, ...lore.pitfalls.map(({ text }) => text)].map((text) =>
      text.replaceAll(/\{\w+\}/g, ' '),
    );
    return [lore.heading, ...lore.items, ...lore.amounts, ...spoken, ...sentences];
  }),
  LARGEST_NUMBER,
);
