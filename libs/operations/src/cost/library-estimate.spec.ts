import {
  estimateLibraryRun,
  type LibraryRunPlan,
  type RecordedRuns,
  type ReplyFigures,
} from './library-estimate.decide.js';

const PLAN: LibraryRunPlan = {
  ...{ groups: 10, groupSize: 4, epochs: 2, batchSize: 4, evidence: 'groups' },
  ...{ maxOperations: 3, maxWords: 32, maxTokens: 1024, attempts: 3, trajectoryTokens: null },
};
const replies = (stage: ReplyFigures['stage'], ...tokens: number[]): ReplyFigures[] =>
  tokens.map((promptTokens) => ({ stage, promptTokens, responseTokens: 10, isRead: true }));
const KNOWN: RecordedRuns = {
  replies: [...replies('summary', 100, 200), ...replies('advantage', 400, 400), ...replies('consolidation', 900, 900)],
  ...{ ofOthers: [], tokensPerSecond: 5 },
};
const NOTHING: RecordedRuns = { replies: [], ofOthers: [], tokensPerSecond: null };

describe('the cost of a run that brings a library on', () => {
  it.each([
    ['groups', [80, 20, 6]],
    ['attempts', [20, 20, 6]],
    ['problems', [0, 20, 6]],
  ] as const)('has the calls that its stages make of %s', (evidence, calls) => {
    const { stages } = estimateLibraryRun({ ...PLAN, evidence }, KNOWN);
    expect([stages.summary.calls, stages.advantage.calls, stages.consolidation.calls]).toEqual(calls);
  });

  it('is the calls times what recorded replies took, at the recorded speed', () => {
    const { promptTokens, responseTokens, calls, seconds } = estimateLibraryRun(PLAN, KNOWN);
    expect(calls).toBe(80 + 20 + 6);
    expect([promptTokens, responseTokens]).toEqual([80 * 150 + 20 * 400 + 6 * 900, 1060]);
    expect(seconds).toBe(212);
  });

  it.each([
    // Of two replies one could be read: 1 + 1/2 + 1/4 tries of at most three.
    [3, [80, 35, 6]],
    [1, [80, 20, 6]],
  ])('has the tries of a stage whose replies cannot all be read, %i at most, and of no other', (attempts, calls) => {
    const half = KNOWN.replies.map((reply, at) => ({ ...reply, isRead: at !== 2 }));
    const { stages } = estimateLibraryRun({ ...PLAN, attempts }, { ...KNOWN, replies: half });
    expect([stages.summary.calls, stages.advantage.calls, stages.consolidation.calls]).toEqual(calls);
  });

  it('asks as often as it may where no reply of a stage could be read', () => {
    const none = KNOWN.replies.map((reply) => ({ ...reply, isRead: false }));
    expect(estimateLibraryRun(PLAN, { ...KNOWN, replies: none }).calls).toBe(3 * 106);
  });

  it('is as sure as the replies are alike: 80 calls of 110 or 210 tokens, known by two', () => {
    // s² = 5000; 80² · 5000 / 2 + 80 · 5000, over 80 · 160 + 20 · 410 + 6 · 910 tokens.
    expect(estimateLibraryRun(PLAN, KNOWN).error).toBeCloseTo((1.96 * Math.sqrt(16_400_000)) / 26_460);
    const alike = { ...KNOWN, replies: [...replies('summary', 150, 150), ...KNOWN.replies.slice(2)] };
    expect(estimateLibraryRun(PLAN, alike).error).toBe(0);
    expect(estimateLibraryRun(PLAN, { ...KNOWN, ofOthers: ['advantage'] }).error).toBeNull();
  });

  it('has each stage by what is recorded of it, and says which are assumed by the lengths of the others', () => {
    const without = (...stages: string[]): RecordedRuns => ({
      ...KNOWN,
      replies: KNOWN.replies.filter(({ stage }) => !stages.includes(stage)),
    });
    // Of a consolidation: 400 tokens, and ten of each of its four groups.
    const { stages, error } = estimateLibraryRun(PLAN, without('consolidation'));
    expect(stages).toMatchObject({
      summary: { basis: 'own', promptTokens: 80 * 150, replies: 2 },
      consolidation: { basis: 'assumed', promptTokens: 6 * (400 + 4 * 10), replies: 0 },
    });
    expect(error).toBeNull();
    // Accounts with a shorter problem than their template is long, and four accounts of ten tokens.
    const accounts = estimateLibraryRun(PLAN, without('consolidation', 'advantage')).stages;
    expect(accounts.advantage).toMatchObject({ basis: 'assumed', promptTokens: 20 * (350 + 40) });
    const others = estimateLibraryRun(PLAN, { ...KNOWN, ofOthers: ['summary'] }).stages;
    expect([others.summary.basis, others.advantage.basis]).toEqual(['others', 'own']);
    expect(() => estimateLibraryRun(PLAN, without('summary'))).toThrow(/--trajectory-tokens/);
  });

  it('needs nothing of a stage that is not asked, as of accounts where no attempt is read', () => {
    const direct = { ...PLAN, evidence: 'problems' } as const;
    const replies = KNOWN.replies.filter(({ stage }) => stage !== 'summary');
    const { stages, error } = estimateLibraryRun(direct, { ...KNOWN, replies });
    expect(stages.summary).toEqual({ calls: 0, promptTokens: 0, responseTokens: 0, basis: 'unasked', replies: 0 });
    expect(error).toBe(0);
  });

  it('says of a stage without replies that it assumes, and does not state an error', () => {
    const first = { ...PLAN, trajectoryTokens: 900 };
    const estimate = estimateLibraryRun(first, NOTHING);
    expect(estimate).toMatchObject({ error: null, seconds: null, stages: { summary: { replies: 0, calls: 80 } } });
    expect(estimate.stages.summary.promptTokens).toBe(80 * 1100);
    // No reply is longer than it may be.
    const short = estimateLibraryRun({ ...first, maxTokens: 20 }, NOTHING);
    expect(short.responseTokens).toBe(short.calls * 20);
    expect(() => estimateLibraryRun(PLAN, NOTHING)).toThrow(/--trajectory-tokens/);
  });
});
