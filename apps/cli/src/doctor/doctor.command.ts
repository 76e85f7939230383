import {
  examineAdmission,
  examineForgeries,
  examineRollouts,
  examineRun,
  examineServedObject,
  examineServing,
  type Finding,
  summary,
} from '@seamstream/doctor';
import { isSeamError, onOneLine, plural } from '@seamstream/kernel';
import { decodeAdapter } from '@seamstream/language-model';
import { type LogFacts, readFacts } from '@seamstream/operations/doctor';
import { Command } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';

interface DoctorOptions {
  readonly groups: number;
}

function renderFindings(findings: readonly Finding[], facts: LogFacts, style: Style): string {
  const seen = `Looked at ${plural(facts.groups.length, 'group')}, ${plural(facts.runs.length, 'training run')} and ${plural(facts.admission.admitted + facts.admission.nearDuplicates, 'success', 'successes')}.\n`;
  if (findings.length === 0) return `${style.green('Nothing keeps this system from learning.')} ${seen}`;
  const said = findings.map(({ code, severity, evidence, remedy }) => {
    const mark = severity === 'error' ? style.red(severity) : style.yellow(severity);
    return `${mark}  ${style.bold(code)}\n  ${onOneLine(evidence)}\n  ${style.dim('What to do:')} ${onOneLine(remedy)}\n`;
  });
  return `${said.join('\n')}\n${seen}`;
}

/** Loads what is served, as a generator does when it starts. */
async function servedObject(
  runtime: CommandRuntime,
  { served, serving }: LogFacts,
): Promise<Parameters<typeof examineServedObject>[0]> {
  if (served === null) return null;
  const { adapterDigest, key } = served;
  const baseModelDigest = serving.published.get(adapterDigest)?.baseModelDigest;
  const objects = await runtime.openObjects();
  try {
    const intake = { digest: adapterDigest, ...(baseModelDigest === undefined ? {} : { baseModelDigest }) };
    decodeAdapter(await objects.get(key), intake);
    return { adapterDigest, key, fault: null };
  } catch (error) {
    // A store that does not answer says nothing about what lies in it.
    if (!isSeamError(error) || error.retryable) throw error;
    return { adapterDigest, key, fault: error.message };
  }
}

/** Reads, examines, tells; the exit code says whether anything was found. */
async function examine(runtime: CommandRuntime, options: DoctorOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const schemaFor = await runtime.entrySchemas();
  const facts = await readFacts(await runtime.openLog('read'), {
    groups: options.groups,
    signal,
    progress: (total) => terminal.progress('reading the log', total),
  });
  const findings = summary([
    ...examineRollouts(facts.groups, { schemaFor }),
    ...facts.runs.flatMap((run) => examineRun(run)),
    ...examineServing(facts.serving, facts.groups),
    ...examineServedObject(await servedObject(runtime, facts)),
    ...examineAdmission(facts.admission),
    ...examineForgeries({ decisions: facts.serving.refused, results: facts.refusedResults }),
  ]);
  if (terminal.json) {
    terminal.printJson({
      findings,
      looked: {
        groups: facts.groups.length,
        runs: facts.runs.map(({ runId }) => runId),
        admitted: facts.admission.admitted,
      },
    });
  } else terminal.print(renderFindings(findings, facts, terminal.style));
  return findings.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

export function doctorCommand(run: RunCommand): Command {
  return new Command('doctor')
    .summary('what keeps the system from learning, and what to do about it')
    .description(
      'Looks at the newest groups, at the runs since the last promotion, at what is served and at what the buffer refused, and says\n' +
        'in plain words what is wrong and how to mend it: groups without variance, a verifier that says one thing, time-outs that\n' +
        'count as wrong, probabilities of another mask, an adapter that is not applied, and more (docs/doctor.md). Nothing is recorded.\n' +
        'Exit code 1: something was found.',
    )
    .option('--groups <n>', 'newest groups to look at', wholeNumber('--groups', 1), 256)
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
