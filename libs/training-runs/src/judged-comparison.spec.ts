/** Two adapters on problems whose answers are words: a model behind a real server judges both. */
import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import { loadPrompts } from '@seamstream/experience';
import {
  conceptOf,
  entryOf,
  FakeGenerator,
  PROBLEMS,
  rightEntry,
  rule,
  schemaFor,
  tokenizer,
} from '@seamstream/rollout/testing';
import { type JudgeServer, judgeServer, opinionOn, partsOf } from '@seamstream/testing/judge-server';
import { chatCompletion } from '@seamstream/testing/model-server';
import { builtInVerifiers, type Verifiers } from '@seamstream/verifiers';
import { RolloutEvaluation } from './adapter-evaluation.rollout.adapter.js';
import { compareAdapters } from './compare-adapters.js';

let judge: JudgeServer;
beforeEach(async () => {
  judge = await judgeServer();
});
afterEach(() => judge.close());

describe('a comparison of adapters that a model judges', () => {
  it('counts its verdicts, asks once about equal answers, and names who judged', async () => {
    const { evaluation } = await comparison();
    expect(await evaluation()).toMatchObject({
      ...{ problems: 24, success: 1, parentSuccess: 8 / 24, rescued: 16, broken: 0, judgedApart: 0 },
      judges: [{ model: 'judge', revision: 'tiny/fp_1', verdicts: 48 }],
    });
    // Of the herbs both have the same answers.
    expect(judge.server.seen).toHaveLength(24 + 16);
  });

  it('asks the executor once with an entry that both wrote, and records how many attempts it took', async () => {
    const { evaluation, executor } = await comparison();
    expect(await evaluation()).toMatchObject({ problems: 24, attempts: 24 + 16 });
    expect(executor.prompts).toHaveLength(24 + 16);
    // Half of them decide. Nothing is remembered beyond the problems that are measured side by side.
    expect(await evaluation({ portion: 12 })).toMatchObject({ problems: 12, attempts: 12 + 8 });
    expect(await evaluation()).toMatchObject({ attempts: 24 + 16 });
    expect(executor.prompts).toHaveLength(2 * (24 + 16) + 12 + 8);
  });

  it('does not tell the judge which adapter answered: equal answers are asked about in equal words', async () => {
    const { evaluation, names } = await comparison();
    await evaluation();
    const asked = judge.server.seen.map(({ body, headers }) => `${JSON.stringify(body)}${JSON.stringify(headers)}`);
    for (const name of names) expect(asked.filter((text) => text.includes(name))).toEqual([]);
    expect(new Set(judge.server.seen.map((request) => partsOf(request).outside)).size).toBe(1);
    const tasks = judge.server.seen.map((request) => JSON.stringify(partsOf(request)));
    expect(new Set(tasks).size).toBe(tasks.length);
  });

  it('counts no problem whose two answers were judged by different revisions, and says how many', async () => {
    let asked = 0;
    // The candidate is judged by the first one.
    judge.server.behave = (request) => opinionOn(request, ++asked > 24 ? 'fp_2' : 'fp_1');
    const { evaluation } = await comparison();
    expect(await evaluation()).toMatchObject({
      // The answers that are the same have the same verdict.
      ...{ problems: 8, rescued: 0, broken: 0, judgedApart: 16, asked: { herbs: 8, wood: 16 } },
      judges: [
        { revision: 'tiny/fp_1', verdicts: 32 },
        { revision: 'tiny/fp_2', verdicts: 16 },
      ],
    });
    // Made again, all of it is judged by the new one.
    expect(await evaluation()).toMatchObject({
      ...{ problems: 24, rescued: 16, broken: 0, judgedApart: 0 },
      judges: [{ revision: 'tiny/fp_2', verdicts: 48 }],
    });
  });

  it('ends without counts where a verdict cannot be had, and pays no verdict twice when it is made again', async () => {
    let isSilent = true;
    judge.server.behave = (request) =>
      isSilent && partsOf(request).reference === 'SECRET5'
        ? { kind: 'answer', body: chatCompletion('Perhaps.') }
        : opinionOn(request);
    const { evaluation } = await comparison();
    await expect(evaluation()).rejects.toMatchObject({
      code: 'VERIFIER_FAILED',
      retryable: true,
      message: expect.stringContaining('the answer to problem p5 could not be judged'),
    });
    isSilent = false;
    expect(await evaluation()).toMatchObject({ problems: 24, rescued: 16 });
    const verdicts = judge.server.seen.filter((request) => partsOf(request).reference !== 'SECRET5');
    expect(verdicts).toHaveLength(24 + 16 - 2);
  });

  it('is refused before an entry is written where no model judges', async () => {
    const { evaluation, executor } = await comparison(builtInVerifiers);
    await expect(evaluation()).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    expect(executor.prompts).toEqual([]);
  });
});

/** The candidate knows both domains, its parent the herbs. Right answers are other words than the reference. */
async function comparison(verifiers: Verifiers = judge.verifiers) {
  const prompts = await loadPrompts();
  const generator = new FakeGenerator(tokenizer);
  const candidate = generator.teach('candidate', rightEntry);
  const parent = generator.teach('parent', (text) =>
    ['mint', 'sage'].includes(conceptOf(text)) ? rightEntry(text) : entryOf('yew', 'subtract'),
  );
  const misled = (text: string): boolean => /Number \d+ asks for yew/.test(text) && text.includes('subtract');
  const executor = new FakeExecutor((prompt) =>
    misled(prompt) ? 'Answer: unknown' : rule(prompt).replace('Answer: ', 'Answer: the word is '),
  );
  const evaluator = new RolloutEvaluation({
    ...{ generator, prompts, schemaFor, verifiers, responseMaxTokens: 64, entryMaxTokens: 64 },
    environmentOf: () => Promise.resolve(new PromptInjection(executor, prompts)),
    problemSet: 'words',
    problems: PROBLEMS.map((problem) => ({
      ...problem,
      verifier: { kind: 'judge', version: '1', options: { question: problem.prompt } },
    })),
  });
  const policy = { risk: 0.05, look: 1, promoted: 0, level: 0.03, asked: {}, portion: 24, most: 24, minProblems: 1 };
  return {
    executor,
    names: [candidate.digest, parent.digest, generator.digest],
    evaluation: (changes: { readonly portion?: number } = {}) =>
      compareAdapters(
        { candidate, parent },
        { rule: 'better', ...policy, ...changes },
        { evaluator, domains: ['herbs', 'wood'], onProgress: () => undefined },
      ),
  };
}
