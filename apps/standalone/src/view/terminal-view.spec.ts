import xterm from '@xterm/headless';
import { initialLoopProgress, type LoopProgress, type RunProgress } from '../round-progress.js';
import { columnsOf, cut } from './columns.js';
import { bar, renderView, sparkline, TerminalView, type ViewFacts } from './terminal-view.js';

const facts = {
  source: 'seed 1',
  ledger: { published: 0, solved: 0, failed: 0, expired: 0, inFlight: 0, deadLetterRecords: 0 },
  workedSeconds: 65,
  training: null,
  activity: null,
};

describe('the terminal view', () => {
  it('draws rates as blocks and keeps the newest', () => {
    expect(sparkline([0, 0.5, 1], 10)).toBe('▁▅█');
    expect(sparkline([0, 0.5, 1], 2)).toBe('▅█');
    expect(bar(0.5, 4)).toBe('██░░');
    expect(bar(7, 3)).toBe('███');
  });

  it('shows time, round and rates, and never exceeds the width', () => {
    const progress = {
      ...initialLoopProgress(),
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
            rewards: [],
            quoting: { executed: 8, solved: 7 },
            firstPublishedAtMs: 0,
          },
        ],
      ]),
      control: { executed: 4, solved: 1 },
      newest: { before: { executed: 0, solved: 0 }, filling: { executed: 10, solved: 5 } },
      lastSolved: { prompt: 'Shelf: oak 4. '.repeat(20), entry: '{"concepts":["oak"]}', response: 'oak 4\nAnswer: 4' },
    };
    const lines = renderView(progress, facts, 60);
    expect(lines[0]).toBe('Seamstream  seed 1  01:05  round 1');
    expect(lines.some((line) => line.includes('with an experience  50.0%'))).toBe(true);
    expect(lines.some((line) => line.includes('no experience       25.0%'))).toBe(true);
    expect(lines.some((line) => line.includes('faithful entries    87.5%') && line.endsWith('of 8'))).toBe(true);
    expect(lines).toContain('    executor  oak 4 / Answer: 4');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('shows no control character of a problem, an entry, an answer or a reason', () => {
    const hostile = '\u001b]52;c;eA==\u0007\u001b[2J\r\u202e';
    const progress = {
      ...initialLoopProgress(),
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
    const lines = renderView(initialLoopProgress(), { ...facts, work }, 80);
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
      madeAtMs: null,
      endedAtMs: 1,
      parent: null,
      adapterDigest: 'abcdef0123456789',
      adapterKey: null,
      status: 'promoted' as const,
      validation: 0.5,
      parentValidation: null,
      validationProblems: 128,
      comparedAttempts: null,
      validationPerDomain: {},
      parentPerDomain: {},
      askedPerDomain: {},
      rescued: null,
      broken: null,
      repeated: 0,
      level: null,
      metrics: {},
      reason: 'not worse',
    };
    const progress = { ...initialLoopProgress(), runs: new Map([['r', run]]) };
    view.draw(progress, facts);
    view.draw(progress, facts);
    expect(written).toHaveLength(1);
    expect(written[0]).toContain('round 1');
    expect(written[0]).toContain('abcdef0123');
    expect(written[0]).toContain('50.0% of 128 (41.5–58.5)');
    expect(written[0]).not.toContain('\u001b');
  });
});

const run = (window: number, status: RunProgress['status'], validation: number): RunProgress => ({
  runId: `r${window}`,
  window,
  algorithm: 'grpo',
  startedAtMs: 0,
  madeAtMs: null,
  endedAtMs: window,
  parent: null,
  adapterDigest: `${window}abcdef0123456789`,
  adapterKey: null,
  status,
  validation,
  parentValidation: 0.99,
  validationProblems: 192,
  comparedAttempts: null,
  validationPerDomain: {},
  parentPerDomain: {},
  askedPerDomain: {},
  rescued: null,
  broken: null,
  repeated: 0,
  level: null,
  metrics: {},
  reason: status === 'promoted' ? 'not worse than its parent' : 'worse than its parent',
});

