/** How well the shipped models do what they were trained to, per domain; prints one table per model. */
import {
  adviceKnowledge,
  DOMAINS,
  entrySchemaFor,
  followEntry,
  goldEntry,
  loreOf,
  partnerKnowledge,
  randomEntry,
  SHIFTED_DOMAINS,
  worldProblems,
} from '@seamstream/embedded-world';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { LanguageModel, TrainingSession } from '@seamstream/language-model';
import { Verifiers } from '@seamstream/verifiers';

const PER_DOMAIN = 500;
const ENTRY_TOKENS = 64;
const RESPONSE_TOKENS = 40;

const write = (problem, entry) => entryText(entry, entrySchemaFor(problem.domain));
const share = (flags) => flags.filter(Boolean).length / flags.length;
const inFigures = (figures) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Number(value.toFixed(3))]));

/** Held-out problems by domain. */
function problemsByDomain() {
  const set = (variant, domains) =>
    worldProblems({ seed: 'measure', split: 'heldOut', variant, count: PER_DOMAIN * domains.length });
  return Object.groupBy([...set('base', DOMAINS), ...set('shifted', SHIFTED_DOMAINS)], ({ domain }) => domain);
}

async function responses(model, texts) {
  const answers = await model.generate(
    texts.map((text) => ({
      promptTokenIds: model.tokenizer.encode(text),
      seeds: ['greedy'],
      sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: RESPONSE_TOKENS },
    })),
  );
  return answers.map(([answer]) => ({
    text: model.tokenizer.decode(answer.tokenIds),
    finished: answer.finishReason === 'completed',
  }));
}

const verifiers = new Verifiers();
const judged = async (problem, response) =>
  (await verifiers.verify(problem.verifier, response, problem.reference)).success;

/** Success with the lore's entries, obedience to random ones, and success of every control. */
export async function measureExecutor(folder, prompts) {
  const model = await LanguageModel.load(folder);
  const byDomain = problemsByDomain();
  const table = {};
  for (const [domain, problems] of Object.entries(byDomain)) {
    const random = Random.of('measure executor', domain);
    const succeed = async (entryOf) => {
      const given = await responses(
        model,
        problems.map((problem, index) => prompts.executor(problem.prompt, entryOf(problem, index))),
      );
      return share(await Promise.all(problems.map((problem, index) => judged(problem, given[index]))));
    };
    const drawn = problems.map((problem) => randomEntry(problem, random));
    const obeyed = await responses(
      model,
      problems.map((problem, index) => prompts.executor(problem.prompt, write(problem, drawn[index]))),
    );
    const otherDomain = DOMAINS.find((name) => loreOf(name).solve !== loreOf(domain).solve);
    const next = (list, index) => list[(index + 1) % list.length];
    table[domain] = inFigures({
      gold: await succeed((problem) => write(problem, goldEntry(problem))),
      obeys: share(problems.map((problem, index) => obeyed[index].text === followEntry(problem, drawn[index]).response)),
      noEntry: await succeed(() => null),
      wrapperOnly: await succeed(() => ''),
      fixedHint: await succeed(() => prompts.fixedHint),
      fixedEntry: await succeed(() => write(problems[0], goldEntry(problems[0]))),
      otherProblem: await succeed((_, index) => write(next(problems, index), goldEntry(next(problems, index)))),
      otherDomain: await succeed((_, index) => {
        const other = next(byDomain[otherDomain], index);
        return write(other, goldEntry(other));
      }),
    });
  }
  await model.close();
  console.table(table);
}

/**
 * Sampled at temperature 1 under the grammar: how often all quoted words are the statement's, and success when the entry is obeyed;
 * also greedy. Then what it knows of the lore, word by word.
 */
export async function measureGeneratorBase(folder, prompts) {
  const model = await LanguageModel.load(folder);
  const table = {};
  for (const [domain, problems] of Object.entries(problemsByDomain())) {
    const sample = async (temperature) => {
      const results = await model.generate(
        problems.map((problem) => ({
          promptTokenIds: model.tokenizer.encode(prompts.generator(problem.prompt)),
          seeds: [problem.problemId],
          sampling: { temperature, topK: 0, topP: 1, maxTokens: ENTRY_TOKENS },
          schema: entrySchemaFor(domain),
        })),
      );
      return results.map(([entry]) => ({ ...entry, value: JSON.parse(model.tokenizer.decode(entry.tokenIds)) }));
    };
    const words = ({ concepts, strategy, pitfalls }) =>
      [...concepts, '/', ...strategy, '/', ...pitfalls].map((text) => text.replace(/^for (\S+) .*$/, '$1')).join(' ');
    const reads = (entries) =>
      share(problems.map((problem, index) => words(entries[index].value) === words(goldEntry(problem))));
    const succeeds = (entries) =>
      share(problems.map((problem, i) => followEntry(problem, entries[i].value).answer === problem.reference));
    const [sampled, greedy] = [await sample(1), await sample(0)];
    const free = sampled.map(({ forced }) => forced.filter((isForced) => !isForced).length);
    table[domain] = inFigures({
      quotes: reads(sampled),
      quotesGreedy: reads(greedy),
      success: succeeds(sampled),
      successGreedy: succeeds(greedy),
      tokens: sampled.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0) / sampled.length,
      freeTokens: free.reduce((sum, count) => sum + count, 0) / free.length,
    });
  }
  console.table(table);
  await measureKnowledge(folder, model, prompts);
  await model.close();
}

/** P(right advice | statement, word) and by chance, by word, and P(second word | first) of words that share an item or do not. */
async function measureKnowledge(folder, { tokenizer }, prompts) {
  const session = await TrainingSession.create({
    checkpoint: folder,
    trainable: { kind: 'full' },
    objective: { kind: 'negative-log-likelihood' },
  });
  const asked = {
    tokenizer,
    promptOf: (statement) => prompts.generator(statement),
    logProbabilities: (sequences) => session.logProbabilities(sequences),
  };
  const set = (variant, count) => worldProblems({ seed: 'words', split: 'train', variant, count });
  const problems = [...set('base', 320), ...set('shifted', 160)];
  console.table(await adviceKnowledge(problems, asked));
  console.table(await partnerKnowledge(problems, asked));
  await session.close();
}
