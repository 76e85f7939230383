/**
 * The commands of `seam`, in the order of its help. A command's module is loaded when its name is typed, so that no command waits for what
 * another one needs. Help, completion and unknown words load all of them.
 */
import type { StartOptions } from '@seamstream/standalone';
import type { Command } from 'commander';
import type { RunCommand } from './command-runtime.js';

/** What commands are made with. */
export interface CommandContext {
  readonly run: RunCommand;
  /** Runs the whole loop to its end. */
  readonly start: (options: StartOptions) => Promise<void>;
  readonly write: (text: string) => void;
}

type MakeCommand = (context: CommandContext) => Command;

const running =
  (make: (run: RunCommand) => Command): MakeCommand =>
  ({ run }) =>
    make(run);

const COMMANDS: Readonly<Record<string, () => Promise<MakeCommand>>> = {
  start: async () => {
    const { startCommand } = await import('./start/start-loop.command.js');
    return ({ start }) => startCommand(start);
  },
  publish: async () => running((await import('./publish/publish-problems.command.js')).publishCommand),
  feedback: async () => running((await import('./feedback/give-feedback.command.js')).feedbackCommand),
  datasets: async () => running((await import('./datasets/inspect-datasets.command.js')).datasetsCommand),
  edits: async () => running((await import('./edits/edits.command.js')).editsCommand),
  arc: async () => running((await import('./arc/arc.command.js')).arcCommand),
  solve: async () => running((await import('./solve/solve-problems.command.js')).solveCommand),
  status: async () => running((await import('./status/show-status.command.js')).statusCommand),
  show: async () => running((await import('./show/show-problem.command.js')).showCommand),
  tail: async () => running((await import('./tail/tail-topic.command.js')).tailCommand),
  train: async () => running((await import('./train/train-adapter.command.js')).trainCommand),
  restem: async () => running((await import('./restem/restem.command.js')).restEmCommand),
  runs: async () => running((await import('./runs/runs.command.js')).runsCommand),
  eval: async () => running((await import('./evaluate/evaluate-adapter.command.js')).evaluateCommand),
  study: async () => running((await import('./study/study-controls.command.js')).studyCommand),
  cost: async () => running((await import('./cost/estimate-cost.command.js')).costCommand),
  replay: async () => running((await import('./replay/replay-log.command.js')).replayCommand),
  lift: async () => running((await import('./lift/show-lift.command.js')).liftCommand),
  learned: async () => running((await import('./learned/show-learned.command.js')).learnedCommand),
  ledger: async () => running((await import('./ledger/show-ledger.command.js')).ledgerCommand),
  doctor: async () => running((await import('./doctor/doctor.command.js')).doctorCommand),
  adapters: async () => running((await import('./adapters/list-adapters.command.js')).adaptersCommand),
  release: async () => running((await import('./release/release.command.js')).releaseCommand),
  team: async () => running((await import('./team/team.command.js')).teamCommand),
  library: async () => running((await import('./library/library.command.js')).libraryCommand),
  experts: async () => running((await import('./experts/experts.command.js')).expertsCommand),
  buffer: async () => running((await import('./buffer/show-buffer.command.js')).bufferCommand),
  models: async () => running((await import('./models/models.command.js')).modelsCommand),
  config: async () => running((await import('./config/show-config.command.js')).configCommand),
  keys: async () => running((await import('./keys/generate-key.command.js')).keysCommand),
  gateway: async () => running((await import('./gateway/gateway.command.js')).gatewayCommand),
  audit: async () => running((await import('./audit/audit.command.js')).auditCommand),
  topics: async () => running((await import('./topics/topics.command.js')).topicsCommand),
  bucket: async () => running((await import('./bucket/bucket.command.js')).bucketCommand),
  schemas: async () => running((await import('./schemas/check-schemas.command.js')).schemasCommand),
  acls: async () => running((await import('./acls/acls.command.js')).aclsCommand),
  'dead-letters': async () => running((await import('./dead-letters/dead-letters.command.js')).deadLettersCommand),
  deploy: async () => running((await import('./deploy/check-deployment.command.js')).deployCommand),
  completion: async () => {
    const { completionCommand } = await import('./completion/completion.command.js');
    return ({ write }) => completionCommand(write);
  },
};

/** Options of every command that may stand before its name, and whether a value follows. */
const BEFORE_THE_NAME: Readonly<Record<string, boolean>> = { '--json': false, '--data-dir': true };
/** What looks at all commands. */
const LOOKS_AT_ALL: ReadonlySet<string> = new Set(['completion']);

/** The names of the commands that a command line needs. */
function namesFor(args: readonly string[]): readonly string[] {
  let at = 0;
  for (let takesValue = BEFORE_THE_NAME[args[at] ?? '']; takesValue !== undefined; ) {
    at += takesValue ? 2 : 1;
    takesValue = BEFORE_THE_NAME[args[at] ?? ''];
  }
  const name = args[at];
  // The one thing to ask of the program that no command has a part in.
  if (name === '--version' && args.length === at + 1) return [];
  return name !== undefined && Object.hasOwn(COMMANDS, name) && !LOOKS_AT_ALL.has(name)
    ? [name]
    : Object.keys(COMMANDS);
}

/** The commands that a command line needs: the one that it names, or all. */
export async function loadCommands(args: readonly string[], context: CommandContext): Promise<readonly Command[]> {
  const makers = await Promise.all(namesFor(args).map((name) => COMMANDS[name]!()));
  return makers.map((make) => make(context));
}
