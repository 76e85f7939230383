// Grids, tasks and tool configurations: any text gives a value that holds its bounds, a reason, or a typed error.
import {
  answerText,
  generateTask,
  MAX_SIDE,
  parseGrid,
  parseGridTask,
  printGrid,
  readAnswer,
  readToolConfiguration,
} from '@seamstream/grid-tasks';

export const name = 'grid-tasks';

const { train, test } = generateTask('gravity', { seed: 'fuzz' });
const CONFIGURATION = {
  data_generation: {
    use_basic_augmentations: true,
    use_size_augmentations: false,
    use_chain_augmentations: true,
    use_repeat_augmentations: false,
  },
  training: { strategy: 'train_using_all_tokens', learning_rate: 0.0001, num_train_epochs: 2 },
};
export const seeds = [
  JSON.stringify({ train, test }),
  JSON.stringify(CONFIGURATION),
  printGrid(train[0].input),
  `${answerText(train[0].input)}Input:\n0 1\n2 3`,
].map((text) => new TextEncoder().encode(text));

export function run(bytes) {
  const text = new TextDecoder().decode(bytes);
  const answer = readAnswer(text);
  if (answer !== undefined) mustHold(answer);
  const { value: configuration, failure } = readToolConfiguration(text);
  if (configuration?.training.num_train_epochs > 375) throw new Error('a configuration is out of its bounds');
  if (failure !== undefined && Array.from(failure.detail).length > 300)
    throw new Error('the reason of a failure has no bound');
  const json = jsonOf(text);
  if (json === undefined) mustHold(parseGrid(text));
  else for (const pair of parseGridTask(json).train) [pair.input, pair.output].forEach(mustHold);
}

function mustHold(grid) {
  if (Math.max(grid.length, grid[0].length) > MAX_SIDE) throw new Error('a grid is out of its bounds');
  if (printGrid(parseGrid(printGrid(grid))) !== printGrid(grid)) throw new Error('a grid is read as another one');
}

function jsonOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
