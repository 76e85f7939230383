/**
 * R38: all services in a simulated world of which one seed decides everything. The quick form plays a few seeds;
 * SIMULATION_SEEDS=1000 [SIMULATION_FROM=1] plays as many. A seed that fails fails again: it is in the test's message.
 */
import { repeatedIds } from '../support/recorded-run.js';
import { type SimulatedRun, simulate } from '../support/simulation/simulated-deployment.js';

const FIRST = Number(process.env.SIMULATION_FROM ?? 1);
const NUM_SEEDS = Number(process.env.SIMULATION_SEEDS ?? 40);
/** They have found something. */
const TELLING = [11, 123, 158, 171];
const SEEDS = [...new Set([...TELLING, ...Array.from({ length: NUM_SEEDS }, (_, at) => FIRST + at)])];

let undisturbed: SimulatedRun;
beforeAll(async () => {
  // Twice: modules that are loaded on first use take time that is not virtual.
  const calm = { seed: 'undisturbed', stormy: false, shards: 1, maxAgeRecords: 0 };
  await simulate(calm);
  undisturbed = await simulate(calm);
});

it('R38: an undisturbed world works everything off, and states each thing once', () => {
  expect(undisturbed.ended).toEqual([]);
  expect(undisturbed.ledger).toMatchObject({ published: 21, expired: 3, deadLettered: 0, inFlight: 0, balanced: true });
  expect(undisturbed.ledger.solved).toBeGreaterThan(3);
  expect(undisturbed.deadLetters).toBe(3);
  expect(undisturbed.buffers.length).toBeGreaterThan(2);
  expect(undisturbed.windows).toBe(5);
  // A window whose groups are all alike is refused: it has no adapter.
  expect(undisturbed.adapters.length).toBeGreaterThanOrEqual(4);
  const { wrongVersions, wrongRuns, wrongAdapters } = undisturbed;
  expect([...wrongVersions, ...wrongRuns, ...wrongAdapters]).toEqual([]);
});

it(
  `R38: ${SEEDS.length} seeds of kills, freezes, restarts and lost calls lose nothing and state nothing twice`,
  async () => {
    let fenced = 0;
    for (const seed of SEEDS) {
      const run = await simulate({
        seed: `seed ${seed}`,
        stormy: true,
        shards: seed % 5 === 0 ? 3 : 1,
        maxAgeRecords: seed % 5 === 4 ? 6 : 0,
      });
      const { ledger } = run;
      fenced += run.fenced;
      const { ended, wrongVersions, saidOtherwise, wrongRuns, wrongAdapters, deadLetters, unreadable } = run;
      expect({ seed, ended, wrongVersions, saidOtherwise, wrongRuns, wrongAdapters, deadLetters }).toEqual({
        seed,
        ended: [],
        wrongVersions: [],
        saidOtherwise: [],
        wrongRuns: [],
        wrongAdapters: [],
        deadLetters: unreadable,
      });
      for (const sequences of Object.values(run.versions))
        expect({ seed, sequences }).toEqual({ seed, sequences: [1, 2, 3, 4, 5] });
      expect({ seed, windows: run.windows }).toEqual({ seed, windows: 5 });
      expect({ seed, ...ledger, repeated: 0, deadLetterRecords: 0 }).toEqual({
        seed,
        ...undisturbed.ledger,
        repeated: 0,
        deadLetterRecords: 0,
      });
      for (const kind of ['experiences', 'outcomes'] as const) {
        expect({ seed, kind, repeated: repeatedIds(run[kind]) }).toEqual({ seed, kind, repeated: [] });
        expect([...run[kind]].sort()).toEqual([...undisturbed[kind]].sort());
      }
      for (const kind of ['admissions', 'rejections'] as const)
        expect({ seed, kind, repeated: repeatedIds(run[kind]) }).toEqual({ seed, kind, repeated: [] });
    }
    expect(fenced).toBeGreaterThan(SEEDS.length / 10);
  },
  60_000 + SEEDS.length * 2_000,
);

it('R38: the same seed is the same run, another seed another', async () => {
  const traces = [];
  for (const seed of ['again', 'again', 'other'])
    traces.push((await simulate({ seed, stormy: true, shards: 3, maxAgeRecords: 6 })).trace);
  expect(traces[1]).toBe(traces[0]);
  expect(traces[2]).not.toBe(traces[0]);
});
