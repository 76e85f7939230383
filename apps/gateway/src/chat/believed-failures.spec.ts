import { copyOf, type EventOf, encodeEvent } from '@seamstream/events';
import { UNSHOWN } from '@seamstream/log-reader';
import { readStory, storyWithDoubts } from '@seamstream/operations/show';
import { eventsOf } from '@seamstream/testing';
import { experienceOf } from '@seamstream/testing/answering-generator';
import { ENTRY, type GatewayUnderTest, startGateway } from '../gateway.fake.js';

let gateway: GatewayUnderTest;
afterEach(() => gateway.stop());

const CHAT = { model: 'seam', messages: [{ role: 'user', content: 'How many?' }] };

describe('a chat request that failed', () => {
  it.each([
    ['before its entry came', 0],
    ['in the control arm', 1],
  ])('%s has a result that the log bears out, then and after its experience is written', async (_, controlShare) => {
    const published = await failedRequest(controlShare);
    expect(await doubtsAbout(published)).toEqual([null]);
    const experience = experienceOf(
      published,
      copyOf(published.problem, { partition: 0, offset: 0 }, 1024),
      () => ENTRY,
    );
    // By an adapter, which the gateway could not know when it recorded the failure.
    const written = experience!.type === 'ExperienceGenerated' ? { adapterDigest: 'a'.repeat(64) } : {};
    await gateway.log.append([encodeEvent({ ...experience!, ...written })]);
    expect(await doubtsAbout(published)).toEqual([null]);
  });
});

async function failedRequest(controlShare: number): Promise<EventOf<'ProblemPublished'>> {
  gateway = await startGateway({
    behave: () => ({ kind: 'answer', status: 500, body: { error: { message: 'no' } } }),
    entryFor: () => null,
    gateway: { controlShare, experienceWithinMs: 1 },
  });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    ...{ method: 'POST', body: JSON.stringify(CHAT) },
    headers: { 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(500);
  expect(await eventsOf(gateway.log, 'ExecutionFailed')).toHaveLength(1);
  const [published] = await eventsOf(gateway.log, 'ProblemPublished');
  return published!;
}

/** Of each result of the problem why it does not count; null where it does. */
async function doubtsAbout({ problem }: EventOf<'ProblemPublished'>): Promise<readonly unknown[]> {
  const signal = AbortSignal.timeout(10_000);
  const story = storyWithDoubts(await readStory(gateway.log, problem.problemId, { signal, progress: () => UNSHOWN }));
  return story.attempts.flatMap(({ results }) => results.map(({ doubt }) => doubt));
}
