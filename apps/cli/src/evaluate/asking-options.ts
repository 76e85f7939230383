/** What commands that ask models have in common: options, and what they show meanwhile. */
import { type AskingObserver, DEFAULT_SET, WORLD_SETS } from '@seamstream/operations/evaluate';
import { Option } from 'commander';
import type { CommandRuntime } from '../command-runtime.js';
import { readingOf } from '../read-models/read-model-options.js';
import { stageProgress } from '../terminal/progress.js';
import { tellUnknownWords, type Way } from './shipped-models.js';

export function setOption(): Option {
  return new Option(
    '--set <name>',
    `without FILE: which problems of the folder's demonstration; new-words: attributes alone, shifted: what appeared late in its stream, where something does (default: "${DEFAULT_SET}")`,
  ).choices([...WORLD_SETS]);
}

export function predictionsOption(): Option {
  return new Option(
    '--predictions <file>',
    'write every answer as JSON Lines: problem, arm, entry, response, answer, verdict; until all are known, in FILE.….part',
  );
}

/** Of every command that writes what it found into files. */
export function forceOption(): Option {
  return new Option('--force', 'replace a file that is there');
}

/** Runs an operation that asks models, with bars for its stages. @param show is given the result before anything is written */
export async function askingModels<Result>(
  runtime: CommandRuntime,
  ways: readonly Way[],
  show: (result: Result) => void,
  work: (observer: AskingObserver<Result>) => Promise<Result>,
): Promise<Result> {
  const { terminal } = runtime;
  const bars = stageProgress(terminal);
  try {
    return await work({
      opened: (models, questions) => tellUnknownWords(terminal, models, questions, ways),
      reading: readingOf(runtime),
      progress: bars.show,
      measured(result) {
        bars.stop();
        show(result);
      },
      tell: (remark) => terminal.remark(remark),
    });
  } finally {
    bars.stop();
  }
}
