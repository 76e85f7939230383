/** A chat request of a muted domain is drawn with the share that is in force, and says so; what a person or another instance records is followed. */
import { type EventOf, encodeEvent, originMeta } from '@seamstream/events';
import { decideReleases } from '@seamstream/operations/release';
import { DEFAULT_GUARD_PLAN } from '@seamstream/release';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf, type FlakyLog, openLog, until } from '@seamstream/testing';
import { chatCompletion } from '@seamstream/testing/model-server';
import { guardedProblems, guardPlanned } from '@seamstream/testing/release-log';
import { startGateway } from '../gateway.fake.js';

it('the control arm of a muted domain has all but the declared share, from the first request on until its muting ends', async () => {
  const log = await openLog();
  await muted(log);
  const behave = () => ({ kind: 'answer' as const, body: chatCompletion('4') });
  const gateway = await startGateway({ log, behave, gateway: { controlShare: 0.1 } });
  try {
    const ask = async (domain: string, conversation: string): Promise<void> => {
      const request = {
        model: 'seam',
        messages: [{ role: 'user', content: 'How many?' }],
        seam: { domain, conversation },
      };
      const body = JSON.stringify(request);
      const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
        ...{ method: 'POST', body, headers: { 'content-type': 'application/json' } },
      });
      expect(answer.status).toBe(200);
    };
    /** Of the domain's requests, which partitions do not keep in their order. */
    const shares = async (domain: string): Promise<readonly number[]> =>
      (await eventsOf(log, 'ProblemPublished'))
        .filter(({ answeredBy, problem }) => answeredBy === 'seam/gateway' && problem.domain === domain)
        .map(({ assignment }) => assignment!.controlShare);
    for (let at = 0; at < 12; at++) await ask('sums', `c${at}`);
    await ask('words', 'w');
    expect(await shares('sums')).toEqual(Array.from({ length: 12 }, () => 0.98));
    expect(await shares('words')).toEqual([0.1]);
    // 2 % of 12 are treated: more than three are one in ten thousand.
    const answers = await eventsOf(log, 'AnswerRecorded');
    expect(answers.filter(({ problem, arm }) => problem.domain === 'sums' && arm === 'deploy').length).toBeLessThan(4);
    await log.append([encodeEvent(UNMUTED)]);
    await until(async () => {
      await ask('sums', 'later');
      return (await shares('sums')).includes(0.1);
    });
  } finally {
    await gateway.stop();
  }
});

const UNMUTED: EventOf<'DomainUnmuted'> = {
  ...{ type: 'DomainUnmuted', guardId: 'g-1', slot: 'generator', adapterDigest: null, domain: 'sums' },
  meta: originMeta({
    ...{ messageId: 'unmuted', correlationId: 'g-1', source: 'seam/test', occurredAt: 2, sourceClass: 'user' },
  }),
  ...{ unmutedBy: 'ada', reason: 'the verifier was wrong', attestation: null },
};

async function muted(log: FlakyLog): Promise<void> {
  const facts = { guardId: 'g-1', domain: 'sums' };
  await log.append(
    [
      guardPlanned({ guardId: 'g-1', plan: DEFAULT_GUARD_PLAN }),
      ...guardedProblems({ ...facts, treated: true, solved: 20, failed: 250 }),
      ...guardedProblems({ ...facts, treated: false, solved: 26, failed: 4 }),
    ].map(encodeEvent),
  );
  const world = {
    clock: { now: () => 7 },
    openLog: async () => log,
    openKeptLog: async () => ({ log, snapshots: null }),
    signing: async () => ({ key: null, trust: TRUST_ALL }),
  };
  const options = {
    signal: new AbortController().signal,
    progress: () => ({ advance: () => undefined, stop: () => undefined }),
  };
  expect((await decideReleases(world, options)).muted).toHaveLength(1);
}
