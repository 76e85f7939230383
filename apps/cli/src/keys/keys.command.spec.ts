import { encodeEvent } from '@seamstream/events';
import { attest, parseSigningKey, parseTrustedKeys } from '@seamstream/signatures';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const textOf = (world: FakeWorld, file: string): string => Buffer.from(world.files.get(file) ?? []).toString();
const { AdapterPromoted: promoted, AdapterPublished: published, BufferCommitted: committed } = EXAMPLE_EVENTS;

async function withKeys(): Promise<FakeWorld> {
  const world = await fakeWorld();
  await world.seam('keys', 'generate', 'trainer', '--may', 'adapters', 'promotions');
  await world.seam('keys', 'generate', 'buffer', '--may', 'manifests');
  world.trust = { keys: parseTrustedKeys(textOf(world, 'trusted-keys.json'), 'f'), unsigned: 'refused' };
  return world;
}

describe('seam keys generate', () => {
  it('makes a private key and adds the public one to the trusted ones', async () => {
    const world = await withKeys();
    expect(world.takeOutput()).toContain('SEAM_SIGNATURES_KEY_FILE=trainer.key.pem');
    expect(world.trust.keys.map(({ name, may }) => [name, may])).toEqual([
      ['trainer', ['adapters', 'promotions']],
      ['buffer', ['manifests']],
    ]);
    expect(parseSigningKey(textOf(world, 'trainer.key.pem'), 'f').keyId).toBe(world.trust.keys[0]?.keyId);
    expect(textOf(world, 'trusted-keys.json')).not.toContain('PRIVATE');
  });

  it('never replaces a private key, nor a list that it cannot read', async () => {
    const world = await withKeys();
    const before = textOf(world, 'trainer.key.pem');
    expect(await world.seam('keys', 'generate', 'trainer', '--may', 'adapters')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot make a key: expected no file trainer.key.pem');
    expect(textOf(world, 'trainer.key.pem')).toBe(before);
    world.files.set('trusted-keys.json', Buffer.from('{}'));
    expect(await world.seam('keys', 'generate', 'other', '--may', 'adapters')).not.toBe(0);
    expect(textOf(world, 'trusted-keys.json')).toBe('{}');
    expect(world.files.has('other.key.pem')).toBe(false);
  });

  it('requires what the key may vouch for', async () => {
    const world = await fakeWorld();
    expect(await world.seam('keys', 'generate', 'trainer')).toBe(2);
    expect(await world.seam('keys', 'generate', 'trainer', '--may', 'everything')).toBe(2);
    expect(world.takeErrors()).toContain('adapters, promotions, manifests');
    expect(world.files.size).toBe(0);
  });
});

describe('seam adapters verify', () => {
  it('says who vouches for what', async () => {
    const world = await withKeys();
    const trainer = parseSigningKey(textOf(world, 'trainer.key.pem'), 'f');
    const buffer = parseSigningKey(textOf(world, 'buffer.key.pem'), 'f');
    await world.log.append([attest(published, trainer), attest(promoted, trainer)].map(encodeEvent));
    await world.log.append([encodeEvent(attest(committed, buffer))]);
    world.takeOutput();
    expect(await world.seam('adapters', 'verify')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/seam\.adapters\/0@0 +AdapterPublished +\w+ +signed +trainer/);
    expect(output).toContain('3 facts: 3 signed, 0 unsigned, 0 refused');
  });

  it('ends with 1 when something is refused, and says why', async () => {
    const world = await withKeys();
    const buffer = parseSigningKey(textOf(world, 'buffer.key.pem'), 'f');
    await world.log.append([promoted, attest(published, buffer)].map(encodeEvent));
    world.takeOutput();
    expect(await world.seam('--json', 'adapters', 'verify')).toBe(1);
    expect(world.takeJson()).toMatchObject([
      {
        refused: 2,
        facts: [
          { place: 'seam.adapters/0@0', state: 'refused', reason: expect.stringContaining('got none') as string },
          { state: 'refused', reason: expect.stringContaining('may vouch for adapters, got one by buffer') as string },
        ],
      },
    ]);
  });

  it('counts unsigned records where these are allowed', async () => {
    const world = await fakeWorld();
    await world.log.append([encodeEvent(promoted)]);
    expect(await world.seam('adapters', 'verify')).toBe(0);
    expect(world.takeOutput()).toContain('1 fact: 0 signed, 1 unsigned, 0 refused');
  });
});
