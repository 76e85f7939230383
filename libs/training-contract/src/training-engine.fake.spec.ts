import { describeTrainingRuns } from './training-engine.contract.js';
import { FakeEngine } from './training-engine.fake.js';

const BATCH = [{ tokenIds: [5, 6, 7, 8, 9], targets: [2, 3, 4], weights: [1, 1, 1] }];

describeTrainingRuns('of the tests', () => ({ open: () => Promise.resolve(new FakeEngine()), sequences: BATCH }));

let opened = 0;
describeTrainingRuns('of the tests, with rounding errors', () => ({
  open: () =>
    Promise.resolve(
      new FakeEngine(undefined, {
        tolerance: { weights: 1e-3, change: 1e-3 },
        noise: 1e-4,
        seed: String(opened++),
      }),
    ),
  sequences: BATCH,
}));
