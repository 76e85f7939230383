/** A library that an LLM brings on, in a process that is killed again and again in all three stages: no reply is paid for again. */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { type EventOf, encodeEvent, TOPICS } from '@seamstream/events';
import { Random } from '@seamstream/kernel';
import { until } from '@seamstream/testing';
import { DistillingEndpoint, type PaidCall, seedOf } from '../support/distilling-endpoint.js';
import { allEventsOf, ledgerOf, ofType } from '../support/recorded-run.js';
import { seamCommand } from '../support/seam-command.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

// Some thirty starts of a process, on a machine that may be busy.
jest.setTimeout(900_000);

const PROBLEMS = 36;
const STAGES = ['summary', 'advantage', 'consolidation'] as const;
const KILLS = 20;
const CONCURRENCY = 4;
/** Tokens that a request may need, for its budget: the bytes of a prompt, and most tokens of the reply. */
const WORST_CASE = 4_000;
/** No process listens there. */
const NOWHERE = 'http://127.0.0.1:9/v1';

let folder: string;
let world: ToyWorld;
let endpoint: DistillingEndpoint;
let calm: Awaited<ReturnType<typeof train>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'library-killed-'));
  endpoint = await DistillingEndpoint.start();
  world = await createToyWorld();
  await solveProblems(join(folder, 'solved'));
  calm = await train('calm', []);
});
afterAll(async () => {
  await endpoint.stop();
  await Promise.all([folder, world.folder].map((each) => rm(each, { recursive: true })));
});

it('R42: killed twenty times in all its stages, it ends at the same library and asks for no recorded reply again', async () => {
  expect(calm.calls.flat()).toHaveLength(calm.replies.length);
  expect(new Set(calm.replies.map(({ stage }) => stage))).toEqual(new Set(STAGES));
  const kills = Array.from({ length: KILLS }, (_, kill) => STAGES[kill % STAGES.length]!);
  // What the undisturbed run used, and the worst case of one request: what is counted twice does not fit.
  const killed = await train('killed', kills, { tokens: calm.tokens + WORST_CASE });

  expect(killed.killedIn).toEqual(kills);
  expect(killed.digest).toBe(calm.digest);
  expect(seeds(killed.replies)).toEqual(seeds(calm.replies));
  expect(killed.tokens).toBe(calm.tokens);
  for (const { ledger } of [calm, killed])
    expect(ledger).toMatchObject({ published: PROBLEMS, inFlight: 0, balanced: true });
  for (const [run, calls] of killed.calls.entries()) {
    const asked = calls.map(({ seed }) => seed);
    expect(asked.filter((seed) => killed.recordedBefore[run]!.has(seed))).toEqual([]);
    expect(new Set(asked).size).toBe(asked.length);
    const recordedAfter = killed.recordedBefore[run + 1] ?? new Set(seeds(killed.replies));
    // Paid, and not on record: what was under way at the kill, and nothing else.
    expect(asked.filter((seed) => !recordedAfter.has(seed)).length).toBeLessThanOrEqual(run < KILLS ? CONCURRENCY : 0);
  }
});

it('R42: killed before its budget ends, it keeps to it, and asks nothing when it is started again', async () => {
  const tokens = calm.tokens >> 1;
  const spent = await train('spent', ['summary', 'advantage', 'summary', 'summary'], { tokens });
  expect(spent.killedIn).toHaveLength(4);
  expect(spent.digest).toBeUndefined();
  expect(spent.replies.length).toBeGreaterThan(0);
  expect(spent.tokens).toBeLessThanOrEqual(tokens);
  expect(spent.errors).toMatch(/budget is spent/);
  const before = endpoint.paid.length;
  await seam('spent', TRAIN, { tokens }).ended;
  expect(endpoint.paid).toHaveLength(before);
});

it('is made again from the log to the same digest while no endpoint is there', async () => {
  const before = endpoint.paid.length;
  const { code, output } = await seam('calm', ['replay', '--verify-adapter', calm.digest!, '--json'], { url: NOWHERE })
    .ended;
  expect([code, JSON.parse(output)]).toMatchObject([0, { equal: true, replayedDigest: calm.digest }]);
  expect(endpoint.paid).toHaveLength(before);
});

