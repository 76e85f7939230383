/**
 * An adapter that harms in one domain and helps in another, with the generator, the executor and the releaser on the embedded log: the first domain
 * is muted by itself, stays so across restarts, and the other is not touched.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutorAnswer, ExecutorModel } from '@seamstream/environments';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { type EventOf, encodeEvent, originMeta, TOPIC, TOPICS } from '@seamstream/events';
import { executorConfigSchema, executorService } from '@seamstream/executor';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { generatorConfigSchema, generatorService } from '@seamstream/generator';
import { sha256 } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import { readReleases, recomputeMutings } from '@seamstream/operations/release';
import { DEFAULT_GUARD_PLAN } from '@seamstream/release';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { eventsOf, until, untilConsumed } from '@seamstream/testing';
import { guardPlanned } from '@seamstream/testing/release-log';
import { closeServices, startForTest } from '@seamstream/testing/services';
import { trainerConfigSchema, trainerService } from '@seamstream/trainer';

const ROUND = 100;

it('a domain in which entries do harm is muted for its later problems, also after a restart, and no other is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'harm-is-muted-'));
  const log = await LmdbEventLog.open({ folder });
  try {
    await log.createTopics(TOPICS);
    await log.append([encodeEvent(guardPlanned({ guardId: 'g-1', plan: DEFAULT_GUARD_PLAN }))]);
    await serve(log);
    // 1. Entries are written in both domains, until the counts say where they do harm.
    await ask(log, 'first');
    await until(async () => (await eventsOf(log, 'DomainMuted')).length > 0);
    expect(await eventsOf(log, 'DomainMuted')).toMatchObject([{ domain: 'harmed', adapterDigest: null }]);
    expect(await withheldIn(log, 'first', 'harmed')).toBeLessThan(ROUND / 2);
    // 2. Then they are withheld there, and every event says with which probability.
    await ask(log, 'second');
    // 3. What is muted is in the log, and in no process.
    await closeServices();
    await serve(log);
    await ask(log, 'third');
    for (const round of ['second', 'third']) {
      expect(await withheldIn(log, round, 'harmed')).toBeGreaterThan(ROUND * 0.9);
      expect(await withheldIn(log, round, 'helped')).toBeLessThan(ROUND / 2);
      expect(await sharesIn(log, round, 'harmed')).toEqual(new Set([0.98]));
      expect(await sharesIn(log, round, 'helped')).toEqual(new Set([0.2]));
    }
    const kept = { log, snapshots: null };
    expect(await recomputeMutings({ openKeptLog: async () => kept }, READING)).toMatchObject([{ isSame: true }]);
    const { guarding } = await readReleases(kept, READING);
    const harmed = guarding.guards[0]!.domains.find(({ domain }) => domain === 'harmed')!;
    expect(harmed.withheld!.problems).toBeGreaterThan(ROUND * 1.8);
    // Harm was prevented, at any look.
    expect(harmed.withheld!.moreSolved!.interval[1]).toBeLessThan(0);
  } finally {
    await closeServices();
    await log.close();
    await rm(folder, { recursive: true });
  }
}, 120_000);

const READING = {
  signal: new AbortController().signal,
  progress: () => ({ advance: () => undefined, stop: () => undefined }),
};
const WORDS = { words: ['carry', 'borrow'] };
const schema = domainEntrySchema({ concepts: WORDS, strategy: WORDS, pitfalls: WORDS });
const schemaFor = entrySchemas({ harmed: schema, helped: schema });

class ProvenGenerator extends FakeGenerator {
  async fingerprint(adapter?: Adapter): Promise<string> {
    return sha256('probe', adapter?.digest ?? 'base');
  }
}

/** An entry misleads it in one domain, and it needs one in the other. */
const misled: ExecutorModel = {
  identity: { model: 'fake', revision: 'weights-1', decoding: '{}' },
  answer: async (prompts) =>
    prompts.map((prompt): ExecutorAnswer => {
      const hasEntry = /carry|borrow/.test(prompt);
      const text = hasEntry === prompt.includes('helped') ? 'Answer: 4' : 'Answer: 5';
      return { status: 'answered', text, finished: true, promptTokens: 9, responseTokens: 2 };
    }),
};

async function serve(log: LmdbEventLog): Promise<void> {
  const common = { logging: { level: 'silent' }, consuming: { shutdownGraceMs: 500 } };
  const model = new ProvenGenerator(fakeTokenizer(['How many? carry borrow concepts strategy pitfalls']));
  await startForTest(generatorService({ model, schemaFor }), {
    config: generatorConfigSchema.parse({ ...common, generator: { controlShare: 0.2 } }),
    log,
  });
  await startForTest(executorService({ executor: misled, schemaFor }), {
    config: executorConfigSchema.parse(common),
    log,
  });
  await startForTest(trainerService(), {
    config: trainerConfigSchema.parse({ ...common, trainer: { roles: ['releaser'], releases: { lookEveryMs: 50 } } }),
    log,
  });
}

/** Problems of both domains, until each has an outcome. */
async function ask(log: LmdbEventLog, round: string): Promise<void> {
  const problems = ['harmed', 'helped'].flatMap((domain) =>
    Array.from({ length: ROUND }, (_, i): EventOf<'ProblemPublished'> => {
      const id = `${round}-${domain}-${i}`;
      return {
        ...{ type: 'ProblemPublished', mode: 'deploy', expiresAt: null, feedbackWithinMs: null, task: null },
        meta: originMeta({ messageId: id, correlationId: id, source: 'seam/test', occurredAt: i, sourceClass: 'user' }),
        problem: {
          ...{ problemId: id, domain, prompt: `How many ${domain}?`, reference: '4', metadata: {} },
          verifier: { kind: 'exact', version: '1', options: {} },
        },
      };
    }),
  );
  await log.append(problems.map(encodeEvent));
  await untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });
  await until(async () => {
    const outcomes = await eventsOf(log, 'OutcomeRecorded');
    return outcomes.filter(({ problem }) => problem.problemId.startsWith(round)).length === problems.length;
  });
}

async function withheldIn(log: LmdbEventLog, round: string, domain: string): Promise<number> {
  const withheld = await eventsOf(log, 'ExperienceWithheld');
  return withheld.filter(({ problem }) => problem.problemId.startsWith(`${round}-${domain}`)).length;
}

async function sharesIn(log: LmdbEventLog, round: string, domain: string): Promise<ReadonlySet<number>> {
  const all = [...(await eventsOf(log, 'ExperienceWithheld')), ...(await eventsOf(log, 'ExperienceGenerated'))];
  const own = all.filter(({ problem }) => problem.problemId.startsWith(`${round}-${domain}`));
  return new Set(own.map(({ assignment }) => assignment!.controlShare));
}
