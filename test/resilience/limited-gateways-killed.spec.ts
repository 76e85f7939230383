/**
 * Two gateways that are killed under load, with limits of clients and of their tenant and a muted domain. No request is charged twice or never,
 * the limits hold exactly, and what is muted stays so.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { clientIn, type EventOf, encodeEvent, TOPICS, tenantOf, type UsageLimit } from '@seamstream/events';
import { Random, systemClock } from '@seamstream/kernel';
import { issueKey } from '@seamstream/operations/access';
import { declareQuota, UsageLedger } from '@seamstream/operations/quotas';
import { decideReleases } from '@seamstream/operations/release';
import { DEFAULT_GUARD_PLAN } from '@seamstream/release';
import { TRUST_ALL } from '@seamstream/signatures';
import { eventsOf, until } from '@seamstream/testing';
import { chatChunks, ModelServer } from '@seamstream/testing/model-server';
import { guardedProblems, guardPlanned } from '@seamstream/testing/release-log';
import { type GatewayProcess, startGateway } from '../support/gateway-process.js';

const KILLS = 2;
const LIMITS = { whole: 60, '*': 45 } as const;

it('charge each request once, keep to the limits of clients and tenant, and keep what is muted', async () => {
  const upstream = await ModelServer.start(() => ({ kind: 'events', data: chatChunks(['a', 'b', 'c']), everyMs: 5 }));
  const folder = mkdtempSync(join(tmpdir(), 'limited-gateways-killed-'));
  const keys = await prepare(join(folder, 'log'));
  const start = (): Promise<GatewayProcess> =>
    startGateway({
      ...{ SEAM_DATA_FOLDER: folder, SEAM_GATEWAY_EXPERIENCE_WITHIN_MS: '5', SEAM_GATEWAY_ACCESS: 'keys' },
      ...{ SEAM_GATEWAY_UPSTREAM_URL: upstream.url, SEAM_GATEWAY_UPSTREAM_MODEL: 'tiny' },
    });
  const gateways = [await start(), await start()];
  const whole: string[] = [];
  try {
    const random = Random.of('limited gateways killed');
    for (let kill = 0; kill < KILLS; kill++) {
      const enough = whole.length + 2 + random.int(6);
      const isEnough = (): boolean => whole.length >= enough;
      const asking = [0, 1, 2, 3, 4, 5].map((client) => ask(gateways, keys[client % 2]!, whole, isEnough));
      await until(isEnough, 'answers', { withinMs: 30_000 });
      await gateways[kill % 2]!.kill();
      await Promise.all(asking);
      gateways[kill % 2] = await start();
    }
    for (const key of keys) while ((await chat(gateways[0]!, key, whole)) === 200);
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.kill()));
    await upstream.stop();
  }
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const answers = await eventsOf(log, 'AnswerRecorded');
  const published = (await eventsOf(log, 'ProblemPublished')).filter(({ answeredBy }) => answeredBy === 'seam/gateway');
  const used = charged(await eventsOf(log, 'UsageReserved'), await eventsOf(log, 'UsageSettled'));
  await log.close();
  // 1. What was answered is in the log once, and was charged once to both who pay.
  const recorded = answers.map(({ problem }) => problem.problemId);
  expect(new Set(recorded).size).toBe(recorded.length);
  expect(whole.filter((id) => !recorded.includes(id))).toEqual([]);
  expect(used.tenant.settled).toBe(answers.length);
  expect(used.clients.settled).toBe(answers.length);
  expect(used.isSettledTwice).toBe(false);
  // 2. What died stays charged, and lapses. The limit is used up, and not exceeded.
  expect(used.tenant.open).toBeGreaterThan(0);
  expect(used.tenant.settled + used.tenant.open).toBe(LIMITS.whole);
  expect(used.tenant.used).toBe(LIMITS.whole);
  expect(used.most).toBeLessThanOrEqual(LIMITS['*']);
  expect(used.openAfterLapse).toBe(0);
  // 3. Each process knew from its first request on what is muted.
  const shares = Map.groupBy(published, ({ problem }) => problem.domain);
  expect(new Set(shares.get('sums')!.map(({ assignment }) => assignment!.controlShare))).toEqual(new Set([0.98]));
  expect(shares.get('words')!.some(({ assignment }) => assignment!.controlShare === 0.98)).toBe(false);
}, 120_000);

/** Limits, two keys of a tenant, and a domain in which entries did harm. @returns the keys */
async function prepare(folder: string): Promise<readonly string[]> {
  const log = await LmdbEventLog.open({ folder });
  await log.createTopics(TOPICS);
  for (const [name, most] of Object.entries(LIMITS)) {
    const quota = { keyId: `acme/${name}`, measure: 'requests', per: 'month', limit: most, mode: 'enforced' } as const;
    await declareQuota(log, { ...quota, declaredBy: 'ada', reason: 'a trial' }, systemClock);
  }
  const request = { name: 'n', role: 'publisher', tenant: 'acme', by: 'ada', expiresAt: null } as const;
  const keys = [await issueKey(log, request, systemClock), await issueKey(log, request, systemClock)];
  const facts = { guardId: 'g-1', domain: 'sums' };
  const harm = [
    guardPlanned({ guardId: 'g-1', plan: DEFAULT_GUARD_PLAN }),
    ...guardedProblems({ ...facts, treated: true, solved: 20, failed: 250 }),
    ...guardedProblems({ ...facts, treated: false, solved: 26, failed: 4 }),
  ];
  await log.append(harm.map(encodeEvent));
  const world = {
    ...{ clock: systemClock, openLog: async () => log, openKeptLog: async () => ({ log, snapshots: null }) },
    signing: async () => ({ key: null, trust: TRUST_ALL }),
  };
  const progress = () => ({ advance: () => undefined, stop: () => undefined });
  const { muted } = await decideReleases(world, { signal: new AbortController().signal, progress });
  expect(muted).toHaveLength(1);
  await log.close();
  return keys.map(({ key }) => key);
}

