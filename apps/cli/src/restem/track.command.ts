import { type ExperimentTracker, FilesTracker, MlflowTracker } from '@seamstream/experiment-tracking';
import { isMeant, plural, SeamError, shortId } from '@seamstream/kernel';
import { readSelfTrainings, trackSelfTrainings } from '@seamstream/operations/restem';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { keptLogOf } from '../read-models/read-model-options.js';

interface TrackOptions {
  readonly files?: string;
  readonly mlflow?: string;
  readonly experiment: string;
  readonly authorizationVariable?: string;
}

async function track(runtime: CommandRuntime, meant: string | undefined, options: TrackOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const tracker = trackerOf(options, runtime);
  const all = await readSelfTrainings(...(await keptLogOf(runtime)));
  const chosen = meant === undefined ? all : all.filter(({ selfTrainingId }) => isMeant(meant, selfTrainingId));
  if (chosen.length === 0)
    throw new SeamError(
      'NOT_FOUND',
      `Cannot track self-trainings: expected ${meant === undefined ? 'some' : `one whose id begins with ${meant}`}, got none (in the log: ${all.map(({ selfTrainingId }) => shortId(selfTrainingId)).join(', ') || 'none'}). Start one with seam restem start.`,
    );
  const tracked = await trackSelfTrainings(tracker, chosen);
  if (terminal.json) terminal.printJson({ tracked });
  else
    for (const { selfTrainingId, added, where } of tracked)
      terminal.print(`${shortId(selfTrainingId)}: ${plural(added, 'new figure')}, ${where}\n`);
  return EXIT.ok;
}

function trackerOf(
  { files, mlflow, experiment, authorizationVariable: variable }: TrackOptions,
  { signal }: CommandRuntime,
): ExperimentTracker {
  if ((files === undefined) === (mlflow === undefined))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot track self-trainings: expected one of --files and --mlflow, got ${files === undefined ? 'none' : 'both'}. Name a folder or a server.`,
    );
  if (files !== undefined) return new FilesTracker(files);
  if (!/^https?:\/\//.test(mlflow!) || !URL.canParse(mlflow!))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot track self-trainings: expected http://host:port of a server of MLflow, got ${mlflow}. Correct --mlflow.`,
    );
  const authorization = variable === undefined ? undefined : process.env[variable];
  if (variable !== undefined && (authorization ?? '') === '')
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot track self-trainings: expected an authorization in the environment variable ${variable}, got none. Set it.`,
    );
  return new MlflowTracker({
    ...{ url: mlflow!, experiment, signal },
    ...(authorization === undefined ? {} : { headers: { authorization } }),
  });
}

export function trackCommand(run: RunCommand): Command {
  return new Command('track')
    .summary('show figures of self-trainings next to other experiments: files, MLflow')
    .description(
      'Writes rewards, success, accuracy and validation of every iteration that has ended. They follow from the log: the same command at a later\n' +
        'time adds what is new. infra/tracking/wandb_from_files.py shows the files in Weights & Biases.',
    )
    .argument('[id]', 'the first characters of its id; without it all')
    .option('--files <folder>', 'a folder for each, with run.json, metrics.jsonl and plots.svg')
    .option('--mlflow <url>', 'a server of MLflow')
    .option('--experiment <name>', "MLflow's experiment", 'seamstream')
    .option('--authorization-variable <name>', 'environment variable with what MLflow gets as authorization')
    .addHelpText(
      'after',
      examples([
        ['seam restem track --files tracked', 'all self-trainings of the log'],
        ['seam restem track 4f1c --mlflow http://127.0.0.1:5000', 'one, on a server'],
      ]),
    )
    .action((meant: string | undefined, options: TrackOptions) => run((runtime) => track(runtime, meant, options)));
}
