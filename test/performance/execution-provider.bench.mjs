// Generation by an execution provider next to the CPU: the same model, prompts and seeds; tokens per second, and how many of the texts
// are the same tokens. SmolLM2-135M-Instruct writes greedy answers, groups of 16 at temperature 1, and groups under a schema.
//
//   node test/performance/execution-provider.bench.mjs [cuda|webgpu] [--only]      THREADS=2; --only: without the CPU's side
import { smolLm2 } from '../../infra/dev/dist/index.js';
import { LanguageModel } from '../../libs/language-model/dist/index.js';

const provider = process.argv.slice(2).find((word) => !word.startsWith('--')) ?? 'cuda';
const sides = process.argv.includes('--only') ? [provider] : [provider, 'cpu'];
const threads = Number(process.env.THREADS ?? 2);
const SCHEMA = {
  type: 'object',
  properties: {
    concepts: { type: 'array', items: { type: 'string', maxLength: 60 }, minItems: 1, maxItems: 3 },
    strategy: { type: 'string', maxLength: 160 },
  },
  required: ['concepts', 'strategy'],
  additionalProperties: false,
};
const QUESTIONS = [
  'What is the capital of France?',
  'Add 17 and 25.',
  'Name three colours.',
  'Sort: pear, apple, fig.',
  'Write a haiku about rain.',
  'What is 12 times 12?',
  'Translate "good day" into German.',
  'How many days has May?',
];
const GROUP = Array.from({ length: 16 }, (_, at) => `${at}`);
const SAMPLED = { temperature: 1, topK: 0, topP: 1, maxTokens: 96 };
/** Of SmolLM2: the end of a turn. */
const STOP = 2;

/** Answers of all questions, and how long they took; a first answer warms up. */
async function written(model, work) {
  const requests = QUESTIONS.map((question) => ({
    promptTokenIds: model.tokenizer.encode(`<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`),
    stopTokenIds: [STOP],
    ...work,
  }));
  await model.generate(requests.slice(0, 1));
  const begun = performance.now();
  const rows = (await model.generate(requests)).flat().map(({ tokenIds }) => tokenIds);
  const seconds = (performance.now() - begun) / 1000;
  const tokens = rows.reduce((sum, { length }) => sum + length, 0);
  return { rows, figures: { tokens, seconds, tokensPerSecond: Math.round(tokens / seconds) } };
}

async function side(folder, executionProvider) {
  const model = await LanguageModel.load(folder, { threads, executionProvider, digest: 'remembered' });
  try {
    return {
      greedy: await written(model, { seeds: ['0'], sampling: { ...SAMPLED, temperature: 0, maxTokens: 48 } }),
      sampled: await written(model, { seeds: GROUP, sampling: SAMPLED }),
      underSchema: await written(model, { seeds: GROUP, sampling: SAMPLED, schema: SCHEMA }),
    };
  } finally {
    await model.close();
  }
}

const { folder } = await smolLm2();
const results = [];
for (const name of sides) {
  results.push(await side(folder, name));
  for (const [what, { figures }] of Object.entries(results.at(-1))) console.log(name, what, JSON.stringify(figures));
}
const [first, second] = results;
for (const what of second === undefined ? [] : Object.keys(first)) {
  const { rows } = first[what];
  const same = rows.filter((row, at) => row.join() === second[what].rows[at].join()).length;
  console.log(`${what}: ${same} of ${rows.length} texts have the same tokens`);
}
