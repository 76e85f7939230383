import { z } from 'zod';
import type { DatasetForm } from './dataset.types.js';
import { answerText, asMetadata, text } from './fields.js';

const ADDRESS = 'the address of a website, https://…';

/**
 * WebWalkerQA (Wu et al. 2025, https://github.com/Alibaba-NLP/WebWalker): a question whose answer is found by following links from a
 * website. Rows have `Question`, `Answer`, `Root_Url` and `Info`, in other copies in small letters. The path to the answer, which `Info`
 * has too, is not kept: it would give the way away.
 */
export const WEBWALKER_FORM: DatasetForm = {
  name: 'webwalker',
  summary: 'Question, Answer, Root_Url (where the way begins), Info. Names in any letter case. A model judges.',
  example:
    '{"Question":"Where is it held?","Answer":"Vienna","Root_Url":"https://conference.org/","Info":{"Type":"single_source"}}',
  recognises(row) {
    const fields = small(row);
    return [fields.question, fields.answer, fields.root_url].every((value) => typeof value === 'string');
  },
  shape: z.preprocess(
    (row) =>
      typeof row === 'object' && row !== null && !Array.isArray(row) ? small(row as Record<string, unknown>) : row,
    z
      .object(
        {
          question: text('a question, in Question'),
          answer: answerText('the answer, in Answer'),
          root_url: z.url({ protocol: /^https?$/, error: ADDRESS }),
          info: z.record(z.string(), z.unknown()).nullish().catch(null),
        },
        { error: 'a row with Question, Answer and Root_Url' },
      )
      .transform(({ question, answer, root_url: root, info }) => {
        const { difficulty_level: level, difficulty, type, lang, domain: field, hop } = small(info ?? {});
        return {
          domain: 'web',
          prompt: `${question}\n\nBegin at this website: ${root}`,
          reference: answer,
          verifier: { kind: 'judge', options: { question } },
          metadata: asMetadata({
            ...{ dataset: 'webwalker', rootUrl: root, level: level ?? difficulty, type, language: lang, field, hop },
          }),
        };
      }),
  ),
};

function small(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name.toLowerCase(), value]));
}
