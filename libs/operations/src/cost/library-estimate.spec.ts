import {
  estimateLibraryRun,
  type LibraryRunPlan,
  type RecordedRuns,
  type ReplyFigures,
} from './library-estimate.decide.js';

const PLAN: LibraryRunPlan = {
  ...{ groups: 10, groupSize: 4, epochs: 2, batchSize: 4, evidence: 'groups' },
  ...{ maxOperations: 3, maxWords: 32, maxTokens: 1024, trajectoryTokens: null },
};
const replies = (stage: ReplyFigures['stage'], ...tokens: number[]): ReplyFigures[] =>
  tokens.map((promptTokens) => ({ stage, promptTokens, responseTokens: 10 }));
const KNOWN: RecordedRuns = {
  replies: [...replies('summary', 100, 200), ...replies('advantage', 400, 400), ...replies('consolidation', 900, 900)],
  ...{ tries: 1, tokensPerSecond: 5 },
};

describe('the cost of a run that brings a library on', () => {
  it.each([
    ['groups', [80, 20, 6]],
    ['attempts', [20, 20, 6]],
    ['problems', [0, 20, 6]],
  ] as const)('has the calls that its stages make of %s', (evidence, calls) => {
    const { stages } = estimateLibraryRun({ ...PLAN, evidence }, KNOWN);
    expect([stages.summary.calls, stages.advantage.calls, stages.consolidation.calls]).toEqual(calls);
  });

  it('is the calls times what recorded replies took, with the tries that some need, at the recorded speed', () => {
    const { promptTokens, responseTokens, calls, seconds } = estimateLibraryRun(PLAN, { ...KNOWN, tries: 1.5 });
    expect(calls).toBe(120 + 30 + 9);
    expect([promptTokens, responseTokens]).toEqual([120 * 150 + 30 * 400 + 9 * 900, 1590]);
    expect(seconds).toBe(318);
  });

  it('is as sure as the replies are alike: 80 calls of 110 or 210 tokens, known by two', () => {
    // s² = 5000; 80² · 5000 / 2 + 80 · 5000, over 80 · 160 + 20 · 410 + 6 · 910 tokens.
    expect(estimateLibraryRun(PLAN, KNOWN).error).toBeCloseTo((1.96 * Math.sqrt(16_400_000)) / 26_460);
    const alike = { ...KNOWN, replies: [...replies('summary', 150, 150), ...KNOWN.replies.slice(2)] };
    expect(estimateLibraryRun(PLAN, alike).error).toBe(0);
  });

  it('says of a stage without replies that it assumes, and does not state an error', () => {
    const first = { ...PLAN, trajectoryTokens: 900 };
    const estimate = estimateLibraryRun(first, { replies: [], tries: 1, tokensPerSecond: null });
    expect(estimate).toMatchObject({ error: null, seconds: null, stages: { summary: { replies: 0, calls: 80 } } });
    expect(estimate.stages.summary.promptTokens).toBe(80 * 1100);
    // No reply is longer than it may be.
    const short = estimateLibraryRun({ ...first, maxTokens: 20 }, { replies: [], tries: 1, tokensPerSecond: null });
    expect(short.responseTokens).toBe(short.calls * 20);
    expect(() => estimateLibraryRun(PLAN, { replies: [], tries: 1, tokensPerSecond: null })).toThrow(
      /--trajectory-tokens/,
    );
  });
});
