/** What the shipped models of self-edits were shown: they have no other words. */
import { unknownWordsOf } from '@seamstream/kernel';
import { passagePrompt } from '@seamstream/tasks';
import { ATTRIBUTES, FAMILY_NAMES, FIRST_NAMES } from './people.js';
import { QUESTIONS } from './problems.js';

/** Digests of the shipped models, wherever their folders are copied to; models/README.md says how they were made. */
export const SHIPPED_MODELS = {
  generator: '9babb6932328a29a473bee289c4f6db040ea82a33891a010a867fc19ed89f0c5',
  executor: '873054f4f81016fda4bf0316607ab5c2987152174a6dba9971dc85214a70e9c0',
} as const;

const frame = passagePrompt({
  kind: 'passage',
  title: null,
  passage: '',
  questions: [{ question: '', reference: '', alternatives: [] }],
});

/** Words and numbers of a text that are in no passage and question of this world, each once, as they come. */
export const unknownWords = unknownWordsOf(
  [
    ...[frame, ...FIRST_NAMES, ...FAMILY_NAMES],
    ...ATTRIBUTES.flatMap(({ values, statements, reversed, aside, question }) => [
      ...values,
      // With the names of their slots, which are no words.
      ...[...statements, ...reversed, aside, question].map((text) => text.replaceAll(/\{\w+\}/g, ' ')),
    ]),
  ],
  // The numbers of the questions.
  QUESTIONS,
);
