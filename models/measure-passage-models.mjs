/** How well the models of self-edits do what they were trained to; prints one table per model. */
import { editText, loadEntrySchemas } from '@seamstream/experience';
import { documentsOf, innerUpdate, innerUpdateSchema } from '@seamstream/inner-update';
import { Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelTraining } from '@seamstream/model-clients';
import {
  ATTRIBUTES,
  drawEdit,
  drawPassage,
  EDIT_STYLES,
  question,
  reversed,
  statement,
} from '@seamstream/passage-world';
import { entryKind, writerPrompt } from '@seamstream/self-edits';
import { SELF_EDIT } from './passage-texts.mjs';

const PASSAGES = 100;
/** As the demonstration sets them (apps/standalone/src/methods.ts). */
const INNER_UPDATE = { rank: 8, alpha: 16, learningRate: 0.01, epochs: 10, batchSize: 8, plateau: { patience: 0 } };
const EDIT_TOKENS = 128;
const RESPONSE_TOKENS = 4;

const inThree = (share) => Number(share.toFixed(3));
const probes = () => Array.from({ length: PASSAGES }, (_, probe) => drawPassage('heldOut', Random.of('measure', probe)));

/** Questions that are right after a training on an edit of each style, on the passage alone, and without one. */
export async function measurePassageExecutor(folder, prompts) {
  const model = await LanguageModel.load(folder);
  const engine = new LanguageModelTraining(folder, model, { threads: 2, executionProvider: 'cpu' });
  const settings = innerUpdateSchema.parse(INNER_UPDATE);
  const answers = async (adapter, facts) => {
    const written = await model.generate(
      facts.map((fact) => ({
        promptTokenIds: model.tokenizer.encode(prompts.executor(question(fact), null)),
        seeds: ['greedy'],
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: RESPONSE_TOKENS },
      })),
      adapter === null ? {} : { adapter },
    );
    return written.map(([answer]) => model.tokenizer.decode(answer.tokenIds).split('\n')[0].trim());
  };
  const table = {};
  for (const arm of ['nothing', 'passage', ...EDIT_STYLES]) {
    let [right, whole] = [0, 0];
    for (const [probe, told] of probes().entries()) {
      const edit = EDIT_STYLES.includes(arm)
        ? drawEdit(told, Random.of('measure', probe), arm, { isPure: true }).split('\n')
        : [];
      const documents = documentsOf([...edit, told.passage], (text) => model.tokenizer.encode(text), 512);
      const adapter =
        arm === 'nothing' ? null : (await innerUpdate(engine, { documents, settings, seed: String(probe) })).adapter;
      const given = await answers(adapter, told.facts);
      const correct = given.filter((answer, at) => answer === told.facts[at].value).length;
      right += correct;
      if (correct === told.facts.length) whole++;
    }
    table[arm] = { right: inThree(right / PASSAGES / probes()[0].facts.length), 'all right': inThree(whole / PASSAGES) };
  }
  console.table(table);
  await engine.close();
  await model.close();
}

/** What the lines of its edits are, drawn at temperature 1. */
export async function measurePassageGenerator(folder) {
  const model = await LanguageModel.load(folder);
  const schemaFor = await loadEntrySchemas(SELF_EDIT);
  const told = probes();
  const written = await model.generate(
    told.map(({ passage }) => ({
      promptTokenIds: model.tokenizer.encode(writerPrompt(entryKind(SELF_EDIT), { title: null, passage })),
      seeds: ['0', '1', '2', '3', '4'],
      sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: EDIT_TOKENS },
      schema: schemaFor('people'),
    })),
  );
  const counts = {};
  written.forEach((edits, at) => {
    for (const { tokenIds } of edits) {
      for (const line of editText(model.tokenizer.decode(tokenIds)).split('\n')) {
        const kind = kindOf(line, told[at].facts);
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
    }
  });
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  console.table(Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kind, inThree(count / total)])));
  await model.close();
}

/** What a line is of these facts. */
function kindOf(line, facts) {
  const every = (of, fact) => new Set(Array.from({ length: 16 }, (_, draw) => of(fact, Random.of(draw))));
  for (const fact of facts) {
    if (every(statement, fact).has(line)) return 'true statement';
    if (every(reversed, fact).has(line)) return 'true, reversed';
    if (line === `${question(fact)} ${fact.value}`) return 'true question';
  }
  const isAboutThem = facts.some(({ name }) => line.includes(name));
  const hasValue = ATTRIBUTES.some(({ values }) => values.some((value) => line.includes(value)));
  return isAboutThem && !hasValue ? 'remark' : 'wrong or broken';
}
