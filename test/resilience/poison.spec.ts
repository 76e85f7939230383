/**
 * R11: records that the process which works on them does not survive. The generator is a real process under a supervisor;
 * what its handler does with a poisoned problem is planted (test/support/poison.mjs).
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { EventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent } from '@seamstream/events';
import { type Deployment, deploy } from '../support/deployment.js';
import { allEventsOf, ledgerOf, ofType, recordedRun, repeatedIds } from '../support/recorded-run.js';
import { ServiceProcesses, type ServiceProcessesOptions } from '../support/service-processes.js';
import { createToyWorld, type ToyWorld, toyEnvironment, toyPublication } from '../support/toy-world.js';

const GOOD = 24;
const POISONED = ['kills-1', 'grows-1', 'hangs-1'];
const MAX_DEATHS = 2;
const POISON = ['--max-old-space-size=256', `--import=${new URL('../support/poison.mjs', import.meta.url).href}`];

let world: ToyWorld;

/** Published at once, so that good and bad ones share batches. */
const records = (names: readonly string[]) => [
  ...Array.from({ length: GOOD }, (_, number) => encodeEvent(toyPublication('problem', number))),
  ...names.map((name) => encodeEvent(toyPublication(name.split('-')[0]!, 1))),
];

beforeAll(async () => {
  world = await createToyWorld();
}, 300_000);

afterAll(() => rm(world.folder, { recursive: true }));

it('R11: a record that kills, hangs or fills the process is found out and given up; all others are worked off as ever', async () => {
  const undisturbed = await flow([], {});
  const expected = await recordedRun(undisturbed.log);
  await undisturbed.end();
  const { log, services, end } = await flow(POISONED, { supervised: true, nodeArguments: { generator: POISON } });
  try {
    const letters: EventOf<'DeadLettered'>[] = ofType(await allEventsOf(log), 'DeadLettered');
    expect(letters.map(({ key, code }) => `${key} ${code}`).sort()).toEqual(
      POISONED.map((id) => `${id} POISON`).sort(),
    );
    for (const { key, value, attempts, reason } of letters) {
      const [set] = key!.split('-') as [string];
      expect(value === null ? '' : Buffer.from(value).toString('hex')).toBe(
        Buffer.from(encodeEvent(toyPublication(set, 1)).value).toString('hex'),
      );
      expect(attempts).toBe(MAX_DEATHS);
      expect(reason).toContain('died or had to be ended');
    }
    // Of each kind: with others in flight, then alone; a hanging batch blames its records at once.
    const ends = services.exits();
    expect(ends.length).toBeLessThanOrEqual(POISONED.length * 2 * MAX_DEATHS);
    const run = await recordedRun(log);
    expect(run.ledger).toMatchObject({ published: GOOD + 3, deadLettered: 3, inFlight: 0, balanced: true });
    for (const kind of ['experiences', 'outcomes'] as const) {
      expect(repeatedIds(run[kind])).toEqual([]);
      expect([...run[kind]].sort()).toEqual([...expected[kind]].sort());
    }
  } finally {
    await end();
  }
}, 600_000);

async function flow(
  poisoned: readonly string[],
  options: ServiceProcessesOptions,
): Promise<{ readonly log: EventLog; readonly services: ServiceProcesses; readonly end: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'poison-'));
  const deployment: Deployment = await deploy({
    folder,
    environment: {
      ...toyEnvironment(world, folder),
      SEAM_CONSUMING_DEADLINE_MS: '6000',
      SEAM_CONSUMING_MAX_DEATHS: String(MAX_DEATHS),
    },
  });
  const log = await deployment.openLog();
  const mixed = records(poisoned);
  // The poisoned ones in the middle.
  mixed.splice(GOOD / 2, 0, ...mixed.splice(GOOD));
  await log.append(mixed);
  const services = new ServiceProcesses(deployment.environment, { instances: ['generator', 'executor'], ...options });
  const end = async (): Promise<void> => {
    await services.end();
    await log.close();
    await deployment.close();
    await rm(folder, { recursive: true });
  };
  services.startAll();
  const giveUp = performance.now() + 400_000;
  while ((await ledgerOf(log)).inFlight > 0) {
    if (performance.now() > giveUp) {
      await end();
      throw new Error(`not at an end:\n${services.said('').slice(-30).join('\n')}`);
    }
    await pause(200);
  }
  return { log, services, end };
}
