/** A run that a model brought a library on in, from recorded attempts to the figures that its estimate is compared with. */
import { libraryCost } from '@seamstream/operations/cost';
import { eventsOf, newWorld, openLog } from '@seamstream/testing';
import { chatCompletion, ModelServer } from '@seamstream/testing/model-server';
import { closeServices, consumed, publish, serve } from './trainer-world.fake.js';

const ADVICE = JSON.stringify({ operations: [{ operation: 'add', text: 'Count both halves twice.', reason: '' }] });
const PLAN = { groups: 6, groupSize: 4, batchSize: 3, epochs: 1 };
const ASKED = { plan: { trajectoryTokens: 9 }, model: null, tokensPerSecond: null, prices: new Map() };

let server: ModelServer;
beforeEach(async () => {
  server = await ModelServer.start(() => ({ kind: 'answer', body: chatCompletion(ADVICE) }));
});
afterEach(() => Promise.all([server.stop(), closeServices()]));

it('records what an estimate is compared with: seam cost library --verify works for a run of the trainer', async () => {
  const world = newWorld();
  const distillation = { url: server.url, model: 'tiny' };
  const config = { method: 'library', algorithm: 'llm', algorithms: { llm: { batchSize: 3 } }, distillation };
  await serve(world, { config });
  await publish(world, 0, 6);
  await consumed(world);
  const [run] = await eventsOf(world, 'TrainingRunCompleted');
  expect(run!.metrics).toMatchObject({ groups: 6, liveGroups: 6, liveAttempts: 24, judgedApartGroups: 0, items: 1 });
  // 24 attempts, 6 groups, 2 batches.
  expect(server.seen).toHaveLength(32);
  const log = await openLog(world);
  const { plan, verified } = await libraryCost({ log, nowMs: 0 }, { ...ASKED, verify: run!.runId.slice(0, 8) });
  expect(plan).toMatchObject(PLAN);
  expect(verified).toMatchObject({ runId: run!.runId, calls: 32 });
});
