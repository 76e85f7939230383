import fc from 'fast-check';
import { packTar, type TarHeader, unpackTar } from 'modern-tar';
import { type ExpertFiles, packExpert, unpackExpert } from './expert-archive.js';

let sound: Uint8Array;
let digest: string;
beforeAll(async () => {
  ({ bytes: sound, digest } = await packExpert(FILES));
});

describe('the archive of an expert', () => {
  it('holds the files that were packed, and is equal for equal files', async () => {
    const { files, digest: unpacked } = await unpackExpert(sound);
    expect(contents(files)).toEqual(contents(FILES));
    expect(unpacked).toBe(digest);
    expect((await packExpert(new Map([...FILES].reverse()))).bytes).toEqual(sound);
  });

  it('is refused for each bit of its manifest that is another', async () => {
    const size = (await unpackTar(sound))[0]!.data!.length;
    for (let at = BLOCK; at < BLOCK + size; at++) {
      const bytes = Uint8Array.from(sound);
      bytes[at]! ^= 1 << (at % 8);
      expect(await read(bytes)).toBeNull();
    }
  });

  it('is refused or gives the same files, whichever bytes of it are others', async () => {
    const byte = fc.record({ at: fc.nat(sound.length - 1), value: fc.integer({ min: 0, max: 255 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(byte, { minLength: 1, maxLength: 4 }), async (damages) => {
        const bytes = Uint8Array.from(sound);
        for (const { at, value } of damages) bytes[at] = value;
        const archive = await read(bytes);
        if (archive !== null) expect(contents(archive.files)).toEqual(contents(FILES));
      }),
      { numRuns: 400 },
    );
  });

  it('is refused wherever it is cut, unless only the zeros at its end are missing', async () => {
    for (let length = 0; length < sound.length; length += 100) {
      const archive = await read(sound.slice(0, length));
      if (archive !== null) expect(contents(archive.files)).toEqual(contents(FILES));
    }
    expect(await read(sound.slice(0, 3 * BLOCK))).toBeNull();
  });

  it.each<[string, (entries: Entry[]) => unknown]>([
    ['two entries in each other’s place', (entries) => entries.splice(1, 2, entries[2]!, entries[1]!)],
    [
      'two names exchanged',
      ([, one, two]) => ([one!.header.name, two!.header.name] = [two!.header.name, one!.header.name]),
    ],
    ['an entry twice', (entries) => entries.push(entries[1]!)],
    ['an entry more', (entries) => entries.push({ ...entries[1]!, header: { ...entries[1]!.header, name: 'more' } })],
    ['an entry fewer', (entries) => entries.pop()],
    ['no manifest', (entries) => entries.shift()],
    ['nothing', (entries) => entries.splice(0)],
    // The empty file: its size and digest are those of a link.
    ['a link', (entries) => Object.assign(entries[3]!.header, { type: 'symlink', linkname: '/etc/passwd' })],
    ['a hard link', (entries) => Object.assign(entries[3]!.header, { type: 'link', linkname: 'expert.json' })],
    ['a folder', (entries) => Object.assign(entries[3]!.header, { type: 'directory' })],
    ['a name of a folder outside', (entries) => Object.assign(entries[1]!.header, { name: '../adapter_config.json' })],
    ['an absolute name', (entries) => Object.assign(entries[1]!.header, { name: '/adapter/adapter_config.json' })],
    ['another content of the same size', ([, one]) => (one!.data = Uint8Array.from(one!.data, (each) => each ^ 1))],
    [
      'a manifest with a field more',
      ([manifest]) => (manifest!.data = Buffer.from(`{"extra":1,${Buffer.from(manifest!.data).toString().slice(1)}`)),
    ],
    [
      'a manifest in another spelling',
      ([manifest]) => (manifest!.data = Buffer.from(`${Buffer.from(manifest!.data).toString()}\n`)),
    ],
    [
      'a manifest that leads outside, with an entry that does',
      ([manifest, one]) => {
        one!.header.name = '../adapter_config.json';
        manifest!.data = Buffer.from(
          Buffer.from(manifest!.data).toString().replace('adapter/adapter_config.json', '../adapter_config.json'),
        );
      },
    ],
  ])('is refused with %s', async (_, change) => {
    expect(await read(await changed(change))).toBeNull();
  });

  it('is not written with a name that leads outside', async () => {
    const files = new Map([['../outside', Buffer.from('x')]]);
    await expect(packExpert(files)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

const FILES: ExpertFiles = new Map([
  ['adapter/adapter_config.json', Buffer.from('{"r":2}')],
  ['adapter/adapter_model.safetensors', Uint8Array.from({ length: 700 }, (_, at) => at % 251)],
  ['edits.jsonl', Buffer.alloc(0)],
  ['expert.json', Buffer.from('{"name":"herbs"}')],
]);
/** Tar's unit: a header, and what content is filled up to. */
const BLOCK = 512;

/** Null where the archive is refused with its code. */
async function read(bytes: Uint8Array): Promise<Awaited<ReturnType<typeof unpackExpert>> | null> {
  try {
    return await unpackExpert(bytes);
  } catch (error) {
    expect(error).toMatchObject({ code: 'ADAPTER_INVALID' });
    return null;
  }
}

const contents = (files: ExpertFiles): string[] =>
  [...files].map(([name, body]) => `${name} ${Buffer.from(body).toString('base64')}`);

interface Entry {
  header: TarHeader;
  data: Uint8Array<ArrayBuffer>;
}

/** The sound archive with other entries. */
async function changed(change: (entries: Entry[]) => unknown): Promise<Uint8Array> {
  const entries = (await unpackTar(sound)).map(({ header, data }) => ({ header, data: data! }));
  change(entries);
  return packTar(entries.map(({ header, data }) => ({ header: { ...header, size: data.length }, body: data })));
}
