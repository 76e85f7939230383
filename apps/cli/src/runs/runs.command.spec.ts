import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { recorded } from '@seamstream/testing/log-of';
import {
  adapterPublished,
  EXAMPLE_LINEAGE,
  runCheckpointed,
  runCompleted,
  runFailed,
  runRejected,
  runStarted,
} from '@seamstream/testing/training-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const started = (runId: string, algorithm: string, settings: object): SeamEvent => ({
  ...(runStarted(runId, algorithm) as SeamEvent & { type: 'TrainingRunStarted' }),
  configuration: JSON.stringify({ algorithm: settings }),
});

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  const events = [
    started('aaaa-1', 'grpo', { clip: { high: 0.2 }, steps: 4 }),
    runCheckpointed('aaaa-1', 2, { loss: 0.5, klNats: 0.01, effectiveSampleRatio: 0.75 }),
    runCompleted('aaaa-1', 4, { loss: 0.25, klNats: 0.02 }),
    adapterPublished('made-by-aaaa-1', null, 'aaaa-1'),
    started('aaab-2', 'grpo', { clip: { high: 0.3 }, steps: 4 }),
    runCompleted('aaab-2', 4, { loss: 0.125 }),
    adapterPublished('made-by-aaab-2', null, 'aaab-2'),
    runRejected('aaab-2', 'made-by-aaab-2'),
    started('ffff-3', 'sft', {}),
    runFailed('ffff-3', {}),
    ...[true, true, false, true].map((faithful, index) =>
      recorded('p', true, { index, size: 4, adapterDigest: 'made-by-aaaa-1', faithful }),
    ),
    recorded('q', true, { adapterDigest: 'made-by-aaab-2' }),
  ];
  for (const event of events) await world.log.append([encodeEvent(event)]);
});

describe('seam runs with figures that look like a fault', () => {
  const FAR = 'a distance and no KL of what is served';
  const FEW = 'A few rows or tokens were nearly the whole run';

  it('says what they mean, and nothing of figures that are as expected', async () => {
    for (const args of [['runs'], ['runs', 'show', 'aaaa-1']]) {
      await world.seam(...args);
      const shown = world.takeOutput();
      expect([shown.includes(FAR), shown.includes(FEW)]).toEqual([false, false]);
    }
    await world.log.append(
      [
        started('far-far-1', 'grpo', {}),
        runCompleted('far-far-1', 4, { klNats: 132.8 }),
        started('few-few-1', 'sft', {}),
        runCompleted('few-few-1', 4, { effectiveSampleRatio: 0.117 }),
      ].map(encodeEvent),
    );
    await world.seam('runs');
    const list = world.takeOutput();
    expect(list).toMatch(/132\.8\*[^]*11\.7 %†/);
    expect([list.includes(FAR), list.includes(FEW)]).toEqual([true, true]);
    await world.seam('runs', 'show', 'few-few-1');
    const one = world.takeOutput();
    expect([one.includes(FAR), one.includes(FEW)]).toEqual([false, true]);
  });
});

describe('seam runs cancel', () => {
  const cancel = (...rest: string[]): Promise<number> =>
    world.seam('runs', 'cancel', ...rest, '--by', 'ada', '--reason', 'wrong base model');

  it('records who takes a run back and why, once, and the run is shown so', async () => {
    await world.log.append([encodeEvent(started('bbbb-4', 'grpo', {}))]);
    expect(await cancel('bbbb', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ runId: 'bbbb-4', by: 'ada', reason: 'wrong base model' }]);
    expect(await world.seam('runs', 'show', 'bbbb', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ status: 'cancelled', reason: 'cancelled by ada: wrong base model' }]);
    expect(await cancel('bbbb')).not.toBe(0);
    expect(world.takeErrors()).toContain('expected one that has not ended, got one that was cancelled');
  });

  it('refuses runs that have ended, and names that fit none or several', async () => {
    for (const [meant, said] of [
      ['ffff', 'got one that was failed'],
      ['zzzz', 'got none of those in the log (not ended: aaaa-1)'],
      ['aaa', 'expected at least 4 characters'],
    ] as const) {
      expect(await cancel(meant)).not.toBe(0);
      expect(world.takeErrors()).toContain(said);
    }
  });
});

