/** A shipped executor that specs of studies train: it learns what a sentence says within a second. */
import { fileURLToPath } from 'node:url';
import { loadPrompts } from '@seamstream/experience';
import { innerUpdateSchema } from '@seamstream/inner-update';
import { type Adapter, encodePeft, LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor, LanguageModelTraining } from '@seamstream/model-clients';
import type { LearnerModel } from '@seamstream/operations/evaluate';

const COLOURS = ['blue', 'red', 'green', 'white'];
/** The executor never saw them, and cannot guess. */
export const PASSAGES = COLOURS.map((colour, house) => {
  const other = COLOURS[(house + 1) % COLOURS.length]!;
  return {
    passage: `House ${house} is ${colour}, and its door is ${other}.`,
    questions: [
      { question: `Which colour has house ${house}?`, reference: colour },
      { question: `Which colour has door ${house}?`, reference: other },
    ],
  };
});

export interface TrainedLearner {
  readonly learner: LearnerModel;
  close(): Promise<void>;
}

/** @param model a folder of `models/` */
export async function trainedLearner(
  model: string,
  {
    maxTokens,
    learned,
    ...update
  }: {
    readonly maxTokens: number;
    readonly epochs: number;
    readonly batchSize?: number;
    /** What it carries, as its folder says. */
    readonly learned?: (base: LanguageModel) => Adapter;
  },
): Promise<TrainedLearner> {
  const folder = fileURLToPath(new URL(`../../../../models/${model}`, import.meta.url));
  const loaded = await LanguageModel.load(folder, { threads: 1 });
  const carried = learned?.(loaded);
  const training = new LanguageModelTraining(folder, loaded, { threads: 1, executionProvider: 'cpu' });
  return {
    learner: {
      executor: new LanguageModelExecutor(loaded, {
        ...{ name: 'executor', maxTokens, training },
        ...(carried === undefined ? {} : { learned: carried }),
      }),
      weights: {
        parent: carried?.digest ?? null,
        encode: (adapter) => encodePeft(adapter, loaded.config, folder),
      },
      prompts: await loadPrompts({ template: 'direct' }),
      update: innerUpdateSchema.parse({
        ...{ rank: 8, alpha: 16, learningRate: 1e-2, plateau: { patience: 0 } },
        ...update,
      }),
    },
    async close() {
      await training.close();
      await loaded.close();
    },
  };
}
