/**
 * A table of prices and a question about one row, for a language model that reads English and looks things up badly:
 *
 *   Prices: corn $61, rice $76, cheese $22, … What is the price of rice?    The price of rice is $76
 *
 * An entry states one row, but not as the sentence that is asked for, which would earn nothing. So a right entry is the answer in another
 * form: its price is the essence of the answer, and the study reports how many entries hold it. SmolLM2-135M-Instruct alone says the right
 * sentence for 46 % of the tables of eight rows, with the right row for all, with a wrong number for none: an entry rescues or breaks. As a
 * writer it states the right row for 38 %.
 * Chosen on the split `development` (docs/experiments/LOG.md, 2026-11-27). Each split has its own words, so no word of a held-out table was
 * trained on.
 */
import { derivedId, Random } from '@seamstream/kernel';
import type { Environment } from '@seamstream/service-kit';
import type { Split, StudyTask, TaskProblem } from './study-task.js';

const DOMAIN = 'price-tables';
const ROWS = 8;
const LEAST_PRICE = 2;
const MOST_PRICE = 99;

/** Goods of each split: none is in two. */
const GOODS: Readonly<Record<Split, readonly string[]>> = {
  development: ['apples', 'bread', 'milk', 'cheese', 'eggs', 'rice', 'tea', 'soap', 'plums', 'corn', 'salt', 'paper'],
  train: [
    ...['butter', 'sugar', 'honey', 'flour', 'beans', 'pears', 'onions', 'lemons', 'candles', 'towels', 'brushes'],
    ...['pencils', 'socks', 'gloves', 'chairs', 'lamps', 'ropes', 'nails', 'bricks', 'paint', 'glue', 'wool'],
  ],
  validation: ['coffee', 'juice', 'garlic', 'grapes', 'melons', 'spoons', 'plates', 'shirts', 'boots', 'tables'],
  heldOut: [
    ...[
      'wine',
      'pepper',
      'carrots',
      'cherries',
      'peaches',
      'nuts',
      'forks',
      'cups',
      'hats',
      'coats',
      'belts',
      'mirrors',
    ],
    ...['blankets', 'buckets', 'hammers', 'tiles'],
  ],
};

function tableOf(split: Split, seed: number, index: number, count: number): TaskProblem {
  const random = Random.of('price tables', seed, split, index);
  const goods = random.shuffled(GOODS[split]).slice(0, count);
  const prices = random
    .shuffled(Array.from({ length: MOST_PRICE - LEAST_PRICE + 1 }, (_, at) => LEAST_PRICE + at))
    .slice(0, count);
  const asked = random.int(count);
  const rows = goods.map((good, row) => `${good} $${prices[row]!}`).join(', ');
  return {
    problemId: derivedId(`price tables/${seed}/${split}`, 'problem', index),
    domain: DOMAIN,
    prompt: `Prices: ${rows}. What is the price of ${goods[asked]!}?`,
    reference: `The price of ${goods[asked]!} is $${prices[asked]!}`,
    verifier: { kind: 'exact', version: '1', options: {} },
  };
}

/** The last price of a text, e.g. $76. */
function priceIn(text: string): string | null {
  return [...text.matchAll(/\$\d+/g)].at(-1)?.[0] ?? null;
}

/** The goods of a table. */
function goodsOf({ prompt }: TaskProblem): readonly string[] {
  return [...prompt.matchAll(/\b([a-z]{1,20}) \$\d/g)].map(([, good]) => good!);
}

/**
 * @param templatesFolder where the executor's template `first-line` lies
 * @param rows of a table, at most 10; fewer are easier to read
 */
export function priceTables(templatesFolder: string, rows = ROWS): StudyTask {
  return {
    name: 'price-tables',
    essence: {
      name: 'the right price',
      ofAnswer: ({ reference }) => priceIn(reference)!,
      inEntry: priceIn,
    },
    problems: (split, seed, count) => {
      // Drawn twice, a table is asked once.
      const byPrompt = new Map<string, TaskProblem>();
      for (let index = 0; index < count; index++) {
        const problem = tableOf(split, seed, index, rows);
        if (!byPrompt.has(problem.prompt)) byPrompt.set(problem.prompt, problem);
      }
      return [...byPrompt.values()];
    },
    traitsOf: (problem) => [problem.prompt, ...goodsOf(problem)],
    entrySchemas: {
      [DOMAIN]: {
        type: 'object',
        // Free in the word and in the number: the table's own are a few of millions.
        properties: { fact: { type: 'string', pattern: '^The price of [a-z]{2,10}: \\$[1-9][0-9]?$' } },
        required: ['fact'],
        additionalProperties: false,
      },
    },
    cheatsheet: JSON.stringify({
      fact: 'Find the good in the list. Its price stands behind it. Answer in one sentence: The price of … is $…',
    }),
    environment: (modelFolder) => environmentOf(modelFolder, templatesFolder),
  };
}

/** Low rank on all linear layers, as PEFT's defaults for Llama: 135 million weights are too many for few examples and two cores. */
const TRAINABLE = { kind: 'lora', rank: 16, alpha: 32 } as const;
const STEPS = { trainable: TRAINABLE, duration: { unit: 'steps', steps: 20 }, batchSize: 16 } as const;

function environmentOf(modelFolder: string, templatesFolder: string): Environment {
  return {
    SEAM_GENERATOR_MODEL_FOLDER: modelFolder,
    SEAM_GENERATOR_GROUP_SIZE: '6',
    SEAM_GENERATOR_CONTROL_SHARE: '0',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '24',
    SEAM_EXECUTOR_MODEL_FOLDER: modelFolder,
    SEAM_EXECUTOR_TEMPLATE: 'first-line',
    SEAM_EXECUTOR_TEMPLATES_FOLDER: templatesFolder,
    // The sentence has 10 to 12; one that talks on has not answered.
    SEAM_EXECUTOR_MAX_TOKENS: '16',
    // Every comparison asks problems that decided nothing before; half of the default validation set serves one.
    SEAM_TRAINER_PROMOTION_PORTION: '16',
    SEAM_TRAINER_PROMOTION_MOST: '96',
    SEAM_TRAINER_ALGORITHMS: JSON.stringify({
      sft: { ...STEPS, minRows: 8, learningRate: { peak: 5e-4 } },
      grpo: { ...STEPS, learningRate: { peak: 2e-4 } },
    }),
  };
}