const TRAIN = ['train', 'llm', ...['batchSize=1', 'epochs=6', 'maxTokens=128'].flatMap((each) => ['--set', each])];

function seam(
  name: string,
  args: readonly string[],
  { tokens, url = endpoint.url }: { readonly tokens?: number; readonly url?: string } = {},
) {
  return seamCommand(args, {
    ...toyEnvironment(world, join(folder, name)),
    SEAM_LOGGING_LEVEL: 'warn',
    SEAM_TRAINER_METHOD: 'library',
    SEAM_TRAINER_ALGORITHM: 'llm',
    SEAM_TRAINER_ALGORITHMS: '{}',
    SEAM_TRAINER_PROMOTION_TOLERANCE: '1',
    SEAM_TRAINER_CHECKPOINT_EVERY_STEPS: '1',
    SEAM_TRAINER_DISTILLATION_URL: url,
    SEAM_TRAINER_DISTILLATION_MODEL: 'tiny',
    SEAM_TRAINER_DISTILLATION_CONCURRENCY: String(CONCURRENCY),
    ...(tokens === undefined ? {} : { SEAM_TRAINER_DISTILLATION_BUDGET_TOKENS: String(tokens) }),
  });
}

/** `seam train llm` on a copy of the log, again and again until it is not killed. @param kills the stage in which each process is killed */
async function train(name: string, kills: readonly PaidCall['stage'][], budget: { readonly tokens?: number } = {}) {
  await cp(join(folder, 'solved'), join(folder, name), { recursive: true });
  const random = Random.of('R42', name);
  const calls: PaidCall[][] = [];
  const recordedBefore: ReadonlySet<number>[] = [];
  const killedIn: string[] = [];
  for (let run = 0; ; run++) {
    recordedBefore.push(new Set(seeds(await repliesOf(name))));
    const from = endpoint.paid.length;
    const stage = kills[run];
    const { child, ended } = seam(name, TRAIN, budget);
    // A moment after a call of the stage came in: before its reply, while it is written down, or after that.
    endpoint.onCall = (call) => {
      if (call.stage !== stage) return;
      endpoint.onCall = () => undefined;
      setTimeout(() => child.kill('SIGKILL'), random.int(40));
    };
    const { code, errors } = await ended;
    calls.push(endpoint.paid.slice(from));
    if (code === null) {
      killedIn.push(stage!);
      continue;
    }
    return { ...(await recorded(name)), calls, recordedBefore, killedIn, errors };
  }
}

const seeds = (replies: readonly EventOf<'LibraryReplyRecorded'>[]): number[] => replies.map(seedOf).sort();

/** What the log of a data folder says. */
async function recorded(name: string) {
  const log = await LmdbEventLog.open({ folder: join(folder, name, 'log') });
  try {
    const events = await allEventsOf(log);
    const replies = ofType(events, 'LibraryReplyRecorded');
    return {
      ...{ replies, ledger: await ledgerOf(log), digest: ofType(events, 'AdapterPublished')[0]?.adapterDigest },
      tokens: replies.reduce((sum, { promptTokens, responseTokens }) => sum + promptTokens + responseTokens, 0),
    };
  } finally {
    await log.close();
  }
}

const repliesOf = async (name: string) => (await recorded(name)).replies;

/** A data folder in which generator and executor have solved all problems. */
async function solveProblems(dataFolder: string): Promise<void> {
  const log = await LmdbEventLog.open({ folder: join(dataFolder, 'log') });
  const services = new ServiceProcesses(toyEnvironment(world, dataFolder), { instances: ['generator', 'executor'] });
  try {
    await log.createTopics(TOPICS.map(({ name, partitions }) => ({ name, partitions })));
    await log.append(Array.from({ length: PROBLEMS }, (_, number) => encodeEvent(toyPublication('problem', number))));
    services.startAll();
    await until(async () => (await ledgerOf(log)).inFlight === 0, 'all problems solved', {
      withinMs: 120_000,
      everyMs: 100,
    });
    expect(services.complaints()).toEqual([]);
  } finally {
    await services.end();
    await log.close();
  }
}
