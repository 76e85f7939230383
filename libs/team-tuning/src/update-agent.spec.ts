import { rm } from 'node:fs/promises';
import { type Adapter, TrainingSession } from '@seamstream/language-model';
import { writeRandomModel } from '@seamstream/language-model/testing';
import { tuningSettings } from './tuning.config.js';
import { type AgentUpdate, type TrainedTurn, updateAgent } from './update-agent.js';

let folder: string;
beforeAll(async () => {
  folder = await writeRandomModel();
});
afterAll(() => rm(folder, { recursive: true }));

describe('an update of an agent', () => {
  it('that takes much from what succeeded is taken back, and keeps it at the next try', async () => {
    const free = await updated({});
    expect(decisionsOf(free)).toEqual(['accepted']);
    const { lost } = free.passes[0]!;
    expect(lost).toBeGreaterThan(0.5);

    const held = await updated({ mostLost: lost / 2, keptAdvantage: 2 });
    expect(decisionsOf(held)).toEqual(['taken back', 'accepted']);
    expect(held.passes[0]!.lost).toBe(lost);
    expect(held.passes[1]!.lost).toBeLessThan(lost / 2);
    // Four turns more take part, two a step.
    expect(held.passes.map(({ steps }) => steps)).toEqual([2, 4]);
  });

  it('keeps nothing that did not succeed', async () => {
    const { lost } = (await updated({})).passes[0]!;
    const failed = await updated({ mostLost: lost / 2 }, turnsWhere(false));
    expect(decisionsOf(failed)).toEqual(['accepted']);
    expect(failed.passes[0]!.lost).toBeLessThan(lost / 2);
  });

  it('is given up where what succeeded cannot be kept, and leaves the agent as it was', async () => {
    const held = await updated({ mostLost: 1e-6, maxBacktracks: 1, keptAdvantage: 0 });
    expect(decisionsOf(held)).toEqual(['taken back', 'given up']);
    const weights = await TrainingSession.create({
      ...{ checkpoint: folder, trainable: { kind: 'full' } },
      objective: { kind: 'negative-log-likelihood' },
    });
    expect(digestOf(held)).toBe((await weights.exportAdapter()).digest);
    await weights.close();
  });
});

/** A prompt that the token answers, and one that it does not: unlearning it there makes it less likely here. */
const [KNOWN, OTHER] = [
  [5, 6],
  [5, 7],
] as const;
const TOKEN = 8;

function turn(prompt: readonly number[], facts: Partial<TrainedTurn>): TrainedTurn {
  return {
    ...{ state: prompt.join(), advantage: 0, weight: 1, success: false },
    sequence: { tokenIds: [...prompt, TOKEN], targets: [prompt.length], weights: [0] },
    ...facts,
  };
}

const turnsWhere = (success: boolean): TrainedTurn[] => [
  ...Array.from({ length: 4 }, () => turn(KNOWN, { success })),
  ...Array.from({ length: 4 }, () => turn(OTHER, { advantage: -1 })),
];

async function updated(gate: Record<string, unknown> | null, turns = turnsWhere(true)): Promise<AgentUpdate> {
  return updateAgent({
    engine: { begin: ({ adapter: _none, ...settings }) => TrainingSession.create({ checkpoint: folder, ...settings }) },
    adapter: null,
    ...{ turns, seed: 'kept' },
    settings: tuningSettings({
      ...{ batchSize: 2, learningRate: 0.02, optimizer: { weightDecay: 0 } },
      gate: gate && { target: 100, quantile: 1, ...gate },
    }),
  });
}

const decisionsOf = ({ passes }: AgentUpdate): string[] => passes.map(({ decision }) => decision);
const digestOf = ({ adapter }: { readonly adapter: Adapter }): string => adapter.digest;
