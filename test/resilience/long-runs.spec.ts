/** What grows: services that cannot keep up, and services that run for long. Measured at the processes, from outside. */
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent } from '@seamstream/events';
import type { Environment } from '@seamstream/service-kit';
import { deploy } from '../support/deployment.js';
import { allEventsOf, ledgerOf, ofType } from '../support/recorded-run.js';
import { type InstanceName, ServiceProcesses, type ServiceProcessesOptions } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const FULL = process.env.SEAM_TEST_CHAOS === 'full';
const SLOW = `--import=${new URL('../support/slow-executor.mjs', import.meta.url).href}`;

let world: ToyWorld;
beforeAll(async () => {
  world = await createToyWorld();
}, 300_000);
afterAll(() => rm(world.folder, { recursive: true }));

interface Sample {
  readonly atMs: number;
  readonly residentMb: number;
  /** Of that, what is not a file's: the log is mapped, and what is read or written of it stays resident as long as there is room. */
  readonly ownMb: number;
  readonly openFiles: number;
}

interface Flow {
  readonly log: EventLog;
  readonly services: ServiceProcesses;
  readonly samples: ReadonlyMap<InstanceName, readonly Sample[]>;
}

it('R32: behind an executor that is ten times slower nothing grows but the log, and no service loses a partition', async () => {
  const problems = FULL ? 2_000 : 96;
  const environment = { SLOW_FACTOR: '10' };
  const options = { environment, nodeArguments: { executor: [SLOW] } };
  // All at once: nothing ever throttles the services before the executor.
  await under({ problems, atOnce: problems, everyMs: 250 }, options, async (flow) => {
    await expectSound(flow, problems);
    for (const [name, own] of flow.samples) {
      const [first] = own as [Sample];
      const most = Math.max(...own.map(({ residentMb }) => residentMb));
      process.stderr.write(
        `R32: ${name} ${first.residentMb.toFixed(0)} MB at a tenth, ${most.toFixed(0)} MB at most\n`,
      );
      expect([name, most / first.residentMb <= 1.5]).toEqual([name, true]);
    }
    expect(flow.services.said('another instance owns the partition')).toEqual([]);
  });
}, 3_600_000);

it('R40: services under load for long open nothing more, and need no more memory', async () => {
  const minutes = FULL ? 30 : 0.5;
  const everyMs = 1_000;
  const problems = minutes * 60 * 2;
  await under({ problems, atOnce: 2, everyMs }, {}, async (flow) => {
    await expectSound(flow, problems);
    for (const [name, own] of flow.samples) {
      const [first, last] = [own[0]!, own.at(-1)!];
      const growth = growthOf(own);
      process.stderr.write(
        `R40: ${name} ${first.residentMb.toFixed(0)} to ${last.residentMb.toFixed(0)} MB, its own ${first.ownMb.toFixed(0)} to ${last.ownMb.toFixed(0)}, ${growth.toFixed(2)} MB/min, ${first.openFiles} to ${last.openFiles} open files\n`,
      );
      expect([name, last.openFiles <= first.openFiles + 2]).toEqual([name, true]);
      expect([name, last.residentMb / first.residentMb <= 1.5]).toEqual([name, true]);
      // A heap that is still growing to its usual size grows; after half an hour it does no more.
      if (FULL) expect([name, growth <= 1]).toEqual([name, true]);
    }
  });
}, 3_600_000);

function sample(pid: number): Sample {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const megabytes = (field: string): number => Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)![1]) / 1024;
  return {
    atMs: performance.now(),
    residentMb: megabytes('VmRSS'),
    ownMb: megabytes('RssAnon'),
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  };
}

/**
 * MB per minute by which the least of a process's own memory grew from the third quarter of the samples to the last. Between two
 * collections of garbage memory always grows.
 */
function growthOf(samples: readonly Sample[]): number {
  const quarter = Math.floor(samples.length / 4);
  const third = samples.slice(-2 * quarter, -quarter);
  const last = samples.slice(-quarter);
  const least = (part: readonly Sample[]): number => Math.min(...part.map(({ ownMb }) => ownMb));
  return ((least(last) - least(third)) / (last[0]!.atMs - third[0]!.atMs)) * 60_000;
}

/** Generator and executor under load until `isOver`, then until everything is worked off; samples from when a tenth is done. */
async function under(
  load: { readonly problems: number; readonly atOnce: number; readonly everyMs: number },
  options: ServiceProcessesOptions & { readonly environment?: Environment },
  inspect: (flow: Flow) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'long-run-'));
  const deployment = await deploy({
    folder,
    environment: { ...toyEnvironment(world, folder), ...options.environment },
  });
  const log = await deployment.openLog();
  const instances: readonly InstanceName[] = ['generator', 'executor'];
  const services = new ServiceProcesses(deployment.environment, { ...options, instances });
  const samples = new Map<InstanceName, Sample[]>(instances.map((name) => [name, []]));
  try {
    services.startAll();
    let published = 0;
    for (;;) {
      if (published < load.problems) {
        const count = Math.min(load.atOnce, load.problems - published);
        await log.append(Array.from({ length: count }, () => encodeEvent(toyPublication('problem', published++))));
      }
      await pause(load.everyMs);
      const { inFlight, ...ledger } = await ledgerOf(log);
      if (ledger.solved + ledger.failed >= load.problems / 10)
        for (const [name, own] of samples) own.push(sample(services.pidOf(name)!));
      if (published === load.problems && inFlight === 0) break;
    }
    await inspect({ log, services, samples });
  } finally {
    await services.end();
    await log.close();
    await deployment.close();
    await rm(folder, { recursive: true });
  }
}

async function expectSound({ log, services }: Flow, published: number): Promise<void> {
  expect(await ledgerOf(log)).toMatchObject({ published, inFlight: 0, orphaned: 0, balanced: true });
  const outcomes = ofType(await allEventsOf(log), 'OutcomeRecorded').map(({ meta }) => meta.messageId);
  expect(new Set(outcomes).size).toBe(outcomes.length);
  expect(services.complaints()).toEqual([]);
}
