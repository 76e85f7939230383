// Generation by an execution provider next to the CPU: the same model, prompts and seeds; tokens per second, how many of the texts are
// the same tokens, and where they part, how near the two tokens were. Greedy answers, groups of 16 at temperature 1, and groups under a
// schema. Two more runs on the provider: one that repeats, and one with each question alone, since on the CPU company changes no bit.
//
//   node test/performance/execution-provider.bench.mjs [cuda|webgpu] [--only] [--model FOLDER] [--out FILE.json]      THREADS=2
//
// --only: without the CPU's side. --model: a generator of models/, on problems of its world; else SmolLM2-135M-Instruct.
// On NVIDIA's, cuBLAS rounds factors to TF32; NVIDIA_TF32_OVERRIDE=0 forbids it.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { smolLm2 } from '../../infra/dev/dist/index.js';
import { DOMAINS, entrySchemaFor, worldProblems } from '../../libs/embedded-world/dist/index.js';
import { loadPrompts } from '../../libs/experience/dist/index.js';
import { LanguageModel } from '../../libs/language-model/dist/index.js';

const { values: given, positionals } = parseArgs({
  options: { only: { type: 'boolean' }, model: { type: 'string' }, out: { type: 'string' } },
  allowPositionals: true,
});
const provider = positionals[0] ?? 'cuda';
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

async function questions() {
  if (given.model === undefined)
    return QUESTIONS.map((question) => ({
      text: `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`,
      schema: SCHEMA,
      stop: { stopTokenIds: [STOP] },
    }));
  const prompts = await loadPrompts();
  return worldProblems({ seed: 'providers', split: 'heldOut', variant: 'base', count: 8 * DOMAINS.length }).map(
    ({ prompt, domain }) => ({ text: prompts.generator(prompt), schema: entrySchemaFor(domain), stop: {} }),
  );
}

const asked = await questions();
const WORKS = {
  greedy: { seeds: ['0'], sampling: { ...SAMPLED, temperature: 0, maxTokens: 48 } },
  sampled: { seeds: GROUP, sampling: SAMPLED },
  underSchema: { seeds: GROUP, sampling: SAMPLED, isBound: true },
};

/** Requests of all questions. */
function requestsOf(model, { isBound, ...work }) {
  return asked.map(({ text, schema, stop }) => ({
    promptTokenIds: model.tokenizer.encode(text),
    ...stop,
    ...work,
    ...(isBound ? { schema } : {}),
  }));
}

/** What the questions are answered, and how long it took; a first answer warms up. */
async function written(model, requests) {
  await model.generate(requests.slice(0, 1));
  const begun = performance.now();
  const rows = (await model.generate(requests)).flat();
  const seconds = (performance.now() - begun) / 1000;
  const tokens = rows.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0);
  return { rows, figures: { tokens, seconds, tokensPerSecond: Math.round(tokens / seconds) } };
}

/** How two sides' rows differ: the largest distance of recorded log-probabilities before they part, and where they part. */
function difference(ours, theirs) {
  const rows = ours.map((row, at) => {
    const other = theirs[at];
    const length = row.tokenIds.findIndex((token, place) => token !== other.tokenIds[place]);
    const common = length < 0 ? row.tokenIds.length : length;
    const nats = row.logProbs.slice(0, common).map((value, place) => Math.abs(value - other.logProbs[place]));
    const isSame = length < 0 && row.tokenIds.length === other.tokenIds.length;
    return { row: at, common, isSame, nats: Math.max(0, ...nats) };
  });
  return {
    same: rows.filter(({ isSame }) => isSame).length,
    of: rows.length,
    nats: Math.max(...rows.map(({ nats }) => nats)),
    parted: rows.filter(({ isSame }) => !isSame),
  };
}

/** By how many nats each side prefers its token to the other's, where rows part. */
async function gaps(model, requests, ours, theirs, parted) {
  const perRequest = ours.length / requests.length;
  const sequences = parted.flatMap(({ row, common }) =>
    [ours, theirs].map((side) => {
      const tokenIds = [
        ...requests[Math.floor(row / perRequest)].promptTokenIds,
        ...side[row].tokenIds.slice(0, common + 1),
      ];
      return { tokenIds, targets: [tokenIds.length - 1] };
    }),
  );
  const scores = (await model.logProbabilities(sequences)).map(([score]) => score);
  return parted.map((_, at) => scores[2 * at] - scores[2 * at + 1]);
}

const folder = given.model ?? (await smolLm2()).folder;
const load = (executionProvider) => LanguageModel.load(folder, { threads, executionProvider, digest: 'remembered' });
const on = await load(provider);
const cpu = given.only ? undefined : await load('cpu');
const report = { folder, provider, threads, tf32: process.env.NVIDIA_TF32_OVERRIDE ?? 'default', works: {} };
for (const [what, work] of Object.entries(WORKS)) {
  const requests = requestsOf(on, work);
  const here = await written(on, requests);
  console.log(what, provider, JSON.stringify(here.figures));
  const again = (await on.generate(requests)).flat();
  const alone = [];
  for (const request of requests.slice(0, 8)) alone.push(...(await on.generate([request])).flat());
  const found = {
    figures: here.figures,
    again: difference(here.rows, again),
    alone: difference(here.rows.slice(0, alone.length), alone),
  };
  if (cpu !== undefined) {
    const there = await written(cpu, requests);
    console.log(what, 'cpu', JSON.stringify(there.figures));
    found.cpu = { figures: there.figures, ...difference(here.rows, there.rows) };
    const isGreedy = work.sampling.temperature === 0;
    for (const model of isGreedy ? [cpu, on] : []) {
      const nats = await gaps(model, requests, here.rows, there.rows, found.cpu.parted);
      found.cpu[model === cpu ? 'gapsOnCpu' : 'gapsOnProvider'] = nats;
    }
  }
  for (const [side, { same, of, nats }] of Object.entries(found).filter(([name]) => name !== 'figures'))
    console.log(`${what}: ${same} of ${of} texts as ${side}; before they part ${nats.toExponential(1)} nats`);
  if (found.cpu?.gapsOnCpu?.length) console.log(what, JSON.stringify(found.cpu));
  report.works[what] = found;
}
await on.close();
await cpu?.close();
if (given.out) writeFileSync(given.out, JSON.stringify(report));
