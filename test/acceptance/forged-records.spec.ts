/**
 * A thousand forged experiences and a thousand forged decisions about adapters, among honest ones: none counts, each is reported by name,
 * and every honest one counts. Forged results are tested with the buffer (apps/buffer/src/forged-results.spec.ts).
 */

import { InMemoryEventLog } from '@seamstream/event-log';
import {
  type AdapterPromoted,
  decodeEvent,
  type EventOf,
  encodeEvent,
  type SeamEvent,
  TOPIC,
  TOPICS,
} from '@seamstream/events';
import { domainEntrySchema, entrySchemas } from '@seamstream/experience';
import { derivedId, Random } from '@seamstream/kernel';
import { InMemoryObjectStore } from '@seamstream/object-store';
import { adapterLineageProjection } from '@seamstream/read-models';
import { startService } from '@seamstream/service-kit';
import { generateKey, parseSigningKey, parseTrustedKeys, SignedEventLog } from '@seamstream/signatures';
import { decodeManifest, readVersion } from '@seamstream/success-buffer';
import { totalRecords } from '@seamstream/testing';
import {
  evaluatedByPerson,
  evaluationOf,
  pinned,
  promotedByPerson,
  promotedByRun,
  rolledBack,
} from '@seamstream/testing/promotion-log';
import { explored, outcomeOf } from '@seamstream/testing/result-log';
import { spelledInput } from '@seamstream/training-runs';
import { bufferService, bufferServiceConfigSchema } from '../../apps/buffer/src/app.module.js';

const SEED = 'forged records/1';
const FORGED = 1000;

type Experience = EventOf<'ExperienceGenerated'>;

async function newLog(): Promise<InMemoryEventLog> {
  const log = new InMemoryEventLog();
  await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
  return log;
}

async function eventsIn(log: Pick<InMemoryEventLog, 'watermarks' | 'read'>, topic: string): Promise<SeamEvent[]> {
  const events: SeamEvent[] = [];
  for (const { partition, low } of await log.watermarks(topic))
    for await (const records of log.read({ topic, partition, from: low })) events.push(...records.map(decodeEvent));
  return events;
}

