/**
 * Every promise of the event log's port, in sentences; each file of contract/ has those of one theme. The fake and each driver run this
 * suite with their own factory. Nothing in it needs more than the port promises: offsets may have gaps, groups settle eventually, topics
 * and groups have fresh names, so that a shared broker can be under test.
 */

import type { ManualClock } from '@seamstream/kernel';
import { describeAppending } from './contract/appending.contract.js';
import { describeAtomicStep } from './contract/atomic-step.contract.js';
import { describeClaiming } from './contract/claiming.contract.js';
import { describeClosing } from './contract/closing.contract.js';
import { describeConsuming } from './contract/consuming.contract.js';
import { describeFollowing } from './contract/following.contract.js';
import { type EventLogContractOptions, type EventLogUnderTest, LogScene } from './contract/log-scene.contract.js';
import { describeOffsetByTime } from './contract/offset-by-time.contract.js';
import { describeReading } from './contract/reading.contract.js';
import { describeSharing } from './contract/sharing.contract.js';
import { describeTopics } from './contract/topics.contract.js';

/** Runs the suite against what `create` makes; `create` is called once. */
export function describeEventLogContract(
  name: string,
  create: (clock: ManualClock) => Promise<EventLogUnderTest>,
  { settleMs = 4000, quietMs = 100 }: EventLogContractOptions = {},
): void {
  describe(`${name} keeps the promises of the event log`, () => {
    const scene = new LogScene(create, settleMs, quietMs);
    beforeAll(scene.begin);
    afterAll(scene.end);
    afterEach(scene.endTest);

    it('has one identity for all who ask', async () => {
      const identity = await scene.log.identity();
      expect(identity).toMatch(/^[\w.-]{8,}$/);
      expect(await (await scene.open()).identity()).toBe(identity);
    });

    describeTopics(scene);
    describeAppending(scene);
    describeReading(scene);
    describeOffsetByTime(scene);
    describeFollowing(scene);
    describeConsuming(scene);
    describeAtomicStep(scene);
    describeClaiming(scene);
    describeSharing(scene);
    describeClosing(scene);
  });
}
