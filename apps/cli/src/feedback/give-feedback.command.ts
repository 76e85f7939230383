import { excerpt, newId, onOneLine, plural, SeamError } from '@seamstream/kernel';
import { giveFeedback, type WaitingAnswer, waitingAnswers } from '@seamstream/operations/feedback';
import { Command, InvalidArgumentError, Option } from 'commander';
import { byOption, checkWords, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { minuteOf } from '../terminal/text.js';

interface FeedbackOptions {
  readonly score?: number;
  readonly verdict?: 'right' | 'wrong';
  readonly by?: string;
  readonly tenant?: string;
  readonly reason: string;
}

/** Characters of a question and of an answer in a list. */
const TEXT = 60;

async function feedback(
  runtime: CommandRuntime,
  meant: string | undefined,
  options: FeedbackOptions,
): Promise<ExitCode> {
  return meant === undefined ? list(runtime) : give(runtime, meant, options);
}

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal, clock, signal } = runtime;
  const log = await runtime.openLog('read');
  const progress = (total: number) => terminal.progress('reading answers', total);
  const waiting = await waitingAnswers(log, clock.now(), { signal, progress });
  if (terminal.json) terminal.printJson({ waiting });
  else if (waiting.length === 0) terminal.print('No answer waits for feedback.\n');
  else terminal.print(`${plural(waiting.length, 'answer')} waiting for feedback:\n${waiting.map(line).join('')}`);
  return EXIT.ok;
}

function line({ attemptId, prompt, response, feedbackUntil }: WaitingAnswer): string {
  return `  ${onOneLine(attemptId)}  until ${minuteOf(feedbackUntil)}\n    ${excerpt(prompt, TEXT)}\n    ${excerpt(response, TEXT)}\n`;
}

async function give(runtime: CommandRuntime, meant: string, options: FeedbackOptions): Promise<ExitCode> {
  const { terminal, clock, signal } = runtime;
  const { reason } = options;
  const score = options.score ?? (options.verdict === undefined ? undefined : Number(options.verdict === 'right'));
  if (score === undefined)
    throw new SeamError(
      'INVALID_INPUT',
      'Cannot give feedback: expected --score or --verdict, got neither. Say what the answer is worth.',
    );
  const by = await personOf(runtime, options.by);
  if (reason !== '') checkWords('--reason', reason);
  const log = await runtime.openLog('append');
  const progress = (total: number) => terminal.progress('reading answers', total);
  const request = { meant, tenant: options.tenant, score, by, reason, messageId: newId() };
  const { messageId, answer, position } = await giveFeedback(log, request, { clock, signal, progress });
  const { attemptId, problemId } = answer;
  if (terminal.json) terminal.printJson({ messageId, attemptId, problemId, score, by, reason, ...position });
  else
    terminal.print(
      `${terminal.style.green('recorded')} ${score} for attempt ${onOneLine(attemptId)}; the executor's service settles it. See "seam show ${onOneLine(problemId.slice(0, 8))}".\n`,
    );
  return EXIT.ok;
}

function scoreOf(text: string): number {
  const score = Number(text);
  if (/^(?:[01]|0?\.\d+|1\.0+)$/.test(text) && score <= 1) return score;
  throw new InvalidArgumentError(`Cannot read --score: expected a number from 0 to 1, got "${text}".`);
}

export function feedbackCommand(run: RunCommand): Command {
  return new Command('feedback')
    .summary('judge an answer that no verifier judges')
    .description(
      'Says what an answer to a problem without a verifier is worth. The first feedback before the deadline of the answer makes it a result;\n' +
        'from a score of 0.5 on it is a success. Without feedback the attempt is ungraded: never a success, and never a reward of 0.\n' +
        'Without an argument it lists the answers that wait.',
    )
    .argument('[id]', 'of a problem, an attempt, or an experience that was tried once; its beginning is enough')
    .addOption(new Option('--score <number>', 'from 0 to 1').argParser(scoreOf))
    .addOption(new Option('--verdict <word>', 'right is 1, wrong is 0').choices(['right', 'wrong']).conflicts('score'))
    .addOption(byOption('who says it'))
    .option('--tenant <name>', 'whose answer it is, where several tenants have one')
    .option('--reason <text>', 'why', '')
    .addHelpText(
      'after',
      examples([
        ['seam feedback', 'what waits'],
        ['seam feedback 4f3a90c1 --verdict right --by ada', 'of a problem with one answer'],
        ['seam feedback 81d2c7aa --score 0.7 --by ada --reason "sources are missing"', 'of one attempt'],
      ]),
    )
    .action((meant: string | undefined, options: FeedbackOptions) =>
      run((runtime) => feedback(runtime, meant, options)),
    );
}
