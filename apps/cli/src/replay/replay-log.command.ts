import { onOneLine, plural, SeamError } from '@seamstream/kernel';
import { foldProjection } from '@seamstream/log-reader';
import { readOverview, recordsToReplay, verifyBuffer } from '@seamstream/operations/buffer';
import {
  adapterLineageProjection,
  ledgerProjection,
  type Projection,
  successByArmProjection,
  trainingProgressProjection,
} from '@seamstream/read-models';
import { Command, Option } from 'commander';
import { readLineage } from '../adapters/read-lineage.js';
import { findAdapter, renderAdapterList } from '../adapters/render-adapters.js';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { renderLedger } from '../ledger/render-ledger.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import { stepProgress } from '../train/train-adapter.command.js';
import type { AdapterVerification } from '../train/trainer.port.js';
import { copyLogCommand } from './copy-log.command.js';
import { renderSuccess, renderTraining } from './render-read-models.js';
import { renderVerifiedVersions } from './render-verified-versions.js';

/** A read model with its text, closed over its types: from outside, all look alike. */
interface ReadModel {
  readonly meaning: string;
  readonly rebuild: (runtime: CommandRuntime) => Promise<{
    readonly answer: unknown;
    readonly text: string;
    readonly records: number;
    readonly unreadable: number;
  }>;
}

function readModel<State, Answer>(
  meaning: string,
  projection: Projection<State, Answer>,
  render: (answer: Answer, style: Style) => string,
): ReadModel {
  return {
    meaning,
    async rebuild(runtime) {
      const { terminal, signal } = runtime;
      const progress = (total: number) => terminal.progress('reading the log', total);
      const folded = await foldProjection(await runtime.openLog('read'), projection, { signal, progress });
      return { ...folded, text: render(folded.answer, terminal.style) };
    },
  };
}

const READ_MODELS: Readonly<Record<string, ReadModel>> = {
  ledger: readModel('what became of every problem', ledgerProjection, renderLedger),
  success: readModel('success per arm, domain and adapter', successByArmProjection, renderSuccess),
  adapters: readModel('versions and lineage', adapterLineageProjection, renderAdapterList),
  training: readModel('runs with their steps and figures', trainingProgressProjection, renderTraining),
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
      'Verifying the buffer: expected a committed version, came none. The buffer commits one when a round of problems is complete.',
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
    const equal = verification.recordedDigest === verification.replayedDigest;
    if (terminal.json) terminal.printJson({ verified: 'adapter', equal, ...verification });
    else terminal.print(renderVerifiedAdapter(verification, terminal.style));
    return equal ? EXIT.ok : EXIT.failedCheck;
  } finally {
    stop();
  }
}

function renderVerifiedAdapter({ runId, recordedDigest, replayedDigest }: AdapterVerification, style: Style): string {
  const equal = recordedDigest === replayedDigest;
  const verdict = equal
    ? style.green('The log gives this adapter again.')
    : style.red('DIFFERENT: the records, the code, or the execution provider are not those that made it.');
  return `${renderFacts(
    [
      ['run', onOneLine(runId)],
      ['recorded', recordedDigest],
      ['replayed', replayedDigest ?? 'no adapter'],
    ],
    style,
  )}${verdict}\n`;
}

async function replayLog(runtime: CommandRuntime, options: ReplayOptions): Promise<ExitCode> {
  if (options.readModel !== undefined) return rebuildReadModel(runtime, options.readModel);
  if (options.verifyBuffer) return verifyBufferVersions(runtime);
  if (options.verifyAdapter !== undefined) return verifyAdapter(runtime, options.verifyAdapter);
  throw new SeamError(
    'INVALID_INPUT',
    'Replaying the log: expected --read-model, --verify-buffer or --verify-adapter, came none. "seam replay --help" shows examples.',
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
    .addOption(new Option('--verify-adapter <digest>', 'run its recorded training again and compare the digest'))
    .addHelpText(
      'after',
      `\nRead models:\n${names.map((name) => `  ${name.padEnd(9)} ${READ_MODELS[name]?.meaning ?? ''}\n`).join('')}${examples(
        [
          ['seam replay --read-model success', 'success per arm, from the first record on'],
          ['seam replay --verify-buffer', 'exit 1 when a version differs'],
          ['seam replay --verify-adapter 4f3a90c1', 'exit 1 when training gives another digest'],
          ['seam replay copy --to kafka://localhost:9092', 'move the log; "seam replay copy --help" teaches it'],
        ],
      )}`,
    )
    .addCommand(copyLogCommand(run))
    .action((options: ReplayOptions) => run((runtime) => replayLog(runtime, options)));
}