/** A log with runs, of which the last was rejected, and a solved problem with long and wide texts. */
const busy: LoopProgress = {
  ...initialLoopProgress(),
  runs: new Map(
    [run(1, 'promoted', 0.4), run(2, 'promoted', 0.99), run(3, 'rejected', 0.922)].map((each) => [each.runId, each]),
  ),
  adapters: {
    ...initialLoopProgress().adapters,
    served: { adapterDigest: '2abcdef0123456789', key: 'k', fingerprint: 'f' },
  },
  lastSolved: { prompt: '林'.repeat(300), entry: '{"concepts":["oak"]}'.repeat(40), response: 'Answer: 4\n'.repeat(9) },
};

describe('what the view says of adapters', () => {
  it('is what their comparisons came to', () => {
    const compared = { ...run(4, 'rejected', 0.96), rescued: 43, broken: 21, level: 0.005 };
    const lines = renderView({ ...busy, runs: new Map([['r4', compared]]) }, facts, 160);
    expect(lines.join('\n')).toContain('parent 99.0%  43 rescued, 21 broken: evidence 14, needed 200');
  });

  it('is what the served one reached, with its interval; a rejected candidate is marked as such', () => {
    const lines = renderView(busy, facts, 160);
    expect(lines.find((line) => line.startsWith('  validation'))).toMatch(/99\.0%.*of 192 \(96\.3–99\.7\)/);
    expect(lines).toContain('  served             2abcdef012');
    const at = lines.findIndex((line) => line.startsWith('  candidates'));
    expect(lines[at]).toContain('▄██');
    expect(lines[at + 1]?.trim()).toBe('✔✔✘');
  });

  it('is nothing while the base model is served, regardless of the results of a rejected candidate', () => {
    const rejected = { ...busy, adapters: initialLoopProgress().adapters };
    expect(renderView(rejected, facts, 100).find((line) => line.startsWith('  validation'))).toContain('–');
  });
});

describe('text on a terminal', () => {
  it.each([
    ['plain', 5],
    ['林林林', 6],
    ['é́́', 1],
    ['👩‍👩‍👧', 2],
  ])('%j takes %i columns', (text, columns) => {
    expect(columnsOf(text)).toBe(columns);
  });

  it('is cut by columns, never within a letter', () => {
    expect(cut('林林林', 6)).toBe('林林林');
    expect(cut('林林林林', 6)).toBe('林林…');
    expect(cut('abcdef', 4)).toBe('abc…');
  });
});

/** A terminal as people have one; what is written is the bytes that a pseudo terminal passes on, a line feed becoming two characters. */
class Screen {
  private readonly terminal;
  readonly isTTY = true;
  private pending: Promise<void> = Promise.resolve();

  constructor(
    readonly columns: number,
    readonly rows: number,
  ) {
    this.terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
  }

  write(text: string): boolean {
    const before = this.pending;
    this.pending = new Promise((resolve) => {
      void before.then(() => this.terminal.write(text.replaceAll('\n', '\r\n'), resolve));
    });
    return true;
  }

  /** Every line, those that were scrolled away first. */
  async lines(): Promise<readonly string[]> {
    await this.pending;
    const { active } = this.terminal.buffer;
    return Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '');
  }

  async seen(): Promise<readonly string[]> {
    return (await this.lines()).slice(-this.rows);
  }
}

