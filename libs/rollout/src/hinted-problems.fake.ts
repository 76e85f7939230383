/** Problems that name a word which an executor does not know by itself: an entry that quotes it solves them. */
import type { Problem } from '@seamstream/events';
import { domainEntrySchema } from '@seamstream/experience';
import type { JsonSchema } from '@seamstream/token-grammar';
import { fakeTokenizer } from './generator-model.fake.js';

export const SCHEMAS = {
  wood: domainEntrySchema({
    concepts: { words: ['oak', 'ash', 'yew'] },
    strategy: { words: ['add', 'subtract'] },
    pitfalls: { words: ['none'] },
  }),
  herbs: domainEntrySchema({
    concepts: { words: ['mint', 'sage'] },
    strategy: { words: ['once', 'twice'] },
    pitfalls: { words: ['none'] },
  }),
};
/** The same, and concepts are quotes. */
export const QUOTING = {
  wood: domainEntrySchema({
    concepts: { words: ['oak', 'ash', 'yew'], quotesBetween: ['', ''] },
    strategy: { words: ['add', 'subtract'] },
    pitfalls: { words: ['none'] },
  }),
  herbs: SCHEMAS.herbs,
};
export const entryOf = (concept: string, strategy: string): string =>
  JSON.stringify({ concepts: [concept], strategy: [strategy], pitfalls: ['none'] });
export const schemaFor = (domain: string): JsonSchema => SCHEMAS[domain as keyof typeof SCHEMAS];

/** Problems whose statement names the concept; the executor needs an entry that names it too. */
export const PROBLEMS: readonly Problem[] = Array.from({ length: 24 }, (_, i) => {
  const domain = i % 3 === 0 ? 'herbs' : 'wood';
  const concept = domain === 'wood' ? ['oak', 'ash', 'yew'][i % 3]! : ['mint', 'sage'][(i / 3) % 2]!;
  return {
    problemId: `p${i}`,
    domain,
    prompt: `Number ${i} asks for ${concept}.`,
    reference: `SECRET${i}`,
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: {},
  };
});
export const conceptOf = (text: string): string => /asks for (\w+)/.exec(text)![1]!;
export const rightEntry = (text: string): string =>
  entryOf(conceptOf(text), ['mint', 'sage'].includes(conceptOf(text)) ? 'once' : 'add');

/** Right when the entry names the concept that the statement asks for; number 0 is solved without any, unless misled. */
export const rule = (prompt: string): string => {
  const number = /Number (\d+)/.exec(prompt)![1]!;
  const entry = /Experience:\n(.*)\nSolution:/.exec(prompt)?.[1];
  const told = entry?.includes(`"${conceptOf(prompt)}"`) ?? false;
  const unaided = number === '0' && (entry === undefined || entry === '');
  return told || unaided ? `so\nAnswer: SECRET${number}` : 'Answer: unknown';
};

export const tokenizer = fakeTokenizer([
  ...PROBLEMS.map(({ prompt }) => rightEntry(prompt)),
  ...PROBLEMS.map(({ prompt }) => prompt),
]);
