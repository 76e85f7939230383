import { initialLoopProgress } from '../round-progress.js';
import { bar, renderView, sparkline, TerminalView } from './terminal-view.js';

const facts = { seed: 1, elapsedSeconds: 65, training: null, activity: null };

describe('the terminal view', () => {
  it('draws rates as blocks and keeps the newest', () => {
    expect(sparkline([0, 0.5, 1], 10)).toBe('▁▅█');
    expect(sparkline([0, 0.5, 1], 2)).toBe('▅█');
    expect(bar(0.5, 4)).toBe('██░░');
    expect(bar(7, 3)).toBe('███');
  });

  it('shows time, round and rates, and never exceeds the width', () => {
    const progress = {
      ...initialLoopProgress,
      rounds: new Map([
        [
          1,
          {
            round: 1,
            phase: 'base' as const,
            published: 64,
            byAdapter: { executed: 10, solved: 5 },
            byBase: { executed: 4, solved: 0 },
            control: { executed: 4, solved: 1 },
            firstPublishedAtMs: 0,
          },
        ],
      ]),
      lastSolved: { prompt: 'Shelf: oak 4. '.repeat(20), entry: '{"concepts":["oak"]}', response: 'oak 4\nAnswer: 4' },
    };
    const lines = renderView(progress, facts, 60);
    expect(lines[0]).toBe('Seamstream  seed 1  01:05  round 1');
    expect(lines.some((line) => line.includes('with an experience  50.0%'))).toBe(true);
    expect(lines.some((line) => line.includes('no experience       25.0%'))).toBe(true);
    expect(lines).toContain('    executor  oak 4 / Answer: 4');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('shows no control character of a problem, an entry, an answer or a reason', () => {
    const hostile = '\u001b]52;c;eA==\u0007\u001b[2J\r\u202e';
    const progress = {
      ...initialLoopProgress,
      lastSolved: { prompt: hostile, entry: hostile, response: hostile },
    };
    const lines = renderView(progress, { ...facts, activity: hostile }, 200);
    expect(lines.join('')).toContain('\\u001b]52');
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
  });

  it('shows how far a slow model has come, and how long it needs still', () => {
    const work = [
      { service: 'generator', ready: 3, records: 12, tokensPerSecond: 41.234, remainingMs: 95_000 },
      { service: 'executor', ready: 0, records: 2, tokensPerSecond: null, remainingMs: null },
    ];
    const lines = renderView(initialLoopProgress, { ...facts, work }, 80);
    expect(lines).toContain('  generator          3 of 12, 41.2 tokens/s, about 01:35 left');
    expect(lines).toContain('  executor           0 of 2');
  });

  it('writes plain lines once per run where there is no terminal', () => {
    const written: string[] = [];
    const view = new TerminalView({ write: (text: string) => written.push(text) });
    const run = {
      runId: 'r',
      window: 1,
      algorithm: 'sft',
      startedAtMs: 0,
      endedAtMs: 1,
      parent: null,
      adapterDigest: 'abcdef0123456789',
      adapterKey: null,
      status: 'promoted' as const,
      validation: 0.5,
      validationPerDomain: {},
      metrics: {},
      reason: 'not worse',
    };
    const progress = { ...initialLoopProgress, runs: new Map([['r', run]]) };
    view.draw(progress, facts);
    view.draw(progress, facts);
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('round 1');
    expect(written[0]).toContain('abcdef0123');
    expect(written[0]).toContain('50.0%');
    expect(written[0]).not.toContain('\u001b');
  });
});
