/**
 * SQuAD (Rajpurkar et al. 2016 and 2018, https://rajpurkar.github.io/SQuAD-explorer): a passage of Wikipedia with questions, whose answers
 * are spans of it. Judged by exact match, with F1 in the verdict's figures. Version 2.0 has questions without an answer; they are left
 * out, and the problem's metadata counts them: passage@1 judges what is said, and no answer is no fault there.
 */
import { passageReference } from '@seamstream/tasks';
import { z } from 'zod';
import type { DatasetForm, StatedProblem } from './dataset.types.js';
import { text } from './fields.js';
import { asPassage } from './task.forms.js';

/** As many as passage@1 takes of each. */
const MOST_QUESTIONS = 100;
const MOST_GOLDS = 20;
const QUESTIONS = `1 to ${MOST_QUESTIONS} questions that have an answer`;

interface Asked {
  readonly question: string;
  /** Spans of the passage that are as right as each other; none where the passage does not answer. */
  readonly golds: readonly string[];
}

const hasAnswer = ({ golds }: Asked): boolean => golds.length > 0;

function asProblem(title: string, passage: string, asked: readonly Asked[]): StatedProblem {
  const questions = asked.filter(hasAnswer).map(({ question, golds }) => {
    const [reference = '', ...alternatives] = new Set(golds);
    return { question, reference, alternatives: alternatives.slice(0, MOST_GOLDS - 1) };
  });
  const unanswerable = asked.length - questions.length;
  const task = { title, passage, questions };
  return {
    ...{ domain: 'squad', ...asPassage(task), reference: passageReference({ kind: 'passage', ...task }) },
    verifier: { kind: 'passage', options: { answers: 'squad' } },
    metadata: { dataset: 'squad', ...(unanswerable === 0 ? {} : { unanswerable: String(unanswerable) }) },
  };
}

const isCount = (count: number): boolean => count >= 1 && count <= MOST_QUESTIONS;

/** As in a page's address: "Beyonc%C3%A9_Knowles". */
function titleOf(address: string): string {
  const title = address.replaceAll('_', ' ');
  try {
    return decodeURIComponent(title);
  } catch {
    return title;
  }
}

/** Published files, of which a paragraph is a row with the title of its article (json-document.ts). */
export const SQUAD_FORM: DatasetForm = {
  name: 'squad',
  summary:
    'SQuAD 1.1 and 2.0 as published; a paragraph a problem. Exact match by SQuAD. Unanswerable questions are left out.',
  example:
    '{"title":"Ada_Lovelace","context":"Ada was born in 1815.","qas":[{"id":"1","question":"When was Ada born?","answers":[{"text":"1815","answer_start":16}]}]}',
  recognises: ({ context, qas }) => typeof context === 'string' && Array.isArray(qas),
  shape: z
    .object(
      {
        title: text(),
        context: text(),
        qas: z
          .array(
            z
              .object({
                question: text(),
                answers: z.array(z.object({ text: text() }, { error: '{"text"}' }), { error: 'a list of {"text"}' }),
                is_impossible: z.boolean({ error: 'true or false' }).default(false),
              })
              .transform(({ question, answers, is_impossible: isImpossible }) => ({
                question,
                golds: isImpossible ? [] : answers.map((answer) => answer.text),
              })),
            { error: QUESTIONS },
          )
          .refine((asked) => isCount(asked.filter(hasAnswer).length), { error: QUESTIONS }),
      },
      { error: 'a paragraph with its title' },
    )
    .transform(({ title, context, qas }) => asProblem(titleOf(title), context, qas)),
};

/** The form in which SEAL's authors publish it: a list of passages, with an answer for each question. */
export const SQUAD_PLAIN_FORM: DatasetForm = {
  name: 'squad-plain',
  summary: 'title, context, questions ([{"question", "answer"}]), as SEAL publishes SQuAD. Exact match by SQuAD.',
  example:
    '{"title":"Ada Lovelace","context":"Ada was born in 1815.","questions":[{"question":"When was Ada born?","answer":"1815"}]}',
  recognises: ({ context, questions }) => typeof context === 'string' && Array.isArray(questions),
  shape: z
    .object(
      {
        title: text(),
        context: text(),
        questions: z
          .array(z.object({ question: text(), answer: text() }, { error: '{"question", "answer"}' }), {
            error: QUESTIONS,
          })
          .refine(({ length }) => isCount(length), { error: QUESTIONS }),
      },
      { error: 'a passage with its title' },
    )
    .transform(({ title, context, questions }) =>
      asProblem(
        title,
        context,
        questions.map(({ question, answer }) => ({ question, golds: [answer] })),
      ),
    ),
};
