import { onOneLine, plural } from '@seamstream/kernel';
import { type Examination, examineSystem, SNAPSHOT_RECORDS } from '@seamstream/operations/doctor';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { readingOf } from '../read-models/read-model-options.js';
import type { Style } from '../terminal/style.js';

interface DoctorOptions {
  readonly groups: number;
  readonly snapshots?: true;
}

function renderFindings({ findings, facts }: Examination, style: Style): string {
  const seen = `Looked at ${plural(facts.groups.length, 'group')}, ${plural(facts.runs.length, 'training run')} and ${plural(facts.admission.admitted + facts.admission.nearDuplicates, 'success', 'successes')}.\n`;
  if (findings.length === 0) return `${style.green('Nothing keeps this system from learning.')} ${seen}`;
  const said = findings.map(({ code, severity, evidence, remedy }) => {
    const mark = severity === 'error' ? style.red(severity) : style.yellow(severity);
    return `${mark}  ${style.bold(code)}\n  ${onOneLine(evidence)}\n  ${style.dim('What to do:')} ${onOneLine(remedy)}\n`;
  });
  return `${said.join('\n')}\n${seen}`;
}

/** Reads, examines, prints the findings; the exit code says whether there are any. */
async function examine(runtime: CommandRuntime, options: DoctorOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const examination = await examineSystem(runtime, options, readingOf(runtime));
  const { findings, facts, snapshots } = examination;
  if (terminal.json) {
    terminal.printJson({
      findings,
      looked: {
        groups: facts.groups.length,
        runs: facts.runs.map(({ runId }) => runId),
        admitted: facts.admission.admitted,
        snapshots,
      },
    });
  } else terminal.print(renderFindings(examination, terminal.style));
  return findings.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function doctorCommand(run: RunCommand): Command {
  return new Command('doctor')
    .summary('what keeps the system from learning, and what to do about it')
    .description(
      'Looks at the newest groups, at the runs since the last promotion, at what is served and at what the buffer refused, and says\n' +
        'in plain words what is wrong and how to mend it: groups without variance, a verifier that says one thing, time-outs that\n' +
        'count as wrong, probabilities of another mask, an adapter that is not applied, and more (docs/how-to/doctor.md). Nothing is recorded.\n' +
        'Exit code 1: something was found.',
    )
    .option('--groups <n>', 'newest groups to look at', wholeNumber('--groups', 1), 256)
    .option(
      '--snapshots',
      `compare the snapshots of read models with the log, also those of more than ${SNAPSHOT_RECORDS} records`,
    )
    .addHelpText(
      'after',
      examples([
        ['seam doctor', 'the log of the data folder'],
        ['seam doctor --groups 64', 'the last round only'],
        ['seam doctor --json', 'for a monitor'],
      ]),
    )
    .action((options: DoctorOptions) => run((runtime) => examine(runtime, options)));
}
