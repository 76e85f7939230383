import { join } from 'node:path';
import { FilesTracker } from '@seamstream/experiment-tracking';
import { isMeant, onOneLine, SeamError, shortId } from '@seamstream/kernel';
import { settingsFor } from '@seamstream/operations/publish';
import { readSelfTrainings, reportOf, runRestEm, stopSelfTraining } from '@seamstream/operations/restem';
import { Command } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { withDatasetOptions } from '../publish/dataset-options.js';
import { keptLogOf } from '../read-models/read-model-options.js';
import { NO_PROGRESS } from '../terminal/progress.js';
import { stepProgress } from '../train/train-adapter.command.js';
import { renderSelfTraining, renderSelfTrainings, sayStep } from './render-restem.js';
import { configOf, type StartOptions, withRestEmOptions } from './restem-options.js';
import { searchCommand } from './search.command.js';
import { trackCommand } from './track.command.js';

async function start(runtime: CommandRuntime, path: string, options: StartOptions): Promise<ExitCode> {
  const { terminal, clock, signal } = runtime;
  const config = await configOf(runtime, options);
  if (options.dryRun) {
    if (terminal.json) terminal.printJson(config);
    else terminal.print(`${JSON.stringify(config, null, 2)}\n`);
    return EXIT.ok;
  }
  const by = await personOf(runtime, options.by);
  const tracker = new FilesTracker(options.track ?? join(await runtime.dataFolder(), 'self-trainings'));
  const { onStep: onTraining, stop } = stepProgress(terminal);
  let said = '';
  const say = (words: string): void => {
    if (words !== said) terminal.remark(words);
    said = words;
  };
  try {
    const { reason, state, runs } = await runRestEm(
      {
        ...{ clock, signal, by, onTraining },
        openInput: (name) => runtime.openInput(name),
        // Services that start at the same moment may not have made it yet.
        openLog: () => runtime.openLog('create'),
        openKeptLog: () => runtime.openKeptLog(),
        openTrainer: () => runtime.openTrainer(),
        progress: () => NO_PROGRESS,
        tracker,
        onUntracked: (reason) =>
          terminal.remark(
            `warning: figures were not written (${onOneLine(reason)}); the log has them: seam restem track --files FOLDER`,
          ),
        onStep: (step) => say(sayStep(step)),
        onTrained(index, { status, reason }) {
          stop();
          say(`iteration ${index}: ${status}${reason === null ? '' : `, ${reason}`}`);
        },
      },
      path,
      (file) => settingsFor(file, options),
      config,
    );
    const report = reportOf(state, runs);
    if (terminal.json) terminal.printJson({ ...report, ended: reason });
    else terminal.print(renderSelfTraining(report, terminal.style));
    return reason === 'failed' || reason === 'stopped' ? EXIT.failedCheck : EXIT.ok;
  } finally {
    stop();
  }
}

async function stopOne(
  runtime: CommandRuntime,
  meant: string | undefined,
  { by: named, reason }: { readonly by?: string; readonly reason: string },
): Promise<ExitCode> {
  const by = await personOf(runtime, named);
  checkWords('--reason', reason);
  const { terminal, clock } = runtime;
  const log = await runtime.openLog('append');
  const selfTrainingId = await stopSelfTraining({ log, clock }, meant, { by, reason });
  if (terminal.json) terminal.printJson({ selfTrainingId, by, reason });
  else
    terminal.print(
      `stopped ${shortId(selfTrainingId)}: nothing more is published or trained for it; a training under way keeps its checkpoint\n`,
    );
  return EXIT.ok;
}

async function status(runtime: CommandRuntime, meant: string | undefined): Promise<ExitCode> {
  const { terminal } = runtime;
  const all = await readSelfTrainings(...(await keptLogOf(runtime)));
  const shown = meant === undefined ? all : all.filter(({ selfTrainingId }) => isMeant(meant, selfTrainingId));
  if (meant !== undefined && shown.length === 0)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot show self-training ${meant}: expected the first characters of an id, got none of those in the log (${all.map(({ selfTrainingId }) => shortId(selfTrainingId)).join(', ') || 'none'}). Name one of them.`,
    );
  if (terminal.json) terminal.printJson({ selfTrainings: shown });
  else terminal.print(renderSelfTrainings(shown, terminal.style));
  return EXIT.ok;
}

const SELF_TRAINING = 'the first characters of its id';

function startCommand(run: RunCommand): Command {
  return withRestEmOptions(
    withDatasetOptions(
      new Command('start')
        .summary('explore, train, promote, and begin again')
        .description(
          'Publishes passages of FILE to be explored, waits until generator and executor have tried an edit of each, trains the writer by\n' +
            'ReST-EM on what its own attempts came to, and promotes what is better: the next iteration explores with that. Generator and executor\n' +
            "run meanwhile; the trainer's service need not. The same command resumes after a stop or a kill, from what the log says.\n" +
            'Exit code 1: a training failed, or a person stopped it.',
        )
        .argument('<file>', 'passages with questions, or other problems, as seam publish reads them'),
    ),
  )
    .addOption(byOption('who starts it'))
    .option(
      '--track <folder>',
      'where figures and plots are written after each training, a folder for each (default: self-trainings in the data folder)',
    )
    .option('--dry-run', 'print the resolved configuration and start nothing')
    .addHelpText(
      'after',
      examples([
        [
          'seam restem start passages.jsonl --set iterations=3 --set patience=1',
          'three at most; ends after one without gain',
        ],
        [
          'seam restem start dev-v1.1.json --preset seal-paper-knowledge',
          "SEAL's own values (SEAM_PRESET for the services)",
        ],
        ['seam restem start passages.jsonl --config restem.yaml --dry-run', 'every setting with its default'],
      ]),
    )
    .action((file: string, options: StartOptions) => run((runtime) => start(runtime, file, options)));
}

export function restEmCommand(run: RunCommand): Command {
  return new Command('restem')
    .summary('train a writer on its own attempts, iteration by iteration')
    .addHelpText(
      'after',
      examples([
        ['seam restem start passages.jsonl', 'two iterations of 50 passages'],
        ['seam restem status', 'what each iteration came to'],
        ['seam restem stop --by ada --reason "wrong passages"', 'until it is started again'],
      ]),
    )
    .addCommand(startCommand(run))
    .addCommand(searchCommand(run))
    .addCommand(trackCommand(run))
    .addCommand(
      new Command('stop')
        .summary('stop a self-training until it is started again')
        .description(
          'Records that a person stops it. Who runs it stops at the next safe place; attempts under way are still recorded.',
        )
        .argument('[id]', `${SELF_TRAINING}; without it the only one that continues`)
        .addOption(byOption('who decides'))
        .requiredOption('--reason <text>', 'why; recorded')
        .action((meant: string | undefined, options: { readonly by?: string; readonly reason: string }) =>
          run((runtime) => stopOne(runtime, meant, options)),
        ),
    )
    .addCommand(
      new Command('status')
        .summary('iterations with their rewards, and the result of each')
        .argument('[id]', `${SELF_TRAINING}; without it all`)
        .action((meant: string | undefined) => run((runtime) => status(runtime, meant))),
    );
}
