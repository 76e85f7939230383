import { count, onOneLine, plural, shortId } from '@seamstream/kernel';
import { type AnsweredQuestion, answerQuestions, executorIdentity, type Question } from '@seamstream/rollout';
import { Command, InvalidArgumentError } from 'commander';
import { examples, wholeNumber } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { adapterOf } from '../evaluate/chosen-adapter.js';
import { forceOption } from '../evaluate/predictions-file.js';
import { tellUnknownWords } from '../evaluate/shipped-models.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { datasetsHelp, withDatasetOptions } from '../publish/dataset-options.js';
import { entryFields } from '../show/readable-entry.js';
import type { Style } from '../terminal/style.js';
import { renderFacts } from '../terminal/table.js';
import { jsonLine } from '../terminal/terminal.js';
import { type AnswerFacts, answerLine, counted, heldAnswers, NO_ANSWERS, workName } from './answer-lines.js';
import { chosenQuestions, type QuestionOptions } from './questions.js';

interface SolveOptions extends QuestionOptions {
  readonly adapter: string;
  /** False with --no-entry. */
  readonly entry: boolean;
  readonly temperature: number;
  readonly seed: string;
  readonly out?: string;
  readonly force?: true;
}

/** Few enough to see answers soon, many enough that a model's batch is worth its while. */
const BATCH = 16;

/** Answers every question with the chosen adapter, tells each answer as it comes, and says how many are right where that is known. */
async function solve(runtime: CommandRuntime, path: string | undefined, options: SolveOptions): Promise<ExitCode> {
  const { terminal, signal } = runtime;
  const { out, temperature, seed, force: replace, entry: withEntry } = options;
  const questions = await chosenQuestions(runtime, path, options);
  if (out !== undefined) await runtime.checkOutput(out, { replace });
  const models = await runtime.openModels();
  const { generator, executor, prompts, maxEntryTokens } = models;
  tellUnknownWords(terminal, models, questions, [{ solver: 'executor', withEntries: withEntry }]);
  const schemaFor = await runtime.entrySchemas();
  const adapter = withEntry ? await adapterOf(runtime, options.adapter, generator.digest) : null;
  const facts: AnswerFacts = { adapterDigest: adapter?.digest ?? null, withEntry, seed };
  let tally = NO_ANSWERS;
  const output =
    out === undefined
      ? undefined
      : await runtime.growOutput(out, {
          replace,
          work: workName(questions, {
            ...facts,
            temperature,
            maxEntryTokens,
            generator: generator.digest,
            executor: executorIdentity(executor, prompts),
            generatorTemplate: prompts.generatorTemplate,
            schemas: [...new Set(questions.map(({ domain }) => domain))].map((domain) => schemaFor(domain)),
          }),
          keep(lines) {
            const held = heldAnswers(lines, questions);
            tally = held.reduce(counted, NO_ANSWERS);
            return held.length;
          },
        });
  let next = output?.kept ?? 0;
  if (next > 0)
    terminal.remark(`${count(next)} of ${plural(questions.length, 'answer')} are known from an earlier run: going on.`);
  const progress = terminal.progress('solving', questions.length);
  progress.advance(next);
  try {
    const batches = answerQuestions(questions.slice(next), {
      ...{ generator, executor, adapter, prompts, schemaFor, maxEntryTokens, temperature, seed, signal },
      withEntries: withEntry,
      batchSize: BATCH,
    });
    for await (const answers of batches) {
      const lines = answers.map((answer, at) => answerLine(questions[next + at]!, answer, facts));
      if (output !== undefined) await output.append(lines.map(jsonLine).join(''));
      else if (terminal.json) lines.forEach((line) => terminal.printJson(line));
      else
        for (const [at, answer] of answers.entries())
          terminal.print(`${renderAnswer(questions[next + at]!, answer, terminal.style)}\n`);
      tally = lines.reduce(counted, tally);
      next += answers.length;
      progress.advance(answers.length);
      await terminal.drained();
    }
    await output?.finish();
  } catch (error) {
    if (output?.partPath != null && next > 0)
      terminal.remark(
        `${count(next)} of ${plural(questions.length, 'answer')} are in ${output.partPath}. The same command goes on from there.`,
      );
    throw error;
  } finally {
    progress.stop();
  }
  const { adapterDigest } = facts;
  const by = !withEntry
    ? 'the executor alone'
    : adapterDigest === null
      ? 'entries of the base model'
      : `adapter ${shortId(adapterDigest)}`;
  const right =
    tally.judged === 0 ? 'no reference known' : `${tally.right} of ${tally.judged} with a reference are right`;
  const failed = tally.failed === 0 ? '' : `, ${tally.failed} could not be asked or judged`;
  const written = out === undefined ? '' : `, written to ${out}`;
  terminal.remark(
    `${tally.answered} of ${plural(questions.length, 'question')} answered by ${by}: ${right}${failed}${written}.`,
  );
  if (out !== undefined && terminal.json)
    terminal.printJson({ file: out, questions: questions.length, ...tally, adapterDigest });
  return tally.failed === 0 ? EXIT.ok : EXIT.failedCheck;
}

function renderAnswer(
  { prompt, judgedBy }: Question,
  { entry, response, answer, verdict, failure }: AnsweredQuestion,
  style: Style,
): string {
  const facts: [string, string][] = [
    ['question', onOneLine(prompt)],
    ...(entry === null ? [] : entryFields(entry)),
    ...(response === null ? [] : [['response', onOneLine(response)] as [string, string]]),
    ['answer', answer === null ? style.yellow('none') : style.bold(onOneLine(answer))],
  ];
  if (verdict !== null) {
    const said = verdict.success
      ? style.green('right')
      : style.yellow(`wrong, the reference is ${onOneLine(judgedBy!.reference)}`);
    facts.push(['verdict', `${said} (${onOneLine(verdict.detail)})`]);
  }
  if (failure !== null) facts.push(['failure', style.red(`${failure.code}: ${onOneLine(failure.reason)}`)]);
  return renderFacts(facts, style);
}

function temperatureOf(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 10) return value;
  throw new InvalidArgumentError(`Reading --temperature: expected a number from 0 to 10, came "${text}".`);
}

export function solveCommand(run: RunCommand): Command {
  return withDatasetOptions(new Command('solve'))
    .summary('answers to your questions, by the served adapter and the executor')
    .description(
      'Answers the questions of FILE, or the one of --prompt: the adapter writes an entry, the executor answers guided by it. A row\n' +
        'needs a question only; where it states a reference, its verifier says whether the answer is right. Nothing is recorded, and\n' +
        'services may run beside it: to have answers in the log, "seam publish --mode deploy". Equal questions, models and --seed\n' +
        'give equal answers. With --json each answer is a line of JSON. With --out the answers known so far are in FILE.….part, and the\n' +
        'same command goes on from there after a stop. Exit code 1: a question could not be asked or judged.',
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
    .action((file: string | undefined, options: SolveOptions) => run((runtime) => solve(runtime, file, options)));
}
