/** A person decides what a separate slot serves: here a team, next to the adapters of the generators. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeEvent, encodeEvent, type SeamEvent, TOPIC } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { type Adapter, encodeAdapter } from '@seamstream/language-model';
import { teamBaseDigest, teamFingerprint } from '@seamstream/team-tuning';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { answersOf, smallAdapter, smallBaseModel } from './small-adapters.fake.js';

let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slots-'));
  world = await fakeWorld();
  world.baseModel = await smallBaseModel(folder);
});
afterEach(() => rm(folder, { recursive: true }));

describe('what a person decides on a team', () => {
  it('acts on the slot that the team was published for, and on no other', async () => {
    const [generators, first, second] = [await weights(1), await team(2), await team(3)];
    await byRun(generators, 'generator');
    await byRun(first, 'team');
    await byRun(second, 'team', first.digest);
    expect(await act('rollback', '--slot', 'team')).toBe(0);
    expect(world.takeOutput()).toContain(
      `rolled ${second.digest.slice(0, 8)} back: slot team is served with ${first.digest.slice(0, 8)}\n`,
    );
    expect(await servedNow()).toEqual({ generator: generators.digest, others: { team: first.digest } });
    expect(await act('promote', second.digest)).toBe(0);
    expect(await lastEvent()).toMatchObject({ type: 'AdapterPromoted', slot: 'team', promotedBy: 'ada' });
    expect(await servedNow()).toEqual({ generator: generators.digest, others: { team: second.digest } });
    expect(await act('pin', 'served', '--slot', 'team')).toBe(0);
    expect(await act('rollback', '--slot', 'team')).not.toBe(0);
    expect(world.takeErrors()).toContain('pinned');
    expect(await act('rollback')).toBe(0);
    expect(await servedNow()).toEqual({ generator: null, others: { team: second.digest } });
    expect(await act('unpin', '--slot', 'team')).toBe(0);
    expect(await act('rollback', '--to', first.digest)).toBe(0);
    expect(await servedNow()).toEqual({ generator: null, others: { team: first.digest } });
  });

  it.each([
    [
      'another slot than the artefact’s',
      (digest: string) => ['promote', digest, '--slot', 'generator'],
      'expected an artefact of this slot, got one of "team"',
    ],
    [
      'a rollback in another slot',
      (digest: string) => ['rollback', '--to', digest, '--slot', 'generator'],
      'Leave --slot out',
    ],
    [
      'a slot that the log does not name',
      () => ['unpin', '--slot', 'teams'],
      'expected one that the log names ("generator", "team")',
    ],
  ])('refuses %s in plain words, and records nothing', async (_, argsOf, message) => {
    const made = await team(2);
    await byRun(made, 'team');
    const before = await world.log.watermarks(TOPIC.adapters);
    const [verb, ...args] = argsOf(made.digest);
    expect(await act(verb!, ...args)).not.toBe(0);
    expect(world.takeErrors()).toContain(message);
    expect(await world.log.watermarks(TOPIC.adapters)).toEqual(before);
  });

  it('asks which slot is meant where equal content was published for two', async () => {
    const made = await team(2);
    await byRun(made, 'team');
    await byRun(made, 'other');
    expect(await act('pin', made.digest)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected one slot that it was published for, got "other", "team"');
    expect(await act('pin', made.digest, '--slot', 'other')).toBe(0);
    expect(await lastEvent()).toMatchObject({ type: 'AdapterPinned', slot: 'other' });
  });

  it.each<[string, (made: Made) => unknown, RegExp]>([
    [
      'an agent’s weights are missing',
      () => world.objects.delete(keyOf(smallAdapter(3, base()).digest)),
      /expected its object .*, got none/,
    ],
    ['its manifest is another', ({ key }) => world.objects.put(key, Buffer.from('{}')), /expected its manifest/],
  ])('promotes nothing where %s', async (_, damage, message) => {
    const [first, second] = [await team(2), await team(3)];
    await byRun(first, 'team');
    await byRun(second, 'team', first.digest);
    await act('rollback', '--slot', 'team');
    await damage(second);
    expect(await act('promote', second.digest)).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
    expect((await servedNow()).others).toEqual({ team: first.digest });
  });

  it('promotes nothing whose agents answer otherwise than when it was published', async () => {
    const [first, second] = [await team(2), { ...(await team(3)), fingerprint: 'another' }];
    await byRun(first, 'team');
    await byRun(second, 'team', first.digest);
    await act('rollback', '--slot', 'team');
    expect(await act('promote', second.digest)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected the answers to the probe that it was published with');
  });
});

describe('a team of several base models', () => {
  it.each<[string, readonly string[], RegExp | null]>([
    ['with the file that says where they are', ['--team', 'team.json'], null],
    ['without it', [], /Name the file that says where they are \(--team FILE\)/],
    ['with a file of other folders', ['--team', 'swapped.json'], /the folders of swapped.json hold/],
    ['with a file of other agents', ['--team', 'others.json'], /expected the agents judge, critic, got solver, critic/],
  ])('is promoted by a person only where it can be proven: %s', async (_, args, message) => {
    const other = await smallBaseModel(folder, { name: 'other', weight: 0.25 });
    for (const [path, model] of [['base', world.baseModel!] as const, ['other', other] as const])
      world.baseModels.set(path, {
        ...model,
        // As a model does that is given weights of another one.
        fingerprint: (adapter) =>
          adapter === undefined || adapter.baseModelDigest === model.checkpoint.digest
            ? model.fingerprint(adapter)
            : Promise.reject(new Error(`weights of another model than ${path}`)),
      });
    for (const [file, agents] of Object.entries({
      'team.json': [
        ['solver', 'base'],
        ['critic', 'other'],
      ],
      'swapped.json': [
        ['solver', 'other'],
        ['critic', 'base'],
      ],
      'others.json': [
        ['judge', 'base'],
        ['critic', 'other'],
      ],
    }))
      world.files.set(file, Buffer.from(JSON.stringify({ agents: agents.map(([name, path]) => ({ name, path })) })));
    const [first, second] = [await team(2, other.checkpoint.digest), await team(3, other.checkpoint.digest)];
    await byRun(first, 'team');
    await byRun(second, 'team', first.digest);
    await act('rollback', '--slot', 'team');
    expect((await act('promote', second.digest, ...args)) === 0).toBe(message === null);
    if (message !== null) expect(world.takeErrors()).toMatch(message);
    expect((await servedNow()).others).toEqual({ team: message === null ? second.digest : first.digest });
  });

  it('is what --team is for: weights are refused with it', async () => {
    const [first, second] = [await weights(1), await weights(2)];
    await byRun(first, 'generator');
    await byRun(second, 'generator', first.digest);
    await act('rollback');
    expect(await act('promote', second.digest, '--team', 'team.json')).not.toBe(0);
    expect(world.takeErrors()).toContain('Leave --team out');
  });
});

const WHY = ['--by', 'ada', '--reason', 'better on our tasks'] as const;
const act = (verb: string, ...args: readonly string[]) => world.seam('adapters', verb, ...args, ...WHY);
const base = (): string => world.baseModel!.checkpoint.digest;
const keyOf = (digest: string): string => `adapters/${digest}/adapter.safetensors`;

async function servedNow(): Promise<{ generator: string | null; others: Record<string, string> }> {
  world.takeOutput();
  await world.seam('adapters', '--json');
  const [{ served, otherSlots }] = world.takeJson() as [{ served: string | null; otherSlots: Record<string, string> }];
  return { generator: served, others: otherSlots };
}

async function lastEvent(): Promise<SeamEvent | undefined> {
  let last: SeamEvent | undefined;
  for (const { partition, low } of await world.log.watermarks(TOPIC.adapters))
    for await (const records of world.log.read({ topic: TOPIC.adapters, partition, from: low }))
      last = records.map(decodeEvent).at(-1) ?? last;
  return last;
}

interface Made {
  readonly digest: string;
  readonly key: string;
  readonly fingerprint: string;
}

async function weights(value: number): Promise<Made & { readonly adapter: Adapter }> {
  const adapter = smallAdapter(value, base());
  await world.objects.put(keyOf(adapter.digest), encodeAdapter(adapter));
  return { digest: adapter.digest, key: keyOf(adapter.digest), fingerprint: answersOf(adapter), adapter };
}

/** Two agents: of the small base model, the second with its bare base model; or the second with weights for another base. */
async function team(value: number, otherBase?: string): Promise<Made> {
  const { adapter } = await weights(value);
  const other = otherBase === undefined ? null : smallAdapter(value, otherBase);
  if (other !== null) await world.objects.put(keyOf(other.digest), encodeAdapter(other));
  const members = [
    { agent: 'solver', slot: 'team/solver', adapter },
    { agent: 'critic', slot: 'team/critic', adapter: other },
  ];
  const manifest = canonicalJson({
    baseModelDigest: teamBaseDigest([base(), otherBase ?? base()]),
    members: members.map((each) => ({
      ...{ agent: each.agent, slot: each.slot },
      adapterDigest: each.adapter?.digest ?? null,
    })),
  });
  const digest = sha256(manifest);
  const key = `teams/${digest}/team.json`;
  await world.objects.put(key, Buffer.from(manifest));
  const fingerprint = await teamFingerprint(members, (member) => Promise.resolve(answersOf(member.adapter)));
  return { digest, key, fingerprint };
}

/** Published and promoted by a run of its slot. */
async function byRun({ digest, key, fingerprint }: Made, slot: string, parent: string | null = null): Promise<void> {
  const events = promotedByRun({ adapterDigest: digest, key, fingerprint, slot, parent, runId: `${slot}/${digest}` });
  await world.log.append(
    events.map((event) =>
      encodeEvent(event.type === 'AdapterPublished' ? { ...event, baseModelDigest: base() } : event),
    ),
  );
}
