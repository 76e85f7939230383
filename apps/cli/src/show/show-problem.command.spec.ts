/** The story of one problem: what the log says of it, in the order in which it happened, and what of that does not count. */
import {
  conversationTemplate,
  type EventOf,
  encodeEvent,
  type Problem,
  type SeamEvent,
  tenantOf,
} from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { readStory } from '@seamstream/operations/show';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { all, explored, FORGERIES } from '@seamstream/testing/result-log';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { NO_PROGRESS } from '../terminal/progress.js';
import { PLAIN_STYLE } from '../terminal/style.js';
import { renderStory } from './render-story.js';

const problemOf = (problemId: string, prompt: string): Problem => ({
  problemId,
  domain: 'sums',
  prompt,
  reference: '5',
  verifier: { kind: 'numeric', version: '1', options: {} },
  metadata: { source: 'book' },
});
const APPLES = explored(problemOf('11aa22bb-0000-4000-8000-000000000001', 'How many apples are 2 + 3?'), {
  solved: [0, 2],
  entryOf: (index) => JSON.stringify({ concepts: ['sums', `way ${index}`], strategy: { first: 'add' }, pitfalls: [] }),
});
const PEARS = explored(problemOf('11aa33cc-0000-4000-8000-000000000002', 'How many pears are 2 + 3?'));

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});
const append = (...events: readonly SeamEvent[]) => world.log.append(events.map(encodeEvent));
const quietly = { signal: new AbortController().signal, progress: () => NO_PROGRESS };

const committed = (sequence: number): EventOf<'BufferCommitted'> => ({
  ...EXAMPLE_EVENTS.BufferCommitted,
  sequence,
  manifestDigest: `${sequence}`.repeat(64),
  shard: 0,
  shards: 1,
});

const run = (runId: string, facts: Partial<EventOf<'TrainingRunStarted'>>): SeamEvent => ({
  ...EXAMPLE_EVENTS.TrainingRunStarted,
  runId,
  configuration: '{}',
  inputs: [],
  manifestKey: null,
  manifestDigest: null,
  manifests: [],
  ...facts,
});

const priced = (model: string, prompt: number, completion: number): EventOf<'PriceDeclared'> => ({
  ...EXAMPLE_EVENTS.PriceDeclared,
  ...{ model, currency: 'USD', validFrom: 0, cachedPromptPerMillion: null },
  ...{ promptPerMillion: prompt * 1e6, completionPerMillion: completion * 1e6 },
});

