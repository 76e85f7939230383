import type { Problem } from '@seamstream/events';
import { experienceIdOf, groupIdOf } from '@seamstream/events';
import { isFaithful, loadPrompts, type Prompts, parseEntry, schemaDigest } from '@seamstream/experience';
import { candidateSeed, type ExplorationSettings, generateExperiences } from './explore.js';
import { FakeGenerator } from './generator-model.fake.js';
import type { GeneratorModel } from './generator-model.port.js';
import { entryOf, PROBLEMS, QUOTING, rightEntry, SCHEMAS, schemaFor, tokenizer } from './hinted-problems.fake.js';
import { judge } from './judge.js';

let prompts: Prompts;
beforeAll(async () => {
  prompts = await loadPrompts();
});

const sampling = { temperature: 1, topK: 0, topP: 1, maxTokens: 64 };
const exploration = (model: GeneratorModel, changes: Partial<ExplorationSettings> = {}): ExplorationSettings => ({
  model,
  adapter: null,
  prompts,
  groupSize: 4,
  sampling,
  schemaFor,
  ...changes,
});
const requestsOf = (problems: readonly Problem[]) =>
  problems.map((problem) => ({ eventId: `event-${problem.problemId}`, problem }));

describe('exploring a problem', () => {
  it('gives a group of valid entries with everything that a trainer needs, ids and seeds derived from the event', async () => {
    const model = new FakeGenerator(tokenizer);
    const [group] = await generateExperiences(requestsOf(PROBLEMS.slice(0, 1)), exploration(model));
    if (group?.status !== 'explored') throw new Error('not explored');
    expect(group.groupId).toBe(groupIdOf('event-p0'));
    expect(group.candidates.map(({ experienceId }) => experienceId)).toEqual(
      [0, 1, 2, 3].map((i) => experienceIdOf('event-p0', i)),
    );
    for (const [i, candidate] of group.candidates.entries()) {
      expect(parseEntry(candidate.entry, SCHEMAS.herbs).text).toBe(candidate.entry);
      expect(tokenizer.decode(candidate.tokenIds)).toBe(candidate.entry);
      expect(tokenizer.decode(candidate.promptTokenIds)).toBe('Number 0 asks for mint.\nExperience:\n');
      expect(candidate).toMatchObject({
        candidateIndex: i,
        entrySchema: schemaDigest(SCHEMAS.herbs),
        sampling: { ...sampling, seed: candidateSeed('event-p0', i) },
        adapterDigest: null,
        baseModelDigest: model.digest,
        tokenizerDigest: tokenizer.digest,
      });
      for (const values of [candidate.logProbs, candidate.legalMass, candidate.forced])
        expect(values).toHaveLength(candidate.tokenIds.length);
    }
    expect(new Set(group.candidates.map(({ entry }) => entry)).size).toBeGreaterThan(1);
  });

  it('quotes nothing but what its problem says, and names the schema that says what is a quote', async () => {
    const wood = PROBLEMS.filter(({ domain }) => domain === 'wood');
    const schemas = (domain: string) => QUOTING[domain as keyof typeof QUOTING];
    const quoted = async (schemaOf: typeof schemas): Promise<boolean[]> => {
      const groups = await generateExperiences(
        requestsOf(wood),
        exploration(new FakeGenerator(tokenizer), { schemaFor: schemaOf }),
      );
      return groups.flatMap((group) => {
        if (group.status === 'failed') throw new Error(group.reason);
        return group.candidates.map(({ entry, entrySchema }) => {
          expect(entrySchema).toBe(schemaDigest(schemaOf('wood')));
          return isFaithful(entry, QUOTING.wood, group.problem.prompt)!;
        });
      });
    };
    expect(await quoted(schemas)).not.toContain(false);
    // The same model without the rule: a third of its words are right.
    expect((await quoted(schemaFor)).filter(Boolean).length).toBeLessThan(wood.length * 3);
  });

  it('gives a problem the same group in any company of other problems', async () => {
    const all = await generateExperiences(requestsOf(PROBLEMS), exploration(new FakeGenerator(tokenizer)));
    const backwards = await generateExperiences(
      requestsOf([...PROBLEMS].reverse()),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(backwards.reverse()).toEqual(all);
    const [alone] = await generateExperiences(
      requestsOf(PROBLEMS.slice(7, 8)),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(alone).toEqual(all[7]);
  });

  it('measures the adapter it used', async () => {
    const model = new FakeGenerator(tokenizer);
    const adapter = model.teach('all', rightEntry);
    const [group] = await generateExperiences(
      requestsOf(PROBLEMS.slice(1, 2)),
      exploration(model, { adapter, groupSize: 1 }),
    );
    expect(group).toMatchObject({ candidates: [{ adapterDigest: adapter.digest, entry: entryOf('ash', 'add') }] });
  });

  it('lets a problem that does not fit fail alone', async () => {
    const long = { ...PROBLEMS[0]!, prompt: 'a b '.repeat(400) };
    const [failed, explored] = await generateExperiences(
      requestsOf([long, PROBLEMS[1]!]),
      exploration(new FakeGenerator(tokenizer)),
    );
    expect(failed).toMatchObject({ status: 'failed', code: 'PROMPT_TOO_LONG' });
    expect(explored).toMatchObject({ status: 'explored', problem: { problemId: 'p1' } });
  });
});

describe('judging', () => {
  it('rewards a right answer with 1, a wrong or unfinished one with 0', async () => {
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret2', finished: true })).toMatchObject({
      success: true,
      reward: 1,
      extractedAnswer: 'secret2',
    });
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret3', finished: true })).toMatchObject({
      success: false,
      reward: 0,
    });
    expect(await judge(PROBLEMS[2]!, { text: 'Answer: secret2', finished: false })).toMatchObject({
      success: false,
      reward: 0,
      extractedAnswer: null,
    });
  });
});
