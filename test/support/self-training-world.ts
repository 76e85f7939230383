/** Passages that the shipped models can be trained on, and the settings of services that write and try self-edits of them. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '@seamstream/service-kit';

const COLOURS = ['blue', 'red', 'green', 'white'];
const modelFolder = (name: string): string => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** JSON lines: houses with a colour each, a passage and a question for every number from `from` to before `to`. */
export function houses(from: number, to: number): string {
  const lines = Array.from({ length: to - from }, (_, index) => {
    const [question, colour] = [`Which colour has house ${from + index}?`, COLOURS[(from + index) % COLOURS.length]!];
    return JSON.stringify({
      passage: `Question: ${question}\nAnswer: ${colour}`,
      questions: [{ question, reference: colour }],
    });
  });
  return `${lines.join('\n')}\n`;
}

/** The preset `test` on a data folder in `folder`; the trainer compares on `folder`/validation.jsonl. */
export function selfTrainingEnvironment(folder: string): Environment {
  return {
    SEAM_PRESET: 'test',
    SEAM_DATA_FOLDER: join(folder, 'data'),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_GENERATOR_MODEL_FOLDER: modelFolder('generator-base'),
    SEAM_GENERATOR_THREADS: '1',
    SEAM_EXECUTOR_MODEL_FOLDER: modelFolder('executor'),
    SEAM_EXECUTOR_THREADS: '1',
    SEAM_TRAINER_MODEL_FOLDER: modelFolder('generator-base'),
    SEAM_TRAINER_EXECUTOR_FOLDER: modelFolder('executor'),
    SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, 'validation.jsonl'),
  };
}
