import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePeft } from '@seamstream/language-model';
import {
  generateKey,
  parseSigningKey,
  parseTrustedKeys,
  type SigningKey,
  TRUST_ALL,
  type Trust,
  type TrustedKey,
  type Voucher,
} from '@seamstream/signatures';
import { CONFIG, smallAdapter, smallBaseModel } from '../adapters/small-adapters.fake.js';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const ADA = keyOf('ada', ['adapters']);
const EVE = keyOf('eve', ['manifests']);
const AT = ['--catalogue', 'shared'] as const;
let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  world = await fakeWorld();
  world.baseModel = await smallBaseModel(folder);
});
afterEach(() => rm(folder, { recursive: true }));

describe('a catalogue of experts', () => {
  it('offers what a trusted key signed, with the key’s name, and installs it', async () => {
    sign(ADA);
    const digest = await exported('herbs', 0.25);
    expect(await world.seam('experts', 'publish', 'herbs.tar', ...AT)).toBe(0);
    expect(world.takeOutput()).toMatch(/^published herbs [0-9a-f]{8} \(.*\), signed\n$/);
    expect(await world.seam('experts', 'list', ...AT)).toBe(0);
    expect(world.takeOutput()).toMatch(/^herbs +[0-9a-f]{8} .* ada$/m);
    const other = await elsewhere();
    expect(await other.seam('experts', 'install', 'herbs', ...AT)).toBe(0);
    expect(other.takeOutput()).toContain(`published ${digest}`);
  });

  it('says that an expert is there already, and lists it once', async () => {
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    expect(world.takeOutput()).toContain('is in the catalogue already');
    await world.seam('experts', 'list', ...AT, '--json');
    expect(world.takeJson()).toMatchObject([{ experts: [{ name: 'herbs' }], refused: [] }]);
  });

  it('installs the newest of a name', async () => {
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    world.clock.advance(60_000);
    const newer = await exported('herbs', 0.5);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    const other = await elsewhere();
    await other.seam('experts', 'install', 'herbs', ...AT);
    expect(other.takeOutput()).toContain(`published ${newer}`);
  });

  it.each<[string, Signing, Trust, RegExp]>([
    [
      'without a signature',
      { key: null, trust: TRUST_ALL },
      trusting(ADA),
      /an attestation by a trusted key, got none/,
    ],
    ['by an unknown key', { key: EVE.key, trust: TRUST_ALL }, trusting(ADA), /a right signature by a trusted key/],
    ['by a key for other things', { key: EVE.key, trust: TRUST_ALL }, trusting(EVE), /may vouch for adapters/],
  ])('installs nothing that was published %s', async (_, writer, readers, message) => {
    Object.assign(world, writer);
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    world.trust = readers;
    await expectRefused(message);
  });

  it.each<[string, (entry: Entry) => unknown]>([
    ['another archive', (entry) => (entry.archive = 'c'.repeat(64))],
    ['another adapter', (entry) => (entry.facts.adapterDigest = 'c'.repeat(64))],
    ['a later time', (entry) => (entry.facts.publishedAt = Number(entry.facts.publishedAt) + 1)],
  ])('installs nothing of an entry that was changed to %s', async (_, change) => {
    sign(ADA);
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    await changeEntry((entry) => void change(entry));
    await expectRefused(/an attestation of this content, got one of another content/);
  });

  it('installs nothing under a name that was not signed', async () => {
    sign(ADA);
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    await changeEntry(
      () => undefined,
      (key) => key.replace('herbs', 'metals'),
    );
    expect(await world.seam('experts', 'install', 'metals', ...AT)).toBe(2);
    expect(world.takeErrors()).toContain('got one of another place');
  });

  it('installs nothing but the archive of the entry', async () => {
    sign(ADA);
    await exported('herbs', 0.25);
    await world.seam('experts', 'publish', 'herbs.tar', ...AT);
    await exported('metals', 0.5);
    const store = world.catalogues.get('shared')!;
    for await (const { key } of store.list('experts/archives/')) await store.put(key, world.files.get('metals.tar')!);
    expect(await world.seam('experts', 'install', 'herbs', ...AT)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected the archive');
  });

  it('gets nothing that no reader would believe', async () => {
    Object.assign(world, { key: EVE.key, trust: trusting(ADA) });
    await exported('herbs', 0.25);
    expect(await world.seam('experts', 'publish', 'herbs.tar', ...AT)).toBe(2);
    expect(world.takeErrors()).toContain('Cannot write Expert: expected a key that is trusted here');
  });
});

type Signing = Pick<FakeWorld, 'key' | 'trust'>;
interface Entry {
  archive: string;
  facts: Record<string, string | number>;
}

/** A key with what it may vouch for, and what readers know of it. */
function keyOf(name: string, may: readonly Voucher[]): { readonly key: SigningKey; readonly trusted: TrustedKey } {
  const { privatePem, trusted } = generateKey(name, may);
  const [own] = parseTrustedKeys(JSON.stringify({ keys: [trusted] }), 'trusted-keys.json');
  return { key: parseSigningKey(privatePem, 'key.pem'), trusted: own! };
}

function trusting({ trusted }: ReturnType<typeof keyOf>): Trust {
  return { keys: [trusted], unsigned: 'refused' };
}

function sign(by: ReturnType<typeof keyOf>): void {
  Object.assign(world, { key: by.key, trust: trusting(by) });
}

/** An expert as a file of the world. @returns the digest of its adapter */
async function exported(name: string, value: number): Promise<string> {
  const { digest, ...content } = smallAdapter(value, world.baseModel!.checkpoint.digest);
  const files = encodePeft(content, CONFIG, 'base');
  world.files.set('peft/adapter_config.json', files.config);
  world.files.set('peft/adapter_model.safetensors', files.tensors);
  await world.seam('adapters', 'import', 'peft');
  expect(await world.seam('experts', 'export', digest, '--to', `${name}.tar`, '--name', 'herbs', '--force')).toBe(0);
  world.takeOutput();
  return digest;
}

/** Another system that trusts the same keys and sees the same catalogue. */
async function elsewhere(): Promise<FakeWorld> {
  const other = await fakeWorld();
  other.baseModel = await smallBaseModel(folder);
  other.trust = world.trust;
  for (const [path, store] of world.catalogues) other.catalogues.set(path, store);
  other.files.set('shared', new Uint8Array());
  return other;
}

/** Rewrites the entry of the catalogue, and moves it. */
async function changeEntry(change: (entry: Entry) => void, keyOfEntry = (key: string): string => key): Promise<void> {
  const store = world.catalogues.get('shared')!;
  const keys: string[] = [];
  for await (const { key } of store.list('experts/index/')) keys.push(key);
  for (const key of keys) {
    const entry = JSON.parse(Buffer.from(await store.get(key)).toString()) as Entry;
    change(entry);
    await store.delete(key);
    await store.put(keyOfEntry(key), Buffer.from(JSON.stringify(entry)));
  }
}

async function expectRefused(message: RegExp): Promise<void> {
  expect(await world.seam('experts', 'list', ...AT)).toBe(1);
  expect(world.takeOutput()).toMatch(message);
  expect(await world.seam('experts', 'install', 'herbs', ...AT)).toBe(2);
  expect(world.takeErrors()).toMatch(message);
}