describe.each([
  [60, 14],
  [60, 40],
  [120, 30],
  [200, 50],
])('on a terminal of %i columns and %i rows', (columns, rows) => {
  const result = ['NOT CONVERGED, short of 96.0 %: timber-yard 89.1 %', 'report: data/report.html'];

  it('the picture is redrawn in place: nothing of an earlier one is left, and nothing scrolls', async () => {
    const screen = new Screen(columns, rows);
    const view = new TerminalView(screen);
    for (let i = 0; i < 5; i++) view.draw(busy, { ...facts, workedSeconds: i });
    const lines = (await screen.lines()).filter((line) => line.includes('Seamstream'));
    expect(lines).toEqual(['Seamstream  seed 1  00:04']);
    expect(await screen.lines()).toHaveLength(rows);
    const seen = (await screen.seen()).join('\n');
    for (const text of ['problems 0: 0 solved', 'with an experience', 'validation', 'training'])
      expect(seen).toContain(text);
  });

  it('keeps the result in sight that is written when the loop ends, below the last picture', async () => {
    const screen = new Screen(columns, rows);
    const view = new TerminalView(screen);
    view.draw(busy, facts);
    view.draw(busy, facts);
    view.leave();
    screen.write(`${result.join('\n')}\n`);
    const seen = await screen.seen();
    for (const line of result) expect(seen.join('')).toContain(line.slice(0, columns));
    expect((await screen.lines()).filter((line) => line.includes('Seamstream'))).toHaveLength(1);
  });

  it('keeps the result in sight while the view continues', async () => {
    const screen = new Screen(columns, rows);
    const view = new TerminalView(screen);
    view.draw(busy, facts);
    view.erase();
    screen.write(`${result.join('\n')}\n`);
    const after: ViewFacts = { ...facts, result };
    for (let i = 0; i < 4; i++) view.draw(busy, after);
    const all = await screen.lines();
    expect(all.filter((line) => line.startsWith('NOT CONVERGED'))).toHaveLength(1);
    expect((await screen.seen()).join('\n')).toContain('  report: data/report.html');
    expect(all.filter((line) => line.includes('Seamstream'))).toHaveLength(1);
  });

  it('is not shifted by a key that the terminal echoes', async () => {
    const screen = new Screen(columns, rows);
    const view = new TerminalView(screen);
    view.draw(busy, facts);
    screen.write('^C');
    view.draw(busy, facts);
    expect((await screen.lines()).filter((line) => line.includes('Sea'))).toEqual(['Seamstream  seed 1  01:05']);
  });
});

describe.each([
  [0, 0],
  [undefined, undefined],
  [1, 1],
  [2, 3],
])('on a terminal that says %p columns and %p rows', (columns, rows) => {
  it('the picture goes up by a whole number of rows, no further than it is long', () => {
    const written: string[] = [];
    const view = new TerminalView({
      isTTY: true,
      ...(columns === undefined ? {} : { columns, rows }),
      write: (text: string) => written.push(text),
    });
    for (let i = 0; i < 3; i++) view.draw(busy, facts);
    const ups = written.flatMap((text) => [...text.matchAll(/\u001b\[(\w*)A/g)].map(([, by]) => by));
    expect(ups).toHaveLength(2);
    for (const by of ups) expect(by).toMatch(/^[1-9][0-9]?$/);
    if (columns !== 1 && columns !== 2) expect(written.at(-1)).toContain('Seamstream  seed 1');
  });
});

describe('without a terminal', () => {
  const lines: string[] = [];
  let nowMs = 0;
  const view = new TerminalView({ write: (text: string) => lines.push(text) }, () => nowMs);
  const say = (activity: string | null, afterMs: number, progress = initialLoopProgress()): void => {
    nowMs += afterMs;
    view.draw(progress, { ...facts, activity });
  };
  beforeEach(() => lines.splice(0));

  it('reports an activity when it begins, and its progress every ten seconds', () => {
    say('comparing 1/128', 0);
    say('comparing 2/128', 250);
    say('comparing 60/128', 9_000);
    say('comparing 90/128', 1_000);
    say('comparing 90/128', 20_000);
    say('measuring adapter 1 of 3: trained 0/9', 1);
    say('measuring adapter 2 of 3: trained 0/9', 1);
    expect(lines.map((line) => line.slice(6).trim())).toEqual([
      'comparing 1/128',
      'comparing 90/128',
      'measuring adapter 1 of 3: trained 0/9',
      'measuring adapter 2 of 3: trained 0/9',
    ]);
  });

  it('it says once that new problems are in the stream', () => {
    const row = { ...initialLoopProgress().newest.before };
    const shifted: LoopProgress = {
      ...initialLoopProgress(),
      rounds: new Map([
        [
          4,
          {
            round: 4,
            phase: 'shifted',
            published: 8,
            byAdapter: row,
            byBase: row,
            control: row,
            rewards: [],
            quoting: row,
            firstPublishedAtMs: 0,
          },
        ],
      ]),
    };
    say(null, 1, shifted);
    say(null, 1, shifted);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('round 4: new problems are in the stream from here on');
  });
});
