/**
 * The examples that a task's own pairs give for test-time training (arXiv 2411.07279, section 3; arXiv 2506.10943, appendix A.2):
 *
 *   pairs ─► leave one out, leave two out ─► augmentations ─► each also with colours and order permuted ─► at most 250, seeded
 *
 * Only the task's training pairs enter. A test input or output cannot leak, because it is not an argument.
 */
import { Random } from '@seamstream/kernel';
import { type Augmentation, augmentationsOf, IDENTITY, randomRecolour } from './augmentations.js';
import type { GridPair } from './grid-task.js';
import { answerText, promptText } from './task-text.js';
import { familiesOf, type ToolConfiguration } from './tool-configuration.js';

/** As released. */
export const MAX_EXAMPLES = 250;
/** As released: tokens of a whole example. */
export const MAX_TOKENS = 8192;

export interface TrainingSetSettings {
  /** Decides the shift, the permutations and which examples stay; the same seed gives the same examples in the same order. */
  readonly seed: string;
  /** Tokens of a text, as the model counts them. */
  readonly countTokens: (text: string) => number;
  readonly maxExamples?: number;
  readonly maxTokens?: number;
}

export interface GridTrainingExample {
  /** Prompt and answer. */
  readonly text: string;
  /** The characters of `text` that carry loss, the end exclusive: all, or the answer. */
  readonly loss: { readonly begin: number; readonly end: number };
  readonly numTokens: number;
  /** Names of what was applied to every grid, for figures by augmentation. */
  readonly augmentation: string;
  readonly isPermuted: boolean;
}

export interface TrainingSet {
  readonly examples: readonly GridTrainingExample[];
  /** Candidates that are not among the examples, by reason. */
  readonly left: {
    /** A grid would have a side over 30. */
    readonly tooLarge: number;
    readonly tooLong: number;
    readonly duplicates: number;
    /** Not looked at, since there were enough. */
    readonly overCap: number;
  };
}

/** Which pairs are shown, and which is asked for. */
interface LeftOut {
  readonly shown: readonly GridPair[];
  readonly asked: GridPair;
}

/** Before its grids are computed: most candidates of a large task are never needed. */
interface Candidate extends LeftOut {
  readonly augmentation: Augmentation;
  readonly permutation: Random | undefined;
}

/** The training examples of a task's pairs under a configuration, in a seeded order. */
export function trainingSet(
  pairs: readonly GridPair[],
  configuration: ToolConfiguration,
  { seed, countTokens, maxExamples = MAX_EXAMPLES, maxTokens = MAX_TOKENS }: TrainingSetSettings,
): TrainingSet {
  const isOnOutputs = configuration.training.strategy === 'train_using_output_tokens';
  const candidates = Random.of(seed, 'order').shuffled(candidatesOf(pairs, configuration, seed));
  const examples: GridTrainingExample[] = [];
  const left = { tooLarge: 0, tooLong: 0, duplicates: 0, overCap: 0 };
  const seen = new Set<string>();
  for (const candidate of candidates) {
    if (examples.length === maxExamples) {
      left.overCap++;
      continue;
    }
    const made = applied(candidate);
    if (made === undefined) {
      left.tooLarge++;
      continue;
    }
    const prompt = promptText(made.shown, made.asked.input);
    const text = `${prompt}${answerText(made.asked.output)}`;
    if (seen.has(text)) {
      left.duplicates++;
      continue;
    }
    seen.add(text);
    const numTokens = countTokens(text);
    if (numTokens > maxTokens) {
      left.tooLong++;
      continue;
    }
    examples.push({
      text,
      loss: { begin: isOnOutputs ? prompt.length : 0, end: text.length },
      numTokens,
      augmentation: candidate.augmentation.name,
      isPermuted: candidate.permutation !== undefined,
    });
  }
  return { examples, left };
}

/**
 * Tasks that ask for one of the pairs and show the others, or the others but one. Of N pairs N and N · (N − 1); at least one is shown, so
 * one pair gives no task, and two give those of the first kind alone.
 */
export function leaveOut(pairs: readonly GridPair[]): readonly LeftOut[] {
  return pairs.flatMap((asked, index) => {
    const others = pairs.filter((_, other) => other !== index);
    const withoutOne = others.map((_, without) => others.filter((_pair, other) => other !== without));
    return [others, ...withoutOne].filter((shown) => shown.length > 0).map((shown) => ({ shown, asked }));
  });
}

function candidatesOf(pairs: readonly GridPair[], configuration: ToolConfiguration, seed: string): Candidate[] {
  const augmentations = familiesOf(configuration).flatMap((family) => augmentationsOf(family, Random.of(seed, family)));
  return leaveOut(pairs).flatMap((task, index) =>
    [IDENTITY, ...augmentations].flatMap((augmentation) => [
      { ...task, augmentation, permutation: undefined },
      { ...task, augmentation, permutation: Random.of(seed, index, augmentation.name) },
    ]),
  );
}

/** Undefined where a grid would become too large. */
function applied({ shown, asked, augmentation, permutation }: Candidate): LeftOut | undefined {
  const colours = permutation === undefined ? IDENTITY : randomRecolour(permutation);
  const ordered = permutation === undefined ? shown : permutation.shuffled(shown);
  const all = [...ordered, asked].map((pair) => augmented(pair, augmentation));
  if (!all.every((pair) => pair !== undefined)) return undefined;
  const recoloured = all.map(({ input, output }) => ({ input: colours.apply(input), output: colours.apply(output) }));
  return { shown: recoloured.slice(0, -1), asked: recoloured.at(-1)! };
}

function augmented(pair: GridPair, { apply }: Augmentation): GridPair | undefined {
  const [input, output] = [apply(pair.input), apply(pair.output)];
  return input === undefined || output === undefined ? undefined : { input, output };
}
