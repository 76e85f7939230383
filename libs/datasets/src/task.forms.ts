/** Rows of tasks that are more than a prompt: a passage with questions, examples with a query, several turns. */
import {
  type FewShotTask,
  fewShotContent,
  fewShotPrompt,
  type PassageTask,
  passageContent,
  passagePrompt,
  passageReference,
  type TaskContent,
  type TurnsTask,
  turnsContent,
  turnsFault,
  turnsPrompt,
} from '@seamstream/tasks';
import { ANSWER_JUDGES } from '@seamstream/verifiers';
import { z } from 'zod';
import type { DatasetForm } from './dataset.types.js';
import { anyText, text } from './fields.js';
import { COMMON_FIELDS, UNGRADED_FIELDS, VERIFIER_FIELD } from './seam.form.js';

const ROW = { error: 'one JSON object' };
/** More than that is another kind of file. */
const MOST_PARTS = 100;
const REFERENCE = 'a text (the answer, as the verifier expects it)';

const partsOf = <T extends z.ZodType>(part: T, what: string) =>
  z
    .array(part, { error: `1 to ${MOST_PARTS} ${what}` })
    .min(1, { error: `1 to ${MOST_PARTS} ${what}` })
    .max(MOST_PARTS, {
      error: `1 to ${MOST_PARTS} ${what}`,
    });

/** Prompt and content of a task. */
export function asPassage(task: Omit<PassageTask, 'kind'>): { readonly prompt: string; readonly task: TaskContent } {
  const whole = { kind: 'passage', ...task } as const;
  return { prompt: passagePrompt(whole), task: passageContent(whole) };
}
const asFewShot = ({ examples, query }: Omit<FewShotTask, 'kind'>) => {
  const task = { kind: 'few_shot', examples, query } as const;
  return { prompt: fewShotPrompt(task), task: fewShotContent(task) };
};
const asTurns = (turns: TurnsTask['turns']) => {
  const task = { kind: 'turns', turns } as const;
  return { prompt: turnsPrompt(task), task: turnsContent(task) };
};

const FEW_SHOT_FIELDS = {
  examples: partsOf(z.strictObject({ input: text(), output: text() }, { error: '{"input", "output"}' }), 'examples'),
  query: text(),
};

const TURNS_FIELD = partsOf(
  z.strictObject(
    {
      role: z.enum(['system', 'user', 'assistant'], { error: '"system", "user" or "assistant"' }),
      text: text(),
    },
    { error: '{"role", "text"}' },
  ),
  'turns',
).superRefine((turns, context) => {
  const message = turnsFault(turns);
  if (message !== undefined) context.addIssue({ code: 'custom', message });
});

const TITLE_FIELD = text().nullable().default(null);
const ALTERNATIVES_FIELD = z
  .array(text(), { error: 'a list of texts' })
  .max(19, { error: 'at most 19 texts' })
  .default([]);

export const PASSAGE_FORM: DatasetForm = {
  name: 'passage',
  summary:
    'passage, questions ([{"question", "reference", "alternatives"}]), title; answerVerifier: exact ("exact"), numeric, choice, squad or judge. The reward is the share of questions right.',
  example: '{"passage":"Ada was born in 1815.","questions":[{"question":"When was Ada born?","reference":"1815"}]}',
  recognises: ({ passage, questions }) => typeof passage === 'string' && Array.isArray(questions),
  shape: z
    .strictObject(
      {
        ...COMMON_FIELDS,
        passage: text(),
        title: TITLE_FIELD,
        questions: partsOf(
          z.strictObject(
            { question: text(), reference: text(), alternatives: ALTERNATIVES_FIELD },
            { error: '{"question", "reference", "alternatives"}' },
          ),
          'questions',
        ),
        answerVerifier: z
          .enum(ANSWER_JUDGES, { error: '"exact", "numeric", "choice", "squad" or "judge"' })
          .default('exact'),
      },
      ROW,
    )
    .transform(({ passage, title, questions, answerVerifier, ...row }) => ({
      ...{ ...row, ...asPassage({ title, passage, questions }) },
      reference: passageReference({ kind: 'passage', title, passage, questions }),
      verifier: { kind: 'passage', options: { answers: answerVerifier } },
    })),
  ungraded: z
    .strictObject(
      {
        ...UNGRADED_FIELDS,
        passage: text(),
        title: TITLE_FIELD,
        questions: partsOf(z.strictObject({ question: text() }, { error: '{"question"}' }), 'questions'),
      },
      ROW,
    )
    .transform(({ passage, title, questions, ...row }) => ({
      ...row,
      ...asPassage({
        title,
        passage,
        questions: questions.map(({ question }) => ({ question, reference: null, alternatives: [] })),
      }),
    })),
};

export const FEW_SHOT_FORM: DatasetForm = {
  name: 'few-shot',
  summary: 'examples ([{"input", "output"}]), query, reference; verifier ("exact").',
  example: '{"examples":[{"input":"cold","output":"hot"}],"query":"small","reference":"large"}',
  recognises: ({ examples, query }) => Array.isArray(examples) && typeof query === 'string',
  shape: z
    .strictObject(
      {
        ...COMMON_FIELDS,
        ...FEW_SHOT_FIELDS,
        reference: anyText(REFERENCE),
        verifier: VERIFIER_FIELD,
      },
      ROW,
    )
    .transform(({ examples, query, ...row }) => ({ ...row, ...asFewShot({ examples, query }) })),
  ungraded: z
    .strictObject({ ...UNGRADED_FIELDS, ...FEW_SHOT_FIELDS }, ROW)
    .transform(({ examples, query, ...row }) => ({ ...row, ...asFewShot({ examples, query }) })),
};

export const TURNS_FORM: DatasetForm = {
  name: 'turns',
  summary: 'turns ([{"role", "text"}], the last of the user), reference; verifier ("exact").',
  example: '{"turns":[{"role":"user","text":"What is 2 + 3? End with Answer: and the number."}],"reference":"5"}',
  recognises: ({ turns }) => Array.isArray(turns),
  shape: z
    .strictObject(
      { ...COMMON_FIELDS, turns: TURNS_FIELD, reference: anyText(REFERENCE), verifier: VERIFIER_FIELD },
      ROW,
    )
    .transform(({ turns, ...row }) => ({ ...row, ...asTurns(turns) })),
  ungraded: z
    .strictObject({ ...UNGRADED_FIELDS, turns: TURNS_FIELD }, ROW)
    .transform(({ turns, ...row }) => ({ ...row, ...asTurns(turns) })),
};
