/**
 * A world that fits into a test: an executor that was taught to answer with the word in the entry's first place, and a
 * generator with random weights that has to learn which word a problem asks for. Real models, a few thousand weights.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventOf, originMeta, type Problem } from '@seamstream/events';
import { domainEntrySchema, loadPrompts } from '@seamstream/experience';
import { derivedId, Random } from '@seamstream/kernel';
import { checkpointShapes, type ModelConfig, saveCheckpoint, TrainingSession } from '@seamstream/language-model';
import { type StoredTensor } from '@seamstream/model-files';
import type { Environment } from '@seamstream/service-kit';
import { Tokenizer, trainByteLevelBpe } from '@seamstream/tokenizer';

const WORDS = ['carry', 'borrow', 'halve'];
const END = '<|end|>';
/** The trainer of tokenizers puts special tokens first. */
const END_ID = 0;
const SCHEMA = domainEntrySchema({
  concepts: { words: WORDS },
  strategy: { words: ['now'] },
  pitfalls: { words: ['none'] },
});
const MODEL: ModelConfig = {
  family: 'llama',
  vocabularySize: 340,
  hiddenSize: 32,
  layers: 1,
  heads: 2,
  keyValueHeads: 1,
  headDimension: 16,
  intermediateSize: 48,
  ropeTheta: 10_000,
  rmsNormEpsilon: 1e-5,
  tieWordEmbeddings: true,
  attentionBias: false,
  queryKeyNorm: false,
  maxPositions: 160,
};
const EXECUTOR_STEPS = 60;

/** Problems per round. */
export const TOY_ROUND = 24;

export interface ToyWorld {
  /** Everything lies under it. */
  readonly folder: string;
  readonly generatorFolder: string;
  readonly executorFolder: string;
  readonly entrySchemas: string;
  readonly validationProblems: string;
}

const entryOf = (word: string): string => JSON.stringify({ concepts: [word], strategy: ['now'], pitfalls: ['none'] });

/** The problem with this number; equal numbers, equal problems. */
export function toyProblem(set: string, number: number): Problem {
  const word = WORDS[number % WORDS.length]!;
  return {
    problemId: `${set}-${number}`,
    domain: 'toys',
    prompt: `Task ${number % 97}: please ${word}.`,
    reference: word,
    verifier: { kind: 'exact', version: '1', options: {} },
    metadata: {},
  };
}

export function toyPublication(set: string, number: number): EventOf<'ProblemPublished'> {
  const problem = toyProblem(set, number);
  const messageId = derivedId(problem.problemId, 'published');
  return {
    type: 'ProblemPublished',
    feedbackWithinMs: null,
    task: null,
    meta: originMeta({
      messageId,
      correlationId: problem.problemId,
      source: 'seam/test',
      occurredAt: 1_700_000_000_000,
      sourceClass: 'trusted',
    }),
    problem,
    mode: 'explore',
    expiresAt: null,
  };
}

/** What the services are started with in this world. */
export function toyEnvironment(world: ToyWorld, dataFolder: string): Environment {
  const { entrySchemas, generatorFolder, executorFolder, validationProblems } = world;
  const algorithm = { batchSize: 32, duration: { unit: 'steps', steps: 8 } };
  return {
    SEAM_DATA_FOLDER: dataFolder,
    SEAM_ENTRY_SCHEMAS: entrySchemas,
    SEAM_GENERATOR_MODEL_FOLDER: generatorFolder,
    SEAM_GENERATOR_GROUP_SIZE: '4',
    SEAM_GENERATOR_THREADS: '1',
    SEAM_GENERATOR_MAX_BATCH_RECORDS: '4',
    SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '40',
    SEAM_EXECUTOR_MODEL_FOLDER: executorFolder,
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_EXECUTOR_MAX_TOKENS: '16',
    SEAM_EXECUTOR_MAX_BATCH_RECORDS: '16',
    SEAM_BUFFER_COMMIT_EVERY_PROBLEMS: String(TOY_ROUND),
    SEAM_BUFFER_RULES_UNCAPPED_SUBJECTS: JSON.stringify(['(nobody)']),
    SEAM_TRAINER_TRAIN_EVERY_PROBLEMS: String(TOY_ROUND),
    SEAM_TRAINER_MODEL_FOLDER: generatorFolder,
    SEAM_TRAINER_EXECUTOR_FOLDER: executorFolder,
    SEAM_TRAINER_VALIDATION_PROBLEMS: validationProblems,
    // Of two dozen problems: that adapters follow one another is what these tests need, not that each is better beyond chance.
    SEAM_TRAINER_PROMOTION_RULE: 'tolerance',
    SEAM_TRAINER_ENTRY_MAX_TOKENS: '40',
    SEAM_TRAINER_RESPONSE_MAX_TOKENS: '16',
    SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '2',
    SEAM_TRAINER_THREADS: '2',
    SEAM_TRAINER_ALGORITHMS: JSON.stringify({
      sft: { ...algorithm, minRows: 4, learningRate: { peak: 1e-2 } },
      grpo: { ...algorithm, learningRate: { peak: 3e-3 } },
    }),
  };
}