describe('of a thousand forged experiences', () => {
  const words = Array.from({ length: 256 }, (_, index) => `w${index}`);
  const schemaFor = entrySchemas({
    sums: domainEntrySchema({ concepts: { words }, strategy: { words: ['once'] }, pitfalls: { words: ['none'] } }),
  });
  const ADAPTER = 'ad'.repeat(32);
  const MISSPELLED = 160;
  const HONEST = 64;
  const random = Random.of(SEED, 'experiences');
  const entryOf = (index: number): string =>
    `{"concepts":["${words[index % words.length]!}"],"strategy":["once"],"pitfalls":["none"]}`;
  const about = (problemId: string, index: number) =>
    explored(
      {
        problemId,
        domain: 'sums',
        prompt: `What is ${index} of many?`,
        reference: '4',
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      },
      { groupSize: 1, solved: [0], entryOf: () => entryOf(index) },
    );
  const honest = Array.from({ length: HONEST }, (_, index) => about(`p-${index}`, index));
  // Half of the honest ones are by an adapter that the log has.
  const written = honest.map(({ experiences: [own] }, index): Experience => {
    const byAdapter = { ...own!, adapterDigest: ADAPTER, baseModelDigest: 'b' };
    return index % 2 === 0 ? own! : byAdapter;
  });
  const anyId = (): string => derivedId(`${SEED}/${random.int(2 ** 31)}`, 'made up', random.int(2 ** 31));
  /** Those that take a true one's place are about a separate problem, under the ids that follow from it: they come first. */
  const KINDS: Readonly<
    Record<string, { readonly takesPlace: boolean; readonly forge: (own: Experience) => Experience }>
  > = {
    'wrong group': { takesPlace: false, forge: (own) => ({ ...own, groupId: anyId() }) },
    'foreign id': { takesPlace: false, forge: (own) => ({ ...own, experienceId: anyId() }) },
    'unknown problem': {
      takesPlace: false,
      forge: (own) => ({ ...own, problem: { ...own.problem, problemId: anyId() }, experienceId: anyId() }),
    },
    'foreign adapter': { takesPlace: true, forge: (own) => ({ ...own, adapterDigest: 'e'.repeat(64) }) },
    'wrong base': {
      takesPlace: true,
      forge: (own) => ({ ...own, adapterDigest: ADAPTER, baseModelDigest: 'evil' }),
    },
  };
  const TOLD: Readonly<Record<string, RegExp>> = {
    'wrong group': /^result_differs: its groupId is not that of its experience$|^identity/,
    'foreign id': /^identity: /,
    'unknown problem': /^problem_missing: /,
    'foreign adapter': /^adapter_unknown: adapter e{64} was not published$/,
    'wrong base': /^adapter_unknown: adapter (ad){32} is not for the base model evil$/,
  };

  it('none counts, each is reported by name, and every honest one counts', async () => {
    const kinds = Object.keys(KINDS);
    const log = await newLog();
    const [, publication] = promotedByRun({ adapterDigest: ADAPTER });
    await log.append([publication, ...honest.map(({ published }) => published), ...written].map(encodeEvent));
    const results: SeamEvent[] = written.map((experience) => outcomeOf(experience, true));
    const expected = new Map<string, string>();
    const experiences: SeamEvent[] = [];
    for (let at = 0; at < FORGED - MISSPELLED; at++) {
      const kind = kinds[at % kinds.length]!;
      const { takesPlace, forge } = KINDS[kind]!;
      const victim = takesPlace ? about(`victim-${at}`, at) : honest[random.int(HONEST)]!;
      const forged = forge(victim.experiences[0]!);
      // Each has a separate id, so that what is reported can be compared with what was forged.
      const result = outcomeOf(forged, true);
      const told = takesPlace ? result : { ...result, meta: { ...result.meta, messageId: anyId() } };
      if (takesPlace) experiences.push(victim.published);
      experiences.push(forged);
      results.push(told);
      expected.set(told.meta.messageId, kind);
    }
    const misspelled = Array.from({ length: MISSPELLED }, (_, at) => {
      const { published, experiences: own } = about(`misspelled-${at}`, HONEST + at);
      const forged = { ...own[0]!, tokenIds: own[0]!.tokenIds.with(random.int(own[0]!.tokenIds.length), 33) };
      experiences.push(published, forged);
      results.push(outcomeOf(forged, true));
      return forged.experienceId;
    });
    await log.append(random.shuffled(experiences).map(encodeEvent));
    await log.append(random.shuffled(results).map(encodeEvent));

    const objects = new InMemoryObjectStore();
    const config = bufferServiceConfigSchema.parse({
      logging: { level: 'silent' },
      buffer: {
        commitEveryProblems: 16,
        rules: { nearDuplicates: { scope: 'off' }, uncappedSubjects: ['(nobody)'] },
      },
    });
    const service = await startService(bufferService({ schemaFor }), {
      config,
      drivers: { log, objects },
      serveHttp: false,
    });
    const ends = await totalRecords(log, TOPIC.outcomes);
    const isDone = async (): Promise<boolean> =>
      (await log.committedOffsets('seam.buffer')).reduce((sum, { nextOffset }) => sum + nextOffset, 0) === ends;
    while (!(await isDone())) await new Promise((resolve) => setTimeout(resolve, 5));
    await service.close();

    const stated = await eventsIn(log, TOPIC.buffer);
    const told = stated.filter((event) => event.type === 'ResultRefused');
    expect(told).toHaveLength(expected.size);
    for (const { outcomeId, reason, detail } of told)
      expect(`${reason}: ${detail}`).toMatch(TOLD[expected.get(outcomeId)!]!);
    expect(new Set(told.map(({ outcomeId }) => outcomeId))).toEqual(new Set(expected.keys()));

    // Who learns from tokens looks at them: what the buffer could not see is left out by name there.
    const commits = stated.filter((event) => event.type === 'BufferCommitted');
    const last = commits.sort((a, b) => a.sequence - b.sequence).at(-1)!;
    const rows = await readVersion(decodeManifest(await objects.get(last.manifestKey)), (key) => objects.get(key));
    const learned = spelledInput({ reads: 'buffer', rows }, (ids) => Buffer.from(ids).toString());
    expect([...learned.misspelled].sort()).toEqual([...misspelled].sort());
    const kept = learned.input.reads === 'buffer' ? learned.input.rows.map(({ experienceId }) => experienceId) : [];
    expect([...kept].sort()).toEqual(written.map(({ experienceId }) => experienceId).sort());
  });
});

