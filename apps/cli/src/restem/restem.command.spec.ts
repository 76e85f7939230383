import { encodeEvent } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const file = (world: FakeWorld, name: string, text: string) => world.files.set(name, Buffer.from(text));
const started = encodeEvent({
  ...EXAMPLE_EVENTS.SelfTrainingStarted,
  configuration: '{"algorithm":{},"iterations":2,"passages":8,"patience":0}',
});

describe('seam restem start', () => {
  it.each([
    ['restem.yaml', 'iterations: 4\nalgorithm:\n  learningRate: { peak: 1e-5 }\n'],
    ['restem.json', '{"iterations": 4, "algorithm": {"learningRate": {"peak": 1e-5}}}'],
  ])('shows what preset, %s and command line say together', async (name, text) => {
    const world = await fakeWorld();
    file(world, name, text);
    const options = ['--config', name, '--preset', 'knowledge-incorporation-squad', '--set', 'passages=9'];
    expect(await world.seam('restem', 'start', 'passages.jsonl', ...options, '--dry-run', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        ...{ iterations: 4, passages: 9, patience: 1 },
        algorithm: { learningRate: { peak: 1e-5 }, trainable: { rank: 16, alpha: 32 }, keep: 'best' },
      },
    ]);
  });

  it.each([
    ['iteration: 4', 'iteration'],
    ['algorithm: { minExample: 1 }', 'minExample'],
    ['[1, 2]', 'named settings in YAML or JSON'],
    ['iterations: : 4', 'named settings in YAML or JSON'],
  ])('refuses a file that says %j', async (text, named) => {
    const world = await fakeWorld();
    file(world, 'restem.yaml', text);
    expect(await world.seam('restem', 'start', 'p.jsonl', '--config', 'restem.yaml', '--dry-run')).toBe(2);
    expect(world.takeErrors()).toContain(named);
  });

  it('refuses a preset that says nothing of iterations, and rows that are no problems', async () => {
    const world = await fakeWorld();
    expect(await world.seam('restem', 'start', 'p.jsonl', '--preset', 'seam-paper')).toBe(2);
    expect(world.takeErrors()).toContain('seal-paper-knowledge');
    file(world, 'p.jsonl', '{"passage":"","questions":[]}\n');
    expect(await world.seam('restem', 'start', 'p.jsonl')).toBe(2);
    expect(world.takeErrors()).toContain('1 bad line');
  });
});

