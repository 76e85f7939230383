/** What the shipped models of the world of attributes were shown: they have no other words. */
import { unknownWordsOf } from '@seamstream/kernel';
import { ATTRIBUTES } from './attributes.js';
import { DOMAIN_RULES, NAMES } from './lore.js';
import { DIAL, KINDS } from './operators.js';
import { told } from './problems.js';

/** Digests of the shipped models, wherever their folders are copied to; models/README.md says how they were made. */
export const SHIPPED_MODELS = {
  generator: '247f95a00d75afc9f96ee3e880f2c685ee445fe7941904cbebedb59616097d5c',
  executor: '04f840c84cdf585fa4bb7cdfc733e92ef3065347943883cbdecf8d1ed7f93767',
} as const;

const [weight, matter, age] = KINDS.map((kind) => ATTRIBUTES[kind][0]!) as [string, string, string];
/** Two things, so that the words between them are there. */
const asked = NAMES.slice(0, 2);
const described = new Map(asked.map((name) => [name, { weight, matter, age }]));

/** Words and numbers of a text that are in no statement of any world of attributes, each once, as they come. */
export const unknownWords = unknownWordsOf(
  [
    ...NAMES,
    ...Object.values(ATTRIBUTES).flat(),
    ...DOMAIN_RULES.map((domain) => told(domain, { described, asked, start: 0 })),
  ],
  DIAL - 1,
);
