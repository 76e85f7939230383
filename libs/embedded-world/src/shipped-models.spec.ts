import { fileURLToPath } from 'node:url';
import { entryText, loadPrompts } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { LanguageModel, TrainingSession } from '@seamstream/language-model';
import { DOMAINS, loreOf, SHIFTED_DOMAINS } from './domains.js';
import { entrySchemaFor, followEntry, randomEntry, type WorldEntry } from './entries.js';
import { pitfallWords, wordingOf, worldProblems } from './problems.js';
import { SHIPPED_MODELS } from './vocabulary.js';
import { type AskedModel, adviceKnowledge, partnerKnowledge } from './word-knowledge.js';

const folder = (name: string): string => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
const problems = (['base', 'shifted'] as const).flatMap((variant) =>
  worldProblems({ seed: 'shipped', split: 'heldOut', variant, count: 24 }),
);
const wordsOf = (entry: WorldEntry): string =>
  JSON.stringify([entry.concepts, entry.strategy, entry.pitfalls]).replaceAll(/"for (\w+) [^"]+"/g, '$1');

/** A change of the world needs new models; this spec reports it. */
describe('the shipped models fit this world', () => {
  const models: Record<string, LanguageModel> = {};
  beforeAll(async () => {
    for (const name of ['executor', 'generator-base'])
      models[name] = await LanguageModel.load(folder(name), { threads: 1 });
  });
  afterAll(() => Promise.all(Object.values(models).map((model) => model.close())));

  it('have one tokenizer, in which every word of the world is one token', () => {
    expect(models.executor!.tokenizer.digest).toBe(models['generator-base']!.tokenizer.digest);
    const words = [...DOMAINS, ...SHIFTED_DOMAINS].flatMap((domain) => {
      const lore = loreOf(domain);
      const known = [lore.cues, lore.phrases, pitfallWords(lore)].flatMap((words) => Object.entries(words)).flat();
      return [...known, ...lore.items, ...lore.amounts].flatMap((text) => text.split(' '));
    });
    const split = words.filter((word) => models.executor!.tokenizer.encode(` ${word}`).length !== 1);
    expect(split).toEqual([]);
    expect(models.executor!.digest).not.toBe(models['generator-base']!.digest);
  });

  it('are known by their digests', () => {
    expect({ executor: models.executor!.digest, generator: models['generator-base']!.digest }).toEqual(SHIPPED_MODELS);
  });

  it('the executor obeys an entry to the letter, right or wrong', async () => {
    const prompts = await loadPrompts();
    const entries = problems.map((problem) => randomEntry(problem, Random.of('obeyed', problem.problemId)));
    const results = await models.executor!.generate(
      problems.map(({ domain, prompt }, i) => ({
        promptTokenIds: models.executor!.tokenizer.encode(
          prompts.executor(prompt, entryText(entries[i], entrySchemaFor(domain)!)),
        ),
        seeds: ['greedy'],
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: 40 },
      })),
    );
    const responses = results.map(([response]) => models.executor!.tokenizer.decode(response!.tokenIds));
    const obedient = problems.filter((problem, i) => responses[i] === followEntry(problem, entries[i]!).response);
    // 1.000 of 500 per domain when it was made (models/README.md).
    expect(obedient.length / problems.length).toBeGreaterThanOrEqual(0.97);
  });

  it('the generator base quotes the words of a statement and does not know what they call for', async () => {
    const base = models['generator-base']!;
    const prompts = await loadPrompts();
    const results = await base.generate(
      problems.map(({ domain, prompt, problemId }) => ({
        promptTokenIds: base.tokenizer.encode(prompts.generator(prompt)),
        seeds: [`${problemId}/0`, `${problemId}/1`, `${problemId}/2`, `${problemId}/3`],
        sampling: { temperature: 1, topK: 0, topP: 1, maxTokens: 64 },
        schema: entrySchemaFor(domain)!,
      })),
    );
    const written = results.flatMap((candidates, i) =>
      candidates.map(({ tokenIds }) => ({
        problem: problems[i]!,
        entry: JSON.parse(base.tokenizer.decode(tokenIds)) as WorldEntry,
      })),
    );
    const quoting = written.filter(
      ({ problem, entry }) => wordsOf(entry) === wordsOf(randomEntry(problem, Random.of('any'))),
    );
    expect(quoting.length / written.length).toBeGreaterThanOrEqual(0.95);
    const solved = written.filter(({ problem, entry }) => followEntry(problem, entry).answer === problem.reference);
    // 0.06 on average; three standard errors of 192 draws are 0.05.
    expect(solved.length / written.length).toBeLessThan(0.12);
  });

  describe('the generator base, asked word by word,', () => {
    // Statements that it may have been trained on: what it does not know of these, it knows of none. Three or more of each word.
    const times = new Map<string, number>();
    const statements = (['base', 'shifted'] as const)
      .flatMap((variant) => worldProblems({ seed: 'words', split: 'train', variant, count: 480 }))
      .filter((problem) => {
        const { cues, phrase, pitfall = '' } = wordingOf(problem);
        const words = [...cues, phrase, pitfall].map((word) => `${problem.domain}/${word}`);
        if (words.every((word) => (times.get(word) ?? 0) >= 3)) return false;
        for (const word of words) times.set(word, (times.get(word) ?? 0) + 1);
        return true;
      });
    let session: TrainingSession;
    let asked: AskedModel;
    beforeAll(async () => {
      const prompts = await loadPrompts();
      session = await TrainingSession.create({
        checkpoint: folder('generator-base'),
        trainable: { kind: 'full' },
        objective: { kind: 'negative-log-likelihood' },
        threads: 1,
      });
      asked = {
        tokenizer: models['generator-base']!.tokenizer,
        promptOf: (statement) => prompts.generator(statement),
        logProbabilities: (sequences) => session.logProbabilities(sequences),
      };
    });
    afterAll(() => session.close());

    it('gives the right advice of every single word about the probability that chance gives it', async () => {
      const known = await adviceKnowledge(statements, asked);
      expect(known).toHaveLength(90);
      // Over 12 statements a word the probabilities lie within 0.1 of chance; a word that is known would stand near 1.
      for (const { probability, chance } of known) {
        expect(probability).toBeLessThan(chance + 0.2);
        expect(probability).toBeGreaterThan(chance - 0.2);
      }
    });

    it('knows which words of timber share an item, since no statement asks for two of one', async () => {
      const ofTimber = statements.filter(({ domain }) => domain === 'timber');
      const [timber] = await partnerKnowledge(ofTimber, asked);
      expect(timber!.sameItem).toBeLessThan(0.75 * timber!.otherItem);
    });
  });
});
