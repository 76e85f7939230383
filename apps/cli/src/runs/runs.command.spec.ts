import { encodeEvent, type SeamEvent } from '@seamstream/events';
import { recordedRunsProjection } from '@seamstream/operations/status';
import { recorded } from '../../../../libs/read-models/src/log-of.contract.js';
import {
  adapterPublished,
  EXAMPLE_LINEAGE,
  runCheckpointed,
  runCompleted,
  runFailed,
  runRejected,
  runStarted,
} from '../../../../libs/read-models/src/training-log.contract.js';
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

  it('tells what was decided on an adapter by the run that made it', () => {
    const placed = EXAMPLE_LINEAGE.map(
      (event, offset) => [event, { topic: `${event.type.startsWith('T')}`, partition: 0, offset }] as const,
    );
    const state = placed.reduce(
      (sum, [event, position]) => recordedRunsProjection.evolve(sum, event, position),
      recordedRunsProjection.initialState(),
    );
    expect(recordedRunsProjection.read(state)).toMatchObject([
      { runId: 'r2', decision: 'rejected', reason: 'worse than its parent', evaluation: { success: 0.25 } },
    ]);
  });
});