describe('of a thousand forged decisions about adapters', () => {
  const random = Random.of(SEED, 'promotions');
  const honestRuns = Array.from({ length: 40 }, (_, index) =>
    promotedByRun({
      adapterDigest: `a${index}`,
      parent: index === 0 ? null : `a${index - 1}`,
      onlyOverParent: true,
      success: 0.5,
      parentSuccess: 0.25,
    }),
  );
  const served = honestRuns.map(([, { adapterDigest }]) => adapterDigest);
  const anyId = (): string => derivedId(`${SEED}/${random.int(2 ** 31)}`, 'made up', random.int(2 ** 31));
  /** A run of a stranger's that is whole, and a promotion of its adapter that is not. */
  const stranger = (digest: string) => promotedByRun({ adapterDigest: digest, success: 0.5, parentSuccess: 0.25 });
  const KINDS: Readonly<
    Record<string, { readonly told: RegExp; readonly forge: (digest: string) => readonly SeamEvent[] }>
  > = {
    'without a run': {
      told: /no run run-\S+ was started/,
      forge: (digest) => [stranger(digest)[1], stranger(digest)[3]],
    },
    'with a foreign run': {
      told: /run run-a\d+ completed with adapter a\d+/,
      forge: (digest) => {
        const [, made, , promotion] = stranger(digest);
        return [made, { ...promotion, runId: `run-${random.pick(served)}` }];
      },
    },
    'with a wrong evaluation': {
      told: /does not bear it out|evaluation is not valid/,
      forge: (digest) => changed(digest, { evaluation: evaluationOf(random.int(2) === 0 ? 0 : 9, 0.25) }),
    },
    'that solves one problem fewer': {
      told: /does not bear it out/,
      forge: (digest) => changed(digest, { evaluation: evaluationOf(0.5, 0.75) }),
    },
    'with its evaluation left out': {
      told: /it names no evaluation/,
      forge: (digest) => changed(digest, { evaluation: null }),
    },
    'that overrides without a person': {
      told: /neither a run nor the person who promoted/,
      forge: (digest) => [
        stranger(digest)[1],
        evaluatedByPerson(digest),
        {
          ...promotedByPerson({ messageId: anyId(), adapterDigest: digest }),
          promotedBy: random.pick([null, '', ' ']),
        },
      ],
    },
    'that overrides on a measurement that is made up': {
      told: /its evaluation is not on record/,
      forge: (digest) => [
        stranger(digest)[1],
        evaluatedByPerson(digest, evaluationOf(0.25)),
        promotedByPerson({ messageId: anyId(), adapterDigest: digest, success: 1 }),
      ],
    },
    'that rolls back without a name': {
      told: /names no person/,
      forge: () => [{ ...rolledBack(anyId(), random.pick(served), null), rolledBackBy: null }],
    },
    'that pins without a name': {
      told: /names no person/,
      forge: () => [{ ...pinned(anyId(), random.pick(served)), pinnedBy: '' }],
    },
    unsigned: { told: /an attestation by a trusted key/, forge: (digest) => [stranger(digest)[3]] },
  };
  const changed = (digest: string, changes: Partial<AdapterPromoted>): readonly SeamEvent[] => {
    const [start, made, completed, promotion] = stranger(digest);
    return [start, made, completed, { ...promotion, ...changes }];
  };

  it('none counts, each is reported by name, and every honest one counts', async () => {
    const { privatePem, trusted } = generateKey('trainer', ['adapters', 'promotions']);
    const bare = await newLog();
    const unsigned: string[] = [];
    const log = new SignedEventLog({
      log: bare,
      key: parseSigningKey(privatePem, 'key'),
      trust: { keys: parseTrustedKeys(JSON.stringify({ keys: [trusted] }), 'trusted'), unsigned: 'refused' },
      onRefused: (_, { message }) => unsigned.push(message),
    });
    const kinds = Object.keys(KINDS);
    const forged = Array.from({ length: FORGED }, (_, at) => kinds[at % kinds.length]!);
    const queue = random.shuffled([...forged, ...honestRuns.map(() => undefined)]);
    let runs = 0;
    const expected = new Map<string, string>();
    for (const [at, kind] of queue.entries()) {
      if (kind === undefined) {
        await log.append(honestRuns[runs++]!.map(encodeEvent));
        continue;
      }
      const events = KINDS[kind]!.forge(`x${at}`);
      // The decision is the last of them. The forger has the trainer's key, except where the signature is missing.
      const decision = events.at(-1)!;
      expected.set(decision.meta.messageId, kind);
      await log.append(events.slice(0, -1).map(encodeEvent));
      await (kind === 'unsigned' ? bare : log).append([encodeEvent(decision)]);
    }

    let state = adapterLineageProjection.initialState();
    for (const topic of [TOPIC.training, TOPIC.adapters])
      for (const { partition, low } of await log.watermarks(topic))
        for await (const records of log.read({ topic, partition, from: low }))
          for (const record of records) state = adapterLineageProjection.evolve(state, decodeEvent(record), record);
    const { served: now, versions, refused } = adapterLineageProjection.read(state);

    expect(now).toBe(served.at(-1));
    const own = versions.filter(({ adapterDigest }) => served.includes(adapterDigest));
    expect(own.map(({ status }) => status)).toEqual([...served.slice(1).map(() => 'promoted'), 'served']);
    expect(versions.filter(({ status }) => status === 'served' || status === 'promoted')).toHaveLength(own.length);
    const told = new Map(refused.map(({ messageId, reason }) => [messageId, reason]));
    for (const [messageId, kind] of expected) {
      if (kind === 'unsigned') continue;
      expect(told.get(messageId)).toMatch(KINDS[kind]!.told);
    }
    expect(unsigned).toHaveLength(FORGED / kinds.length);
    for (const message of unsigned) expect(message).toMatch(KINDS.unsigned!.told);
    expect(told.size + unsigned.length).toBe(FORGED);
  });
});
