/**
 * The form that verl trains on (https://verl.readthedocs.io, "Prepare data for post-training"): Parquet with the columns
 * `data_source`, `prompt` (chat messages), `ability`, `reward_model` {style, ground_truth}, `extra_info`. Two readers share it:
 * `verl` takes the question as it stands, `dapo` takes off the instruction that DAPO-Math-17k wraps around every question.
 */
import { z } from 'zod';
import type { DatasetForm, StatedProblem } from './dataset.types.js';
import { answerText, asMetadata, domainName, scalarText, text } from './fields.js';

const MESSAGES = 'chat messages with one of the role user, or a text';
const message = z.object({ role: z.string(), content: z.string() });

const ROW = z.object(
  {
    data_source: text('the name of the source'),
    prompt: z
      .union([text(MESSAGES), z.array(message)], { error: MESSAGES })
      .transform((prompt) =>
        typeof prompt === 'string' ? prompt : onlyContent(prompt.filter(({ role }) => role === 'user')),
      )
      .refine((question) => question.trim() !== '' && question.isWellFormed(), { error: MESSAGES }),
    ability: z.string({ error: 'a text' }).nullish(),
    reward_model: z.object(
      {
        ground_truth: answerText('the answer as a text or a number'),
        style: z.string({ error: 'a text' }).nullish(),
      },
      { error: '{"ground_truth", "style"}' },
    ),
    extra_info: z.record(z.string(), z.unknown(), { error: 'an object' }).nullish(),
  },
  { error: 'a row with data_source, prompt and reward_model' },
);
type Row = z.infer<typeof ROW>;

/** An empty text where there is another number of them than one: that is no single question. */
function onlyContent(messages: readonly z.infer<typeof message>[]): string {
  return messages.length === 1 ? messages[0]!.content : '';
}

const COLUMNS = ['data_source', 'prompt', 'ability', 'reward_model', 'extra_info'];

/** The bare question where the row brings it along (verl's own scripts for GSM8K do) and the message contains it. */
function bareQuestion({ prompt, extra_info }: Row): string {
  const stated = extra_info?.question ?? extra_info?.problem;
  return typeof stated === 'string' && stated.trim() !== '' && prompt.includes(stated) ? stated : prompt;
}

/** Verifier of a source: by its name, else by the ability. */
function verifierOf({ data_source, ability }: Row): string {
  if (/gsm8k|aime|math_dapo/i.test(data_source)) return 'numeric';
  return /math/i.test(data_source) || /^math/i.test(ability ?? '') ? 'math' : 'exact';
}

function metadataOf({ data_source, ability, extra_info }: Row): Record<string, string> {
  const { index, split, subject, level } = extra_info ?? {};
  return asMetadata({ dataset: data_source, ability, sourceId: scalarText(index), split, subject, level });
}

export const VERL_FORM: DatasetForm = {
  name: 'verl',
  summary:
    'data_source, prompt (chat messages), ability, reward_model.ground_truth, extra_info. Verifier by source and ability.',
  example:
    '{"data_source":"sums","prompt":[{"role":"user","content":"What is 2 + 3?"}],"ability":"math","reward_model":{"style":"rule","ground_truth":"5"}}',
  columns: COLUMNS,
  recognises: ({ data_source, reward_model }) =>
    typeof data_source === 'string' && typeof reward_model === 'object' && reward_model !== null,
  shape: ROW.transform(
    (row): StatedProblem => ({
      domain: domainName(row.data_source),
      prompt: bareQuestion(row),
      reference: row.reward_model.ground_truth,
      verifier: { kind: verifierOf(row) },
      metadata: metadataOf(row),
    }),
  ),
};

// As the rows of BytedTsinghua-SIA/DAPO-Math-17k have them; "$Answer" is literal.
const DAPO_BEFORE =
  'Solve the following math problem step by step. The last line of your response should be of the form Answer: $Answer (without quotes) where $Answer is the answer to the problem.\n\n';
const DAPO_AFTER = '\n\nRemember to put your answer on its own line after "Answer:".';

/**
 * DAPO-Math-17k (Yu et al. 2025), BytedTsinghua-SIA/DAPO-Math-17k: verl's columns, answers made integers of any size and
 * sign, and an instruction before and after every question. Copies without duplicates (open-r1/DAPO-Math-17k-Processed)
 * have the bare question as a text in `prompt`. The published file repeats each of its 17 thousand questions about a hundred
 * times: publish it with `--duplicates skip`.
 */
export const DAPO_FORM: DatasetForm = {
  name: 'dapo',
  summary: "verl's columns, DAPO's instruction around the question taken off. Numeric verifier.",
  example: JSON.stringify({
    data_source: 'math_dapo',
    prompt: [{ role: 'user', content: `${DAPO_BEFORE}What is 2 + 3?${DAPO_AFTER}` }],
    ability: 'MATH',
    reward_model: { ground_truth: '5', style: 'rule-lighteval/MATH_v2' },
    extra_info: { index: '9a9b6eb4' },
  }),
  columns: COLUMNS,
  recognises: (row) => VERL_FORM.recognises(row) && row.data_source === 'math_dapo',
  shape: ROW.transform(
    (row): StatedProblem => ({
      domain: 'dapo',
      prompt: withoutInstruction(row.prompt),
      reference: row.reward_model.ground_truth,
      verifier: { kind: 'numeric' },
      metadata: metadataOf(row),
    }),
  ),
};

/** The question alone; a text without the instruction as it is. */
function withoutInstruction(prompt: string): string {
  const from = prompt.startsWith(DAPO_BEFORE) ? DAPO_BEFORE.length : 0;
  const question = prompt.slice(from, prompt.endsWith(DAPO_AFTER) ? -DAPO_AFTER.length : undefined).trim();
  return question === '' ? prompt : question;
}