describe('seam show', () => {
  it('shows who published a problem, what was written for it, what was answered and why it counts', async () => {
    await append(...all(APPLES), ...all(PEARS));
    expect(await world.seam('show', APPLES.published.problem.problemId)).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toContain('How many apples are 2 + 3?');
    expect(shown).not.toContain('pears');
    expect(shown).toMatch(/published +1970-01-01 00:00:00 UTC by seam\/cli to explore, seam\.problems\/\d\/0/);
    expect(shown).toMatch(/now +solved, 2 of 4 answers right/);
    expect(shown).toContain('1 of 4 solved by the base model');
    expect(shown).toContain('2 of 4 not solved by the base model');
    expect(shown).toMatch(/concepts +sums; way 1\n/);
    expect(shown).toMatch(/strategy\.first +add\n/);
    expect(shown).toMatch(/pitfalls +\(nothing\)\n/);
    expect(shown).toContain('No training run has learned from it.');
  });

  it('counts right answers with the base model, and with an adapter', async () => {
    await append(...all(APPLES), ...promotedByRun({ adapterDigest: 'a'.repeat(64) }));
    const { problemId } = APPLES.published.problem;
    await world.seam('show', problemId);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^with the base +2 of 4 answers right$/m);
    expect(shown).toMatch(/^with an adapter +no judged answer in the log, a{8,}, which is served$/m);
    await world.seam('show', problemId, '--json');
    expect(world.takeJson()).toMatchObject([{ againstBase: { base: { judged: 4, solved: 2 }, adapter: null } }]);
  });

  it('finds it by the beginning of its id or by words of its question, and names those that may be meant', async () => {
    await append(...all(APPLES), ...all(PEARS));
    for (const meant of ['11aa2', 'APPLES are']) {
      expect(await world.seam('show', meant, '--json')).toBe(0);
      expect(world.takeJson()).toMatchObject([{ problem: APPLES.published.problem }]);
    }
    for (const meant of ['11aa', '2 + 3']) {
      expect(await world.seam('show', meant)).toBe(2);
      const said = world.takeErrors();
      expect(said).toMatch(/expected one problem, got 2/);
      expect(said).toMatch(/11aa22bb {2}sums {2}How many apples/);
      expect(said).toMatch(/11aa33cc {2}sums {2}How many pears/);
    }
    expect(await world.seam('show', '11a')).toBe(2);
    expect(world.takeErrors()).toMatch(/got none of the 2 in the log/);
  });

  it('says in which version of the buffer a pair came and went, and which runs had it before them', async () => {
    const [position] = await append(...all(APPLES)).then((places) => places.slice(-4));
    const { topic, partition, offset } = position!;
    await append(
      decided('SuccessAdmitted', 0, 1),
      decided('SuccessRejected', 0, 2),
      ...[committed(1), committed(2)],
      run('reads version 1', {
        manifestKey: 'k',
        manifestDigest: '1'.repeat(64),
        inputs: [{ topic, partition, from: 0, to: 99 }],
      }),
      run('reads version 2', { manifestKey: 'k', manifestDigest: '2'.repeat(64) }),
      run('replays two', { inputs: [{ topic, partition, from: offset, to: offset + 2 }] }),
      run('replays one', {
        inputs: [{ topic, partition, from: offset, to: offset + 2 }],
        configuration: JSON.stringify({ refused: [{ topic, partition, from: offset, to: offset + 1 }] }),
      }),
      run('leaves it out', {
        inputs: [{ topic, partition, from: 0, to: 99 }],
        configuration: JSON.stringify({ excluded: [APPLES.outcomes[0]!.groupId] }),
      }),
      run('replays others', { inputs: [{ topic, partition, from: offset + 4, to: 99 }] }),
    );
    expect(await world.seam('show', '11aa22bb', '--json')).toBe(0);
    const [story] = world.takeJson() as [
      { attempts: { buffer: unknown }[]; runs: { runId: string; results: number; pairs: number }[] },
    ];
    expect(story.attempts[0]!.buffer).toMatchObject([
      { decision: 'admitted', sequence: 1, stratum: 'sums/hard' },
      { decision: 'rejected', sequence: 2 },
    ]);
    expect(story.runs.map(({ runId, results, pairs }) => [runId, results, pairs]).sort()).toEqual([
      ['reads version 1', 0, 1],
      ['replays one', 1, 0],
      ['replays two', 2, 0],
    ]);
  });

  it('says what the attempts and entries of the problem have cost, and of no other problem or tenant', async () => {
    await append(...all(APPLES), ...all(PEARS));
    await world.seam('show', '11aa22bb');
    expect(world.takeOutput()).not.toContain('cost');
    const { executor, promptTokens, responseTokens } = APPLES.outcomes[0]!;
    // In millionths, of a token. Entries have no price.
    await append(priced(executor.model, 2, 3));
    const theirs = APPLES.outcomes.map((outcome, n) => ({
      ...{ ...outcome, experienceId: `theirs-${n}` },
      meta: { ...outcome.meta, messageId: `theirs-${n}`, tenant: 'acme' },
    }));
    await append(...theirs);
    await world.seam('show', '11aa22bb', '--json');
    const money = APPLES.outcomes.length * (2 * promptTokens! + 3 * responseTokens!);
    const items = APPLES.experiences.length;
    expect(world.takeJson()).toMatchObject([
      {
        cost: {
          executor: { items, unknown: 0, money },
          generator: { items, unknown: items, money: 0 },
        },
      },
    ]);
    await world.seam('show', '11aa22bb');
    expect(world.takeOutput()).toContain(`of entries: USD unknown for 0 items, and ${items} items without`);
  });

  it('adds no result and no entry to the cost that the log does not bear out', async () => {
    await append(...all(APPLES), priced(APPLES.outcomes[0]!.executor.model, 2, 3));
    const { cost } = await readStory(world.log, APPLES.published.problem.problemId, quietly);
    expect([cost.executor.items, cost.generator.items]).toEqual([4, 4]);
    const [result, entry] = [APPLES.outcomes[0]!, APPLES.experiences[0]!];
    await append(
      { ...result, experienceId: 'forged', promptTokens: 1_000_000 },
      { ...entry, experienceId: 'forged', tokenIds: [1, 2, 3] },
    );
    expect((await readStory(world.log, APPLES.published.problem.problemId, quietly)).cost).toEqual(cost);
  });

  it('does not let a forged result take the place of the honest one in the cost', async () => {
    const [honest] = APPLES.outcomes;
    await append(APPLES.published, ...APPLES.experiences, priced(honest!.executor.model, 2, 3));
    await append({ ...honest!, reward: 1000, promptTokens: null }, ...APPLES.outcomes);
    const { cost } = await readStory(world.log, APPLES.published.problem.problemId, quietly);
    expect(cost.executor).toMatchObject({ items: 4, unknown: 0 });
  });

  it('adds no forged answer to the cost, and lets none take the place of the honest one', async () => {
    const asked = explored(
      { ...problemOf(APPLES.published.problem.problemId, 'Which way?'), ...OPEN },
      { groupSize: 1 },
    );
    const experience = { ...asked.experiences[0]!, answeredBy: 'seam/gateway', arm: 'deploy' as const };
    const answer = answerOfGateway(experience, { ...asked.outcomes[0]!, arm: 'deploy' });
    const forged = [
      { ...answer, meta: { ...answer.meta, messageId: 'another' } },
      { ...answer, attemptId: 'another' },
      { ...answer, groupId: 'another' },
      { ...answer, arm: 'control' as const },
      { ...answer, problem: { ...answer.problem, prompt: 'Another?' } },
      { ...answer, executor: { ...answer.executor, template: 'sentence' } },
    ].map((each) => ({ ...each, promptTokens: 1_000_000 }));
    const assignment = { experiment: 'e', controlShare: 0, unit: 'u' };
    const published = { ...asked.published, answeredBy: 'seam/gateway', assignment };
    const others = forged.map((each, n) => ({ ...each, experienceId: `forged-${n}` }));
    await append(published, ...forged, ...others, answer, priced(answer.executor.model, 2, 3));
    const executor = async () => (await readStory(world.log, published.problem.problemId, quietly)).cost.executor;
    const honest = { items: 1, unknown: 0, money: 2 * answer.promptTokens! + 3 * answer.responseTokens! };
    // Its experience may never come.
    expect(await executor()).toEqual(honest);
    await append(experience);
    expect(await executor()).toEqual(honest);
  });

  it.each(Object.keys(FORGERIES))('does not believe a result %s', async (kind) => {
    await append(...all(PEARS), APPLES.published, ...APPLES.experiences, ...APPLES.outcomes.slice(1));
    const forged = FORGERIES[kind]!(APPLES.outcomes[0]!, PEARS.outcomes[0]!);
    // Under the key of the problem that is shown, as a forger would write it to be believed about it.
    await world.log.append([{ ...encodeEvent(forged), key: APPLES.published.problem.problemId }]);
    const isAboutIt = forged.problem.problemId === APPLES.published.problem.problemId;
    const told = await readStory(world.log, APPLES.published.problem.problemId, quietly);
    const { story, doubts } = told;
    const results = story.attempts.flatMap((attempt) => attempt.results);
    // What another tenant wrote is not part of the story.
    const isOfItsTenant = tenantOf(forged.meta) === story.tenant;
    if (forged.type === 'ProblemExpired' || !isAboutIt || !isOfItsTenant) {
      expect(results).toHaveLength(3);
      return;
    }
    expect(doubts.size).toBe(1);
    const shown = renderStory(told, { full: false }, PLAIN_STYLE);
    expect(shown.match(/not believed/g)).toHaveLength(1);
  });

  it('sends no control character of a log to a terminal, and keeps to its width', async () => {
    const hostile = fc.string({
      unit: fc.constantFrom('\u001b[2J', '\u0007', '\r', '\n', '数学', 'a', ' ', '\u202e', '"'),
    });
    await fc.assert(
      fc.asyncProperty(hostile, fc.constantFrom(40, 60, 200), async (text, columns) => {
        world = await fakeWorld();
        const problem = { ...problemOf('p-1', `${text} x`), domain: 'd', metadata: { [`m${text}`]: text } };
        const facts = explored(problem, {
          groupSize: 1,
          entryOf: () => JSON.stringify({ [text]: [text, { a: text }] }),
        });
        await append(...all(facts));
        const told = await readStory(world.log, 'p-1', quietly);
        const shown = renderStory(told, { full: true }, { ...PLAIN_STYLE, columns });
        expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        for (const line of shown.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: 60, seed: 43 },
    );
  });
});

/** A decision of the buffer about a candidate of the apples, under the id that the buffer gives it. */
function decided(type: 'SuccessAdmitted' | 'SuccessRejected', index: number, sequence: number): SeamEvent {
  const { meta, experienceId, problem } = APPLES.outcomes[index]!;
  const example = EXAMPLE_EVENTS[type];
  return {
    ...example,
    meta: { ...example.meta, messageId: derivedId(meta.messageId, `buffer:${type}:${experienceId}`, sequence) },
    outcomeId: meta.messageId,
    experienceId,
    problemId: problem.problemId,
    stratum: 'sums/hard',
  };
}

const OPEN = { reference: null, verifier: null };

function answerOfGateway(
  { experienceId }: EventOf<'ExperienceGenerated'>,
  outcome: EventOf<'OutcomeRecorded'>,
): EventOf<'AnswerRecorded'> {
  const { success, reward, verifierVersion, verifierDetail, feedbackId, measurement, ...said } = outcome;
  const meta = { ...said.meta, messageId: derivedId(experienceId, 'answer') };
  const executor = { ...said.executor, template: conversationTemplate('d') };
  return { ...said, type: 'AnswerRecorded', meta, executor, unpaid: null, feedbackUntil: 9e12 };
}
