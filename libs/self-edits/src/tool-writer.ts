/** What the writer of a tool configuration reads: the pairs of a task on grids and the tools, and never the input that is asked for. */
import type { EntryWriter } from '@seamstream/experience';
import { printGrid, readPrompt } from '@seamstream/grid-tasks';
import { sha256 } from '@seamstream/kernel';

const PAIRS = '{pairs}';

const TEMPLATE = `A model is trained on the pairs below before it solves the task that they show. Choose how.

${PAIRS}

Augmentations, each on or off:
use_basic_augmentations: rotations, flips, the transpose, mirrors, a shift
use_size_augmentations: double resolution, height or width
use_chain_augmentations: a rotation, flip or transpose, then double resolution
use_repeat_augmentations: the grid repeated downwards, to the right, both

Training:
strategy: train_using_all_tokens, or train_using_output_tokens
learning_rate: 0.000001 to 0.01
num_train_epochs: 1 to 375; at most 375 steps of two examples

The choice as one JSON object:
`;

const IDENTITY = `tool-configuration@${sha256(TEMPLATE)}`;

export const toolWriter: EntryWriter = {
  identity: IDENTITY,
  prompt: (problem) => {
    const asked = readPrompt(problem);
    if (asked === undefined) return undefined;
    const pairs = asked.pairs.map(({ input, output }) => `Input:\n${printGrid(input)}\nOutput:\n${printGrid(output)}`);
    return TEMPLATE.replace(PAIRS, () => pairs.join('\n\n'));
  },
};