/** Asks one gateway after the other until it is enough, or one of them is away. */
async function ask(gateways: readonly GatewayProcess[], key: string, whole: string[], isEnough: () => boolean) {
  let status: number | undefined = 200;
  for (let turn = 0; !isEnough() && status === 200; turn++)
    status = await chat(gateways[turn % gateways.length]!, key, whole, turn);
}

/** @param whole receives the id of an answer that looks whole. @returns its status; undefined where there is none */
async function chat({ url }: GatewayProcess, key: string, whole: string[], turn = 0): Promise<number | undefined> {
  const domain = turn % 2 === 0 ? 'sums' : 'words';
  const said = { model: 'seam', stream: true, messages: [{ role: 'user', content: 'Why?' }], seam: { domain } };
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  try {
    const answer = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body: JSON.stringify(said) });
    const text = await answer.text();
    const id = /chatcmpl-([0-9a-f-]+)/.exec(text)?.[1];
    if (answer.status === 200 && id !== undefined && text.includes('[DONE]')) whole.push(id);
    return answer.status;
  } catch {
    return undefined;
  }
}

/** What the log says of the tenant as a whole, and of its clients together. */
function charged(reserved: readonly EventOf<'UsageReserved'>[], settled: readonly EventOf<'UsageSettled'>[]) {
  const ledger = new UsageLedger();
  const admitted = reserved.filter((event) => ledger.apply(event)?.isAdmitted === true);
  for (const event of settled) ledger.apply(event);
  const ends = new Map(settled.map((event) => [nameOf(event), event.outcome]));
  const of = (some: readonly EventOf<'UsageReserved'>[]) => ({
    settled: some.filter((event) => ends.get(nameOf(event)) === 'charged').length,
    open: some.filter((event) => !ends.has(nameOf(event))).length,
  });
  const [tenants, clients] = [admitted.filter(isWhole), admitted.filter((event) => !isWhole(event))];
  const atMs = reserved[0]!.meta.occurredAt;
  const usedBy = (client: string): number => {
    const limit: UsageLimit = { measure: 'requests', per: 'month', limit: 0, mode: 'enforced' };
    return ledger.usesOf(client, [limit], atMs)[0]!.used;
  };
  const payers = new Set(clients.map(({ keyId, meta }) => clientIn(tenantOf(meta), keyId)));
  return {
    tenant: { ...of(tenants), used: usedBy('acme/whole') },
    clients: of(clients),
    most: Math.max(...[...payers].map(usedBy)),
    isSettledTwice: ends.size < settled.length,
    openAfterLapse: ledger.openAt(Math.max(...reserved.map(({ lapsesAt }) => lapsesAt)) + 1),
  };
}

function nameOf({ meta, keyId, reservationId }: EventOf<'UsageReserved'> | EventOf<'UsageSettled'>): string {
  return `${clientIn(tenantOf(meta), keyId)}/${reservationId}`;
}

function isWhole({ keyId }: EventOf<'UsageReserved'>): boolean {
  return keyId === 'whole';
}