/** Makes the world in a new folder, in a few seconds; equal every time. */
export async function createToyWorld(): Promise<ToyWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'toy-world-'));
  const prompts = await loadPrompts();
  const problems = Array.from({ length: 120 }, (_, number) => toyProblem('lesson', number));
  const lessons = problems.flatMap(({ prompt }) =>
    WORDS.map((word) => ({ prompt: prompts.executor(prompt, entryOf(word)), answer: `Answer: ${word}` })),
  );
  const tokenizerJson = trainByteLevelBpe(
    [...lessons.slice(0, 60).map(({ prompt, answer }) => prompt + answer)],
    MODEL.vocabularySize,
    [END],
  );
  const tokenizer = Tokenizer.fromJson(tokenizerJson);
  const save = async (name: string, tensors: ReadonlyMap<string, StoredTensor>): Promise<string> => {
    const target = join(folder, name);
    await saveCheckpoint(target, {
      config: MODEL,
      tensors,
      generation: { eosTokenIds: [END_ID] },
      tokenizer: tokenizerJson,
    });
    return target;
  };
  const untaught = await save('executor-untaught', randomTensors('executor'));
  const session = await TrainingSession.create({
    checkpoint: untaught,
    trainable: { kind: 'full' },
    objective: { kind: 'negative-log-likelihood' },
    threads: 2,
  });
  try {
    const random = Random.of('lessons');
    for (let step = 0; step < EXECUTOR_STEPS; step++) {
      const batch = Array.from({ length: 24 }, () => random.pick(lessons)).map(({ prompt, answer }) => {
        const promptIds = tokenizer.encode(prompt);
        const answerIds = [...tokenizer.encode(answer), END_ID];
        const targets = answerIds.map((_, index) => promptIds.length + index);
        return {
          tokenIds: [...promptIds, ...answerIds],
          targets,
          weights: targets.map(() => 1 / (24 * targets.length)),
        };
      });
      await session.step(batch, {
        learningRate: 1e-2,
        beta1: 0.9,
        beta2: 0.95,
        epsilon: 1e-8,
        weightDecay: 0,
        clipNorm: 1,
      });
    }
    const entrySchemas = join(folder, 'entry-schemas.json');
    await writeFile(entrySchemas, JSON.stringify({ toys: SCHEMA }));
    const validationProblems = join(folder, 'validation.jsonl');
    await writeFile(
      validationProblems,
      Array.from({ length: 24 }, (_, number) => `${JSON.stringify(toyProblem('validation', 1000 + number))}\n`).join(
        '',
      ),
    );
    return {
      folder,
      generatorFolder: await save('generator', randomTensors('generator')),
      executorFolder: await save('executor', await session.exportTensors()),
      entrySchemas,
      validationProblems,
    };
  } finally {
    await session.close();
  }
}

function randomTensors(seed: string): Map<string, StoredTensor> {
  return new Map(
    [...checkpointShapes(MODEL)].map(([name, shape]) => {
      const random = Random.of('toy world', seed, name);
      const size = shape.reduce((total, length) => total * length, 1);
      const spread = name.includes('norm') ? 0 : name.includes('embed') ? 0.3 : 1 / Math.sqrt(shape.at(-1)!);
      const center = name.includes('norm') ? 1 : 0;
      return [
        name,
        { shape: [...shape], data: Float32Array.from({ length: size }, () => center + spread * random.normal()) },
      ];
    }),
  );
}
