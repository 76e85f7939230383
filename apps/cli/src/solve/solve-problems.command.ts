import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import { openSolving, type SolvedQuestion, type SolveRequest, type Solving } from '@seamstream/operations/solve';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { forceOption } from '../evaluate/asking-options.js';
import { tellUnknownWords } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import { readingOf } from '../read-models/read-model-options.js';
import { entryFields } from '../show/readable-entry.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';

/** Answers every question with the chosen adapter, prints each answer as it arrives, and says how many are right where that is known. */
async function solve(runtime: CommandRuntime, path: string | undefined, request: SolveRequest): Promise<ExitCode> {
  const { terminal } = runtime;
  const { out, entry: withEntries } = request;
  const solving = await openSolving(runtime, path, request, readingOf(runtime));
  const { models, questions, kept, partPath, adapterDigest } = solving;
  tellUnknownWords(terminal, models, questions, [{ solver: 'executor', withEntries }]);
  const known = (answers: number): string => `${count(answers)} of ${plural(questions.length, 'answer')}`;
  if (kept > 0) terminal.remark(`${known(kept)} are known from an earlier run: resuming.`);
  const progress = terminal.progress('solving', questions.length);
  progress.advance(kept);
  let next = kept;
  try {
    for await (const solved of solving.batches()) {
      if (out === undefined)
        for (const one of solved)
          if (terminal.json) terminal.printJson(one.line);
          else terminal.print(`${renderAnswer(one, terminal.style)}\n`);
      next += solved.length;
      progress.advance(solved.length);
      await terminal.drained();
    }
  } catch (error) {
    if (partPath !== null && next > 0)
      terminal.remark(`${known(next)} are in ${partPath}. The same command resumes from there.`);
    throw error;
  } finally {
    progress.stop();
  }
  terminal.remark(renderTally(solving, request));
  const tally = solving.tally();
  if (out !== undefined && terminal.json)
    terminal.printJson({ file: out, questions: questions.length, ...tally, adapterDigest });
  return tally.failed === 0 ? EXIT.ok : EXIT.failedCheck;
}

/** The result of all questions, in a sentence. */
function renderTally(solving: Solving, { out, entry }: SolveRequest): string {
  const { questions, adapterDigest } = solving;
  const tally = solving.tally();
  const by = !entry
    ? 'the executor alone'
    : adapterDigest === null
      ? 'entries of the base model'
      : `adapter ${shortId(adapterDigest)}`;
  const right =
    tally.judged === 0 ? 'no reference known' : `${tally.right} of ${tally.judged} with a reference are right`;
  const failed = tally.failed === 0 ? '' : `, ${tally.failed} could not be asked or judged`;
  const unstated =
    tally.unstated === 0
      ? ''
      : `. ${plural(tally.unstated, 'response')} without a final answer that a verifier reads: see "response", or choose a template that asks for one (SEAM_EXECUTOR_TEMPLATE, docs/how-to/executors.md)`;
  const written = out === undefined ? '' : `, written to ${out}`;
  return `${tally.answered} of ${plural(questions.length, 'question')} answered by ${by}: ${right}${failed}${written}${unstated}.`;
}

function renderAnswer({ question, answer: answered }: SolvedQuestion, style: Style): string {
  const { prompt, judgedBy } = question;
  const { entry, response, answer, verdict, failure } = answered;
  const facts: [string, string][] = [
    ['question', onOneLine(prompt)],
    ...(entry === null ? [] : entryFields(entry)),
    ...(response === null ? [] : [['response', onOneLine(response)] as [string, string]]),
    ['answer', answer === null ? style.yellow('none') : style.bold(onOneLine(answer))],
  ];
  if (verdict !== null) {
    const said = verdict.success
      ? style.green('right')
      : style.yellow(`wrong, the reference is ${onOneLine(judgedBy!.reference ?? '')}`);
    facts.push(['verdict', `${said} (${onOneLine(verdict.detail)})`]);
  }
  if (failure !== null) facts.push(['failure', style.red(`${failure.code}: ${onOneLine(failure.reason)}`)]);
  return renderFacts(facts, style);
}

function temperatureOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 10) return value;
  throw new InvalidArgumentError(`Cannot read --temperature: expected a number from 0 to 10, got "${text}".`);
}

export function solveCommand(run: RunCommand): Command {
  return withDatasetOptions(new Command('solve'))
    .summary('answers to your questions, by the served adapter and the executor')
    .description(
      'Answers the questions of FILE, or the one of --prompt: the adapter writes an entry, the executor answers guided by it. A row\n' +
        'needs a question only; where it states a reference, its verifier says whether the answer is right. Nothing is recorded, and\n' +
        'services may run at the same time: to have answers in the log, "seam publish --mode deploy". Equal questions, models and --seed\n' +
        'give equal answers. With --json each answer is a line of JSON. With --out the answers known so far are in FILE.….part, and the\n' +
        'same command resumes from there after a stop. Exit code 1: a question could not be asked or judged.',
    )
    .argument('[file]', 'JSON Lines or Parquet, rows with a prompt or problems as for "seam publish", or "-"')
    .option('--prompt <text>', 'one question')
    .option('--reference <text>', 'with --prompt: the right answer, judged by --verifier')
    .option('--adapter <digest>', 'base, served, or the first digits of a digest', 'served')
    .option('--no-entry', 'ask the executor alone')
    .option('--temperature <t>', 'of the entries; 0 takes the most probable', temperatureOf, 0)
    .option('--seed <text>', 'decides what is drawn at a --temperature', 'seam')
    .option('--limit <n>', 'the first n questions only', wholeNumber('--limit', 1))
    .option('--out <file>', 'write the answers there, as JSON Lines')
    .addOption(forceOption())
    .addHelpText(
      'after',
      `${datasetsHelp()}${examples([
        ['seam solve --prompt "What is 2 + 3?"', 'one answer'],
        ['seam solve questions.jsonl --out answers.jsonl', 'a file of them'],
        ['seam solve test.jsonl --adapter base --json', 'before any training, for a script'],
        ['seam solve --prompt "What is 2 + 3?" --reference 5 --verifier numeric', 'and whether it is right'],
        ['seam solve --prompt "What is 2 + 3?" --no-entry', 'what the executor says alone'],
      ])}`,
    )
    .action((file: string | undefined, options: SolveRequest) => run((runtime) => solve(runtime, file, options)));
}