describe('seam restem stop and status', () => {
  it('stop the only one that continues, by name and reason, and show who did', async () => {
    const world = await fakeWorld();
    await world.log.append([started]);
    expect(await world.seam('restem', 'stop', '--by', 'ada', '--reason', 'wrong passages')).toBe(0);
    expect(world.takeOutput()).toContain('stopped t-1');
    expect(await world.seam('restem', 'status')).toBe(0);
    expect(world.takeOutput()).toContain('t-1 stopped by ada: wrong passages; 2 iterations of 8 passages');
    expect(await world.seam('restem', 'stop', '--by', 'ada', '--reason', 'again')).toBe(2);
    expect(world.takeErrors()).toContain('expected one that continues, got 0');
  });

  it('show each iteration with its rewards', async () => {
    const world = await fakeWorld();
    const problem = {
      ...EXAMPLE_EVENTS.ProblemPublished.problem,
      ...{ problemId: derivedId('t-1', 'iteration/1', 0), metadata: { selfTraining: 't-1', iteration: '1' } },
    };
    const editRefusal = { reason: 'too_short', detail: 'tokens 3' };
    await world.log.append([
      started,
      encodeEvent({ ...EXAMPLE_EVENTS.ProblemPublished, problem }),
      encodeEvent({ ...EXAMPLE_EVENTS.OutcomeRecorded, problem, groupSize: 1, reward: 0.5, editRefusal }),
    ]);
    expect(await world.seam('restem', 'status', 't-1')).toBe(0);
    const shown = world.takeOutput();
    expect(await world.seam('restem', 'status')).toBe(0);
    expect(world.takeOutput()).toBe(shown);
    expect(shown).toContain('edits refused in iteration 1: 1 of 1 (too_short 1)');
    expect(shown).toMatch(/^ +1 +\S+ +1\/1 +1 +0\.500 +0\.000 +– +0\.0 % +·····█···· /m);
  });

  it('tell what idle time was spent, and for what it rests', async () => {
    const world = await fakeWorld();
    const idle = { maxAttempts: 40, maxSeconds: 600, maxTokens: null, mostCost: 0.1, oldPassages: 20 };
    const configuration = JSON.stringify({ algorithm: {}, iterations: 2, passages: 8, patience: 0, idle });
    await world.log.append([
      encodeEvent({ ...EXAMPLE_EVENTS.SelfTrainingStarted, configuration }),
      encodeEvent(EXAMPLE_EVENTS.SelfTrainingPaused),
    ]);
    expect(await world.seam('restem', 'status')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toContain('t-1 resting; 2 iterations of 8 passages');
    expect(shown).toContain(
      'in idle time: spent 0 of 40 attempts, 0 of 600 s, 0 tokens; rests, for other problems wait (3 waited) since ',
    );
  });

  it('say what is not there', async () => {
    const world = await fakeWorld();
    expect(await world.seam('restem', 'status')).toBe(0);
    expect(world.takeOutput()).toContain('No self-training in this log');
    expect(await world.seam('restem', 'status', 'abcd')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot show self-training abcd');
  });
});

describe('seam restem search', () => {
  const PROBLEM = '{"prompt":"2+3?","reference":"5","verifier":"numeric"}\n';
  const GRID = ['--minimum-gains', '0', '--epochs', '2', '--trials', '9', '--out', 'trials.jsonl'];
  const searching = async () => {
    const world = await fakeWorld();
    file(world, 'dev.jsonl', PROBLEM.repeat(10));
    return world;
  };
  interface Found {
    readonly finished: boolean;
    readonly trials: readonly { readonly point: object | null; readonly result: { readonly status: string } }[];
    readonly winner: { readonly point: object; readonly success: object; readonly gain: object } | null;
  }
  const found = (world: FakeWorld): Found => (world.takeJson() as [Found])[0];

  it('names the best point with its interval over what is served, and how to use it', async () => {
    const world = await searching();
    const grid = [...GRID, '--learning-rates', '1e-4,5e-4', '--ranks', '1,8'];
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid, '--json')).toBe(0);
    const { winner, trials, finished } = found(world);
    expect(finished).toBe(true);
    expect(trials).toHaveLength(5);
    expect(trials[0]).toMatchObject({ point: null });
    expect(trials.filter(({ result }) => result.status === 'refused')).toHaveLength(2);
    // Five of ten where two were solved before: Newcombe's interval of three rescued, none broken.
    expect(winner).toMatchObject({
      point: { learningRate: 5e-4, minimumGain: 0, rank: 8, epochs: 2 },
      success: { value: 0.5 },
      gain: { value: 0.3, interval95: [expect.closeTo(-0.03, 1), expect.closeTo(0.6, 1)] },
    });
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid)).toBe(2);
    expect(world.takeErrors()).toContain('trials.jsonl');
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid, '--force')).toBe(0);
    expect(world.takeOutput()).toContain('--set algorithm.learningRate.peak=0.0005');
  });

  it('continues where it was stopped, with the trials of this very search alone', async () => {
    const world = await searching();
    const grid = [...GRID, '--learning-rates', '1e-4,2e-4,3e-4', '--ranks', '8'];
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid, '--json')).toBe(0);
    const whole = found(world);
    const lines = Buffer.from(world.files.get('trials.jsonl')!).toString().split('\n').slice(0, 3);
    world.files.delete('trials.jsonl');
    file(world, 'trials.jsonl.search.part', `${lines.join('\n')}\n`);
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid, '--json')).toBe(0);
    expect(found(world)).toEqual(whole);
    expect(world.takeErrors().match(/ of 4: /g)).toHaveLength(4 + 1);
    world.files.delete('trials.jsonl');
    file(world, 'trials.jsonl.search.part', `${lines.join('\n').replaceAll(/"search":"../g, '"search":"xx')}\n`);
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...grid, '--json')).toBe(0);
    expect(world.takeErrors().match(/ of 4: /g)).toHaveLength(4);
  });

  it('ends with 1 where no trial made a writer, and begins none without a request', async () => {
    const world = await searching();
    expect(await world.seam('restem', 'search', 'dev.jsonl', ...GRID, '--ranks', '1', '--trials', '2')).toBe(1);
    expect(world.takeOutput()).toContain('No trial made a writer.');
    expect(await world.seam('restem', 'search', 'dev.jsonl', '--out', 'o', '--ranks', 'a,b')).toBe(2);
    expect(world.takeErrors()).toContain('expected numbers between commas');
  });
});