describe('seam runs', () => {
  it('lists every run with what it made, its figures and what was decided', async () => {
    expect(await world.seam('runs')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^aaaa-1 +grpo +published +base +made-by- +4 +\d+\.\d +0\.25 +0\.02 +– +– +– +75\.0 %/m);
    expect(shown).toMatch(/^aaab-2 +grpo +rejected +base +made-by- .* 25\.0 % +– +– +worse than its parent$/m);
    expect(shown).toMatch(/^ffff-3 +sft +failed .*the loss is NaN$/m);
    expect(await world.seam('runs', 'list', '--limit', '1', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ runs: [{ runId: 'ffff-3', code: 'NON_FINITE' }] }]);
  });

  it('shows one in full: by its id, by the adapter that it made, or the last', async () => {
    for (const meant of ['aaaa', 'MADE-BY-AAAA']) {
      expect(await world.seam('runs', 'show', meant)).toBe(0);
      const shown = world.takeOutput();
      expect(shown).toMatch(/^run +aaaa-1$/m);
      expect(shown).toMatch(/^faithful +75\.0 % of 4 entries by its adapter quote their problem truly$/m);
      expect(shown).toMatch(/^clip\.high +0\.2$/m);
      expect(shown).toMatch(/^ +2 +0\.5 +0\.01 +0\.75$/m);
    }
    expect(await world.seam('runs', 'show', 'last', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([{ runId: 'ffff-3' }]);
    expect(await world.seam('runs', 'show', 'aaa')).toBe(2);
    expect(await world.seam('runs', 'show', 'cccc')).toBe(2);
    expect(world.takeErrors()).toMatch(/got none of those in the log \(aaaa-1, aaab-2, ffff-3\)/);
  });

  it('shows who judged a comparison, and how many of its problems were judged apart', async () => {
    await world.seam('runs', 'show', 'aaab');
    expect(world.takeOutput()).not.toContain('judged');
    const rejected = runRejected('ffff-3', null) as SeamEvent & { type: 'TrainingRunRejected' };
    const judges = [{ model: 'qwen', revision: 'fp_1', verdicts: 40 }];
    await world.log.append(
      [
        started('eeee-4', 'grpo', {}),
        runCompleted('eeee-4', 4, {}),
        adapterPublished('made-by-eeee-4', null, 'eeee-4'),
        {
          ...rejected,
          ...{ runId: 'eeee-4', adapterDigest: 'made-by-eeee-4' },
          evaluation: { ...rejected.evaluation!, judges, judgedApart: 1 },
        },
      ].map(encodeEvent),
    );
    await world.seam('runs', 'show', 'eeee');
    const shown = world.takeOutput();
    expect(shown).toMatch(/^judged by +qwen \(fp_1\), 40 verdicts$/m);
    expect(shown).toMatch(/^judged apart +1 problem$/m);
  });

  it('compares two: figures all, settings where they differ', async () => {
    expect(await world.seam('runs', 'compare', 'aaaa', 'aaab')).toBe(0);
    const shown = world.takeOutput();
    expect(shown).toMatch(/^loss +0\.25 +0\.125$/m);
    expect(shown).toMatch(/^faithful +75\.0 % +–$/m);
    expect(shown).toMatch(/^clip\.high +0\.2 +0\.3$/m);
    expect(shown).toMatch(/^steps +4 +4$/m);
    expect(shown).toMatch(/^outcome +published +rejected$/m);
    expect(shown.match(/^steps/gm)).toHaveLength(1);
    await world.seam('runs', 'compare', 'aaaa', 'aaaa', '--json');
    const [{ rows }] = world.takeJson() as [{ rows: { differs: boolean }[] }];
    expect(rows.every(({ differs }) => !differs)).toBe(true);
  });

  it('shows what was decided on an adapter under the run that made it', async () => {
    const world = await fakeWorld();
    await world.log.append(EXAMPLE_LINEAGE.map(encodeEvent));
    await world.seam('runs', '--json');
    expect(world.takeJson()).toMatchObject([
      {
        runs: [{ runId: 'r2', decision: 'rejected', reason: 'worse than its parent', evaluation: { success: 0.25 } }],
      },
    ]);
  });
});
