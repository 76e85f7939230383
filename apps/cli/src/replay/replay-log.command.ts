import { plural, SeamError } from '@seamstream/kernel';
import { findAdapter } from '@seamstream/operations/adapters';
import { readOverview, recordsToReplay, verifyBuffer } from '@seamstream/operations/buffer';
import {
  type Answered,
  type KeptLog,
  type ReadingOptions,
  readLineage as readAdapters,
  readLedger,
  readSuccess,
  readTraining,
} from '@seamstream/operations/read-models';
import { Command, Option } from 'commander';
import { readLineage } from '../adapters/read-lineage.js';
import { renderAdapterList } from '../adapters/render-adapters.js';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderLedger } from '../ledger/render-ledger.js';
import { keptLogOf } from '../read-models/read-model-options.js';
import type { Style } from '../terminal/style.js';
import { stepProgress } from '../train/train-adapter.command.js';
import { copyLogCommand } from './copy-log.command.js';
import { renderSuccess, renderTraining } from './render-read-models.js';
import { renderVerifiedAdapter } from './render-verified-adapter.js';
import { renderVerifiedVersions } from './render-verified-versions.js';

/** A read model with its text, closed over its types: from outside, all look alike. */
interface ReadModel {
  readonly meaning: string;
  readonly rebuild: (runtime: CommandRuntime) => Promise<Answered<unknown> & { readonly text: string }>;
}

function readModel<Answer>(
  meaning: string,
  read: (kept: KeptLog, options: ReadingOptions) => Promise<Answered<Answer>>,
  render: (answer: Answer, style: Style) => string,
): ReadModel {
  return {
    meaning,
    async rebuild(runtime) {
      const answered = await read(...(await keptLogOf(runtime, { fromScratch: true })));
      return { ...answered, text: render(answered.answer, runtime.terminal.style) };
    },
  };
}

const READ_MODELS: Readonly<Record<string, ReadModel>> = {
  ledger: readModel('what became of every problem', readLedger, renderLedger),
  success: readModel('success per arm, domain and adapter', readSuccess, renderSuccess),
  adapters: readModel('versions and lineage', readAdapters, renderAdapterList),
  training: readModel('runs with their steps and figures', readTraining, renderTraining),
};

interface ReplayOptions {
  readonly readModel?: string;
  readonly verifyBuffer?: true;
  readonly verifyAdapter?: string;
}

async function rebuildReadModel(runtime: CommandRuntime, name: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const model = READ_MODELS[name] ?? READ_MODELS.ledger!;
  const { answer, text, records, unreadable } = await model.rebuild(runtime);
  if (terminal.json) terminal.printJson({ readModel: name, records, unreadable, answer });
  else terminal.print(text);
  const poison = unreadable === 0 ? '' : `, ${plural(unreadable, 'of them is no event', 'of them are no events')}`;
  terminal.remark(`Rebuilt from ${plural(records, 'record')}${poison}.`);
  return EXIT.ok;
}

async function verifyBufferVersions(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const log = await runtime.openLog('read');
  const { commits } = await readOverview(log);
  if (commits.length === 0) {
    throw new SeamError(
      'NOT_FOUND',
      'Cannot verify the buffer: expected a committed version, got none. The buffer commits one when a round of problems is complete.',
    );
  }
  // The rule of the service itself; loaded late, because a service brings a web framework along.
  const { entryValidator } = await import('@seamstream/buffer');
  const validateEntry = entryValidator(await runtime.entrySchemas());
  const progress = terminal.progress('replaying outcomes', recordsToReplay(commits));
  try {
    const objects = await runtime.openObjects();
    const versions = await verifyBuffer({ log, objects, commits, validateEntry, progress, signal });
    const equal = versions.every((version) => version.equal);
    progress.stop();
    if (terminal.json) terminal.printJson({ verified: 'buffer', equal, versions });
    else terminal.print(renderVerifiedVersions(versions, terminal.style));
    return equal ? EXIT.ok : EXIT.failedCheck;
  } finally {
    progress.stop();
  }
}

async function verifyAdapter(runtime: CommandRuntime, digits: string): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const { adapterDigest } = findAdapter(await readLineage(runtime), digits);
  const trainer = await runtime.openTrainer();
  const { onStep, stop } = stepProgress(terminal);
  try {
    const verification = await trainer.verify(adapterDigest, { signal, onStep });
    stop();
    const { equal } = verification;
    if (terminal.json) terminal.printJson({ verified: 'adapter', ...verification });
    else terminal.print(renderVerifiedAdapter(verification, terminal.style));
    return equal ? EXIT.ok : EXIT.failedCheck;
  } finally {
    stop();
  }
}

async function replayLog(runtime: CommandRuntime, options: ReplayOptions): Promise<ExitCode> {
  if (options.readModel !== undefined) return rebuildReadModel(runtime, options.readModel);
  if (options.verifyBuffer) return verifyBufferVersions(runtime);
  if (options.verifyAdapter !== undefined) return verifyAdapter(runtime, options.verifyAdapter);
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot replay the log: expected --read-model, --verify-buffer or --verify-adapter, got none. "seam replay --help" shows examples.',
  );
}

export function replayCommand(run: RunCommand): Command {
  const names = Object.keys(READ_MODELS);
  return new Command('replay')
    .summary('rebuild a read model, move the log, or prove that it gives the same buffer or adapter again')
    .description('The log is the only source of truth: every state is a replay of it. This command replays it.')
    .addOption(
      new Option('--read-model <name>', 'rebuild this one and print it')
        .choices(names)
        .conflicts(['verifyBuffer', 'verifyAdapter']),
    )
    .addOption(
      new Option('--verify-buffer', 'fold the outcomes again and compare the digest of every version').conflicts(
        'verifyAdapter',
      ),
    )
    .addOption(
      new Option(
        '--verify-adapter <digest>',
        'run its recorded training again and compare the digest, or the weights where the engine of the run states a tolerance',
      ),
    )
    .addHelpText(
      'after',
      `\nRead models:\n${names.map((name) => `  ${name.padEnd(9)} ${READ_MODELS[name]?.meaning ?? ''}\n`).join('')}${examples(
        [
          ['seam replay --read-model success', 'success per arm, from the first record on'],
          ['seam replay --verify-buffer', 'exit 1 when a version differs'],
          ['seam replay --verify-adapter 4f3a90c1', 'exit 1 when training gives another adapter'],
          ['seam replay copy --to kafka://localhost:9092', 'move the log; "seam replay copy --help" teaches it'],
        ],
      )}`,
    )
    .addCommand(copyLogCommand(run))
    .action((options: ReplayOptions) => run((runtime) => replayLog(runtime, options)));
}
