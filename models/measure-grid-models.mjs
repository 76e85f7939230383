/** How well the models of tasks on grids do what they were trained to; prints one table per model. */
import { loadEntrySchemas } from '@seamstream/experience';
import { answerText, familiesOf, FAMILY_NAMES, generateTask, promptText, readToolConfiguration } from '@seamstream/grid-tasks';
import { LanguageModel } from '@seamstream/language-model';
import { editWriter } from '@seamstream/self-edits';
import { KNOWN_FAMILIES } from './grid-texts.mjs';

const TASKS = 20;
const GRID_TOKENS = 120;
const ENTRY_TOKENS = 128;

const inThree = (share) => Number(share.toFixed(3));
const probes = FAMILY_NAMES.flatMap((family) =>
  Array.from({ length: TASKS }, (_, probe) => {
    const { train, test } = generateTask(family, { seed: `measure/${probe}`, maxSide: 3 });
    return { family, prompt: promptText(train, test[0].input), answer: answerText(test[0].output) };
  }),
);

/** Tasks that are solved from the pairs in the prompt, without a training, by family. */
export async function measureGridExecutor(folder) {
  const model = await LanguageModel.load(folder);
  const written = await model.generate(
    probes.map(({ prompt }) => ({
      promptTokenIds: model.tokenizer.encode(prompt),
      seeds: ['greedy'],
      sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: GRID_TOKENS },
    })),
  );
  const table = {};
  for (const [at, { family, answer }] of probes.entries()) {
    const row = (table[family] ??= { known: KNOWN_FAMILIES.includes(family), solved: 0 });
    if (model.tokenizer.decode(written[at][0].tokenIds).startsWith(answer)) row.solved += 1 / TASKS;
  }
  for (const row of Object.values(table)) row.solved = inThree(row.solved);
  console.table(table);
  await model.close();
}

/** What its configurations have, drawn at temperature 1 under their grammar. */
export async function measureGridGenerator(folder) {
  const model = await LanguageModel.load(folder);
  const schemaFor = await loadEntrySchemas('tool-configuration');
  const written = await model.generate(
    probes.map(({ prompt }, at) => ({
      promptTokenIds: model.tokenizer.encode(editWriter('tool-configuration').prompt(prompt)),
      seeds: [String(at)],
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: ENTRY_TOKENS },
      schema: schemaFor('generated-grids'),
    })),
  );
  const counts = {};
  const count = (name) => (counts[name] = (counts[name] ?? 0) + 1);
  for (const [{ tokenIds }] of written) {
    const { value, failure } = readToolConfiguration(model.tokenizer.decode(tokenIds));
    if (failure !== undefined) count(failure.reason);
    else {
      for (const family of familiesOf(value)) count(family);
      const { strategy, learning_rate: rate, num_train_epochs: epochs } = value.training;
      for (const name of [strategy, `rate ${rate}`, `epochs ${epochs}`]) count(name);
    }
  }
  const shares = Object.entries(counts).map(([name, times]) => [name, inThree(times / written.length)]);
  console.table(Object.fromEntries(shares.sort(([a], [b]) => (a < b ? -1 : 1))));
  await model.close();
}
