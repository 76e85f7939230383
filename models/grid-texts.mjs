/**
 * What the models of tasks on grids are trained on: generated tasks. The executor learns to read tasks of a few families of rules; others
 * are new to it. The generator learns to write tool configurations of every kind, and nothing about which of them help.
 */
import { editWriter } from '@seamstream/self-edits';
import { answerText, FAMILY_NAMES, generateTask, promptText } from '@seamstream/grid-tasks';
import { Random } from '@seamstream/kernel';
import { trainByteLevelBpe } from '@seamstream/tokenizer';
import { END_ID, END_TOKEN } from './training-texts.mjs';

/** Families of rules that the executor is trained on; all others are new to it. */
export const KNOWN_FAMILIES = ['recolour', 'flip', 'transpose', 'most-common'];
/** The smallest grids. */
const TASK = { maxSide: 3, numTrain: 3 };
const LEARNING_RATES = [1e-5, 1e-4, 1e-3, 3e-3, 1e-2];
const EPOCHS = [1, 2, 4, 8, 16];
const STRATEGIES = ['train_using_all_tokens', 'train_using_output_tokens'];

const { prompt: request } = editWriter('tool-configuration');

const drawnTask = (random, families) =>
  generateTask(random.pick(families), { ...TASK, seed: `models/${random.int(1_000_000_000)}` });

/** A configuration of every kind alike. */
function drawnConfiguration(random) {
  const isOn = () => random.float() < 0.5;
  return JSON.stringify({
    data_generation: {
      use_basic_augmentations: isOn(),
      use_size_augmentations: isOn(),
      use_chain_augmentations: isOn(),
      use_repeat_augmentations: isOn(),
    },
    training: {
      strategy: random.pick(STRATEGIES),
      learning_rate: random.pick(LEARNING_RATES),
      num_train_epochs: random.pick(EPOCHS),
    },
  });
}

/** Learned from texts in which digits stand apart, so that each cell is a token. */
export function makeGridTokenizer(_prompts, vocabularySize) {
  const random = Random.of('grid tokenizer');
  const asked = request(promptText([{ input: [[0]], output: [[0]] }], [[0]]));
  const texts = Array.from({ length: 400 }, () => `${asked}${drawnConfiguration(random)}`.replaceAll(/\d/g, ' 0 '));
  return trainByteLevelBpe(texts, vocabularySize, [END_TOKEN]);
}

/** A task of a known family with its answer; every output but the first is trained. */
export function solvingSequence(random, tokenizer) {
  const { train, test } = drawnTask(random, KNOWN_FAMILIES);
  const text = `${promptText(train, test[0].input)}${answerText(test[0].output)}`;
  const tokenIds = [...tokenizer.encode(text), END_ID];
  const outputs = [...text.matchAll(/Output:\n(.*?\n\n)/gs)].slice(1);
  const spans = outputs.map(({ index, 1: output }) => [index + 'Output:\n'.length, output.length]);
  const targets = [];
  let at = 0;
  for (const [index, tokenId] of tokenIds.entries()) {
    if (spans.some(([begin, length]) => at >= begin && at < begin + length)) targets.push(index);
    at += tokenizer.decode([tokenId]).length;
  }
  return { tokenIds, targets };
}

/** The request for a configuration of a task of any family, and one that is drawn; the configuration is trained. */
export function configuringSequence(random, tokenizer) {
  const { train, test } = drawnTask(random, FAMILY_NAMES);
  const given = tokenizer.encode(request(promptText(train, test[0].input)));
  const tokenIds = [...given, ...tokenizer.encode(drawnConfiguration(random)), END_ID];
  return { tokenIds, targets: Array.from({ length: tokenIds.length - given.length }, (_, index) => given.length + index) };
}
