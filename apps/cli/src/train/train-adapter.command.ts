import { findingsIn, remedyOf } from '@seamstream/doctor';
import { onOneLine } from '@seamstream/kernel';
import { presets } from '@seamstream/learning';
import {
  resolveTraining,
  type TrainingOutcome,
  type TrainingStepReport,
  trainAdapter,
  trainableBy,
} from '@seamstream/operations/train';
import { Argument, Command, Option } from 'commander';
import { byOption, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { stageProgress } from '../terminal/progress.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { parseAssignments } from './assignments.js';

interface TrainOptions {
  readonly set: readonly string[];
  readonly preset?: string;
  readonly dryRun?: true;
  readonly by?: string;
}

/** Shows a run's steps, and ends the bar. */
export function stepProgress(terminal: Terminal): {
  readonly onStep: (report: TrainingStepReport) => void;
  readonly stop: () => void;
} {
  const { show, stop } = stageProgress(terminal);
  return {
    onStep({ phase, step, steps, metrics: { loss } }) {
      show(phase, step, steps, loss === undefined ? undefined : `loss ${loss.toPrecision(4)}`);
    },
    stop,
  };
}

function renderOutcome(outcome: TrainingOutcome, style: Style): string {
  const { status, runId, adapterDigest, reason, metrics } = outcome;
  const isGood = status === 'promoted' || status === 'unchanged';
  const facts: [string, string][] = [
    ['run', onOneLine(runId)],
    ['result', isGood ? style.green(status) : style.red(status)],
    ['adapter', adapterDigest ?? 'none'],
  ];
  if (reason !== null) facts.push(['reason', onOneLine(reason)]);
  for (const [name, value] of Object.entries(metrics).sort()) {
    if (name.startsWith('finding.')) continue;
    facts.push([onOneLine(name), String(Number.isInteger(value) ? value : Number(value.toPrecision(5)))]);
  }
  const findings = findingsIn(metrics).map((code) => `\n${style.yellow(code)}: ${remedyOf(code)}\n`);
  return `${renderFacts(facts, style)}${findings.join('')}`;
}

/** One training run now, on what the log or the buffer holds; everything is recorded as by the trainer's service. */
async function train(runtime: CommandRuntime, algorithm: string, options: TrainOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const request = { algorithm, preset: options.preset, settings: parseAssignments(options.set) };
  if (options.dryRun) {
    const configuration = await resolveTraining(runtime, request);
    if (terminal.json) terminal.printJson({ algorithm, configuration });
    else terminal.print(`${JSON.stringify(configuration, null, 2)}\n`);
    return EXIT.ok;
  }
  const by = await personOf(runtime, options.by);
  const { onStep, stop } = stepProgress(terminal);
  try {
    const outcome = await trainAdapter(runtime, { ...request, by }, onStep);
    stop();
    if (terminal.json) terminal.printJson(outcome);
    else terminal.print(renderOutcome(outcome, terminal.style));
    return outcome.status === 'promoted' || outcome.status === 'unchanged' ? EXIT.ok : EXIT.failedCheck;
  } finally {
    stop();
  }
}

export function trainCommand(run: RunCommand): Command {
  return new Command('train')
    .summary('one training run now')
    .description(
      'Trains one adapter from the log (grpo, rest-em), the buffer (sft) or new problems (sat-seq, swap-agent), or preferences (warm-up), publishes and evaluates it, and promotes it when it is not\n' +
        'worse than its parent, which must still be served then: the events are those of the trainer service. The resolved\n' +
        'configuration is recorded with the run, so "seam replay --verify-adapter" can make it again. Exit code 1: the run was\n' +
        'refused or failed.',
    )
    .addArgument(new Argument('<algorithm>', 'how').choices([...trainableBy]))
    .addOption(
      new Option(
        '--preset <name>',
        "named settings to begin with (default: the trainer's, SEAM_TRAINER_PRESET)",
      ).choices([...presets.keys()]),
    )
    .option(
      '--set <name=value>',
      'a setting of the algorithm, e.g. learningRate.peak=1e-3; may be given several times',
      (text: string, before: readonly string[]) => [...before, text],
      [] as readonly string[],
    )
    .addOption(byOption('who asks for it'))
    .option('--dry-run', 'print the resolved configuration and train nothing')
    .addHelpText(
      'after',
      examples([
        ['seam train sft', 'with the configured settings (SEAM_TRAINER_PRESET, SEAM_TRAINER_ALGORITHMS)'],
        ['seam train grpo --set duration.steps=20 --set learningRate.peak=1e-4', 'other settings'],
        ['seam train grpo --preset seam-paper', "SEAM's own settings (docs/explanation/seam.md)"],
        ['seam train rest-em --set keep=solved', 'the entries with reward 1, of the present writer'],
        ['SEAM_PRESET=sat-seq SEAM_TRAINER_TEAM=team.yaml seam train sat-seq', 'a stage of a team (docs/teams.md)'],
        [
          'seam train swap-agent --set agent=solver',
          'another model takes the place of an agent (docs/how-to/teams.md)',
        ],
        [
          'seam train warm-up --set agent=solver --set preferences=4f3a…',
          'an agent learns the chosen answers of "seam team prefer"',
        ],
        ['seam train grpo --dry-run', 'every setting with its default'],
      ]),
    )
    .action((name: string, options: TrainOptions) => run((runtime) => train(runtime, name, options)));
}
