import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeEvent, TOPIC } from '@seamstream/events';
import { sha256 } from '@seamstream/kernel';
import { encodePeft, loadCheckpoint } from '@seamstream/language-model';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';
import { answersOf, CONFIG, smallAdapter, smallBaseModel } from './small-adapters.fake.js';

let folder: string;
let world: FakeWorld;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'exchange-'));
  world = await fakeWorld();
  world.baseModel = await smallBaseModel(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const published = async () => {
  const events = [];
  for (const { partition, low, high } of await world.log.watermarks(TOPIC.adapters))
    for await (const records of world.log.read({ topic: TOPIC.adapters, partition, from: low, to: high }))
      for (const record of records) events.push(decodeEvent(record));
  return events;
};
/** PEFT's files of an adapter, in the world's files under `adapter/`. */
function putPeft(): string {
  const adapter = smallAdapter(0.25, world.baseModel!.checkpoint.digest);
  const files = encodePeft(adapter, CONFIG, 'base');
  world.files.set('adapter/adapter_config.json', files.config);
  world.files.set('adapter/adapter_model.safetensors', files.tensors);
  return adapter.digest;
}

describe('seam adapters import', () => {
  it("publishes PEFT's files under their measured digest, with where they come from, and serves nothing", async () => {
    const digest = putPeft();
    expect(await world.seam('adapters', 'import', 'adapter')).toBe(0);
    expect(world.takeOutput()).toBe(`published ${digest}; it is not served until it is promoted\n`);
    expect(await published()).toMatchObject([
      {
        type: 'AdapterPublished',
        attestation: null,
        adapterDigest: digest,
        baseModelDigest: world.baseModel!.checkpoint.digest,
        algorithm: 'import',
        parent: null,
        inputs: [],
        fingerprint: answersOf({ digest }),
      },
    ]);
    const lineage = JSON.parse(
      Buffer.from(await world.objects.get(`adapters/${digest}/lineage.json`)).toString(),
    ) as unknown;
    expect(lineage).toMatchObject({
      imported: {
        format: 'peft',
        folder: 'adapter',
        sha256: sha256(world.files.get('adapter/adapter_model.safetensors')!),
        config: { r: 2, lora_alpha: 4, target_modules: ['q_proj'] },
      },
    });
    await world.seam('adapters');
    expect(world.takeOutput()).toMatch(/import +base +published[\s\S]*Served: the base model/);
  });

  it('publishes the same adapter once', async () => {
    const digest = putPeft();
    await world.seam('adapters', 'import', 'adapter', '--json');
    await world.seam('adapters', 'import', 'adapter', '--json');
    expect(world.takeJson()).toMatchObject([
      { adapterDigest: digest, isNew: true },
      { adapterDigest: digest, isNew: false },
    ]);
    expect(await published()).toHaveLength(1);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'is missing',
      () => world.files.delete('adapter/adapter_config.json'),
      /adapter_config\.json: there is no such file/,
    ],
    [
      'is cut short',
      () =>
        world.files.set(
          'adapter/adapter_model.safetensors',
          world.files.get('adapter/adapter_model.safetensors')!.slice(0, -1),
        ),
      /not a sound safetensors file/,
    ],
    [
      'is something else',
      () => world.files.set('adapter/adapter_config.json', Buffer.from('{"peft_type":"IA3"}')),
      /peft_type "IA3"/,
    ],
  ])('publishes nothing when a file %s', async (_, damage, message) => {
    putPeft();
    damage();
    expect(await world.seam('adapters', 'import', 'adapter')).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
    expect(await published()).toHaveLength(0);
  });
});

describe('seam adapters export', () => {
  it("gives back PEFT's files as they came in", async () => {
    const digest = putPeft();
    await world.seam('adapters', 'import', 'adapter');
    world.takeOutput();
    expect(await world.seam('adapters', 'export', digest.slice(0, 8), '--peft', 'out')).toBe(0);
    expect(world.takeOutput()).toMatch(new RegExp(`wrote ${digest.slice(0, 8)} to out`));
    expect(world.files.get('out/adapter_model.safetensors')).toEqual(
      world.files.get('adapter/adapter_model.safetensors'),
    );
    const config = JSON.parse(Buffer.from(world.files.get('out/adapter_config.json')!).toString()) as unknown;
    expect(config).toMatchObject({ r: 2, lora_alpha: 4, base_model_name_or_path: join(folder, 'base') });
  });

  it('does not write over an adapter that lies there', async () => {
    const digest = putPeft();
    await world.seam('adapters', 'import', 'adapter');
    const before = new Map(world.files);
    expect(await world.seam('adapters', 'export', digest.slice(0, 8), '--peft', 'adapter')).not.toBe(0);
    expect(world.takeErrors()).toMatch(
      /Cannot write adapter\/adapter_config.json: expected no file of that name.*--force/,
    );
    expect(world.files).toEqual(before);
  });

  it('says which base model an adapter needs when the configured one is another', async () => {
    const digest = putPeft();
    await world.seam('adapters', 'import', 'adapter');
    world.baseModel = { ...world.baseModel!, checkpoint: { ...world.baseModel!.checkpoint, digest: 'other' } };
    expect(await world.seam('adapters', 'export', digest, '--peft', 'out')).not.toBe(0);
    expect(world.takeErrors()).toMatch(
      /expected its base model [0-9a-f]+ in .*base, got other.*SEAM_GENERATOR_MODEL_FOLDER/,
    );
    expect(world.files.has('out/adapter_config.json')).toBe(false);
  });
});

describe('seam adapters merge', () => {
  it('writes a checkpoint that loads, and does not write over one', async () => {
    const digest = putPeft();
    await world.seam('adapters', 'import', 'adapter');
    const into = join(folder, 'merged');
    world.takeOutput();
    expect(await world.seam('adapters', 'merge', digest, '--into', into)).toBe(0);
    expect(world.takeOutput()).toMatch(/merged [0-9a-f]{8} into .*merged: 1 of 12 tensors changed/);
    expect((await readdir(into)).sort()).toEqual(['config.json', 'model.safetensors']);
    expect((await loadCheckpoint(into)).digest).not.toBe(world.baseModel!.checkpoint.digest);
    expect(await world.seam('adapters', 'merge', digest, '--into', into)).not.toBe(0);
    expect(world.takeErrors()).toMatch(/expected a new or an empty folder, it holds config\.json/);
  });
});
