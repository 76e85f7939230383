import { datasetForms } from '@seamstream/datasets';
import { plural } from '@seamstream/kernel';
import { type SessionsReport, type SessionsRequest, studySessionsOf } from '@seamstream/operations/evaluate';
import { Command, Option } from 'commander';
import { examples, positiveNumber, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { stageProgress } from '../terminal/progress.js';
import { renderTable } from '../terminal/table.js';

async function study(runtime: CommandRuntime, path: string, request: SessionsRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const bars = stageProgress(terminal);
  try {
    const result = await studySessionsOf(runtime, path, request, bars.show);
    bars.stop();
    if (terminal.json) terminal.printJson(result);
    else terminal.print(rendered(result, runtime));
    return EXIT.ok;
  } finally {
    bars.stop();
  }
}

function rendered(result: SessionsReport, { terminal }: CommandRuntime): string {
  const { gain, answeringSeconds, sessions, messages, trainings } = result;
  const withInterval = ({ value, interval95: [low, high] }: typeof gain.accuracy, times: number, places: number) =>
    `${(times * value).toFixed(places)} (${(times * low).toFixed(places)} … ${(times * high).toFixed(places)})`;
  const nats = gain.logLikelihood;
  const rows = [
    ['right without the session', `${(100 * result.frozen).toFixed(1)} %`],
    ["right with the session's adapter", `${(100 * result.adapted).toFixed(1)} %`],
    ['gain, points', withInterval(gain.accuracy, 100, 1)],
    ['gain, log-likelihood of a gold token', nats === null ? '–' : withInterval(nats, 1, 3)],
    ['a training', `${result.secondsPerTraining.toFixed(2)} s`],
    ['a message, on average', `${result.secondsPerMessage.toFixed(2)} s`],
    [
      'answers of a session',
      `${answeringSeconds.adapted.toFixed(2)} s (frozen ${answeringSeconds.frozen.toFixed(2)} s)`,
    ],
  ];
  const table = renderTable([{ title: 'WHAT' }, { title: 'FIGURE', align: 'right' }], rows, terminal.style);
  return `${table}${plural(sessions, 'session')}, ${plural(messages, 'message')}, ${plural(trainings, 'training')}. Intervals are at 95 %, over sessions.\n`;
}

export function studySessionsCommand(run: RunCommand): Command {
  return new Command('sessions')
    .summary('adapters of single sessions: what they gain and cost')
    .description(
      'Takes each passage of a file as a session whose messages are its sentences. A small LoRA learns them while they come, the questions are\n' +
        'asked without the passage, and the session is forgotten. Nothing is recorded.',
    )
    .argument('<file>', 'passages with questions')
    .addOption(
      new Option('--dataset <name>', 'what the rows look like; without it the first row decides').choices([
        ...datasetForms.keys(),
      ]),
    )
    .option('--limit <n>', 'the first n passages only', wholeNumber('--limit', 1))
    .option('--every <n>', 'messages after which a session learns', wholeNumber('--every', 1), 4)
    .option('--rank <n>', 'of the LoRA', wholeNumber('--rank', 1), 4)
    .option('--steps <n>', 'of a training', wholeNumber('--steps', 1), 8)
    .option('--learning-rate <rate>', 'of its first step', positiveNumber('--learning-rate'), 1e-3)
    .addHelpText('after', examples([['seam study sessions squad.json --limit 20', 'gain and cost with the defaults']]))
    .action((path: string, options: SessionsRequest) => run((runtime) => study(runtime, path, options)));
}
