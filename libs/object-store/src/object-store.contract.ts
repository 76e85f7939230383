/**
 * Every promise of the object store's port, in sentences. The fake and each driver run this suite; keys are fresh per test,
 * so that a shared bucket can be under test.
 */
import { newId, type SeamError } from '@seamstream/kernel';
import type { ObjectStore } from './object-store.js';

/** One storage under test. */
export interface ObjectStoreUnderTest {
  /** A store on the storage; each call stands for another process. */
  open(): Promise<ObjectStore>;
  dispose(): Promise<void>;
}

export interface ObjectStoreContractOptions {
  /** Rounds of racing writers. */
  readonly rounds?: number;
  /** Size of the large object, bytes. */
  readonly largeBytes?: number;
  /** False where the storage under the driver keeps keys as files in folders: then `a` and `a/b` exclude each other. */
  readonly holdsKeyBelowKey?: boolean;
}

const bytes = (value: string): Uint8Array => new TextEncoder().encode(value);
const text = (value: Uint8Array): string => Buffer.from(value).toString();

async function refusalOf(action: Promise<unknown>): Promise<SeamError> {
  return action.then(
    () => {
      throw new Error('expected a refusal, but the call succeeded');
    },
    (error: unknown) => error as SeamError,
  );
}

/** Runs the suite against what `create` makes; `create` is called once per test. */
export function describeObjectStoreContract(
  name: string,
  create: () => Promise<ObjectStoreUnderTest>,
  { rounds = 25, largeBytes = 16 * 1024 ** 2, holdsKeyBelowKey = true }: ObjectStoreContractOptions = {},
): void {
  describe(`${name} keeps the promises of the object store`, () => {
    let storage: ObjectStoreUnderTest;
    let store: ObjectStore;
    let opened: ObjectStore[];
    let folder: string;

    const open = async (): Promise<ObjectStore> => {
      const another = await storage.open();
      opened.push(another);
      return another;
    };
    beforeEach(async () => {
      opened = [];
      folder = `contract/${newId()}`;
      storage = await create();
      store = await open();
    });
    afterEach(async () => {
      await Promise.all(opened.map((one) => one.close()));
      await storage.dispose();
    });
    const keysUnder = async (prefix: string, of = store): Promise<string[]> => {
      const keys: string[] = [];
      for await (const info of of.list(prefix)) keys.push(info.key);
      return keys;
    };

    describe('putting and getting', () => {
      it('gives back what was put, with its size and an etag that head and list agree on', async () => {
        const body = Uint8Array.from({ length: 1000 }, (_, index) => index & 255);
        const put = await store.put(`${folder}/a.bin`, body, { contentType: 'application/octet-stream' });
        expect(put).toMatchObject({ key: `${folder}/a.bin`, sizeBytes: 1000 });
        expect(await store.get(`${folder}/a.bin`)).toEqual(body);
        expect(await store.head(`${folder}/a.bin`)).toEqual(put);
        for await (const info of store.list(folder)) expect(info).toEqual(put);
      });

      it('shows another store what was put', async () => {
        const put = await store.put(`${folder}/a`, bytes('seen'));
        const other = await open();
        expect([await other.head(`${folder}/a`), text(await other.get(`${folder}/a`))]).toEqual([put, 'seen']);
      });

      it('replaces the whole object, and changes the etag only with the content', async () => {
        const first = await store.put(`${folder}/a`, bytes('a long first version'));
        const second = await store.put(`${folder}/a`, bytes('short'));
        const third = await store.put(`${folder}/a`, bytes('short'));
        expect(text(await store.get(`${folder}/a`))).toBe('short');
        expect(second.etag).not.toBe(first.etag);
        expect(third.etag).toBe(second.etag);
        expect(await keysUnder(folder)).toEqual([`${folder}/a`]);
      });

      it('keeps an empty object and a large one', async () => {
        await store.put(`${folder}/empty`, new Uint8Array(0));
        expect(await store.get(`${folder}/empty`)).toEqual(new Uint8Array(0));
        const large = new Uint8Array(largeBytes);
        for (let at = 0; at < large.length; at += 4096) large[at] = at >>> 12;
        await store.put(`${folder}/large`, large);
        expect(Buffer.compare(await store.get(`${folder}/large`), large)).toBe(0);
      });

      it('keeps what was given even when the caller changes its bytes afterwards, and gives out copies', async () => {
        const body = bytes('before');
        const done = store.put(`${folder}/a`, body);
        await done;
        body.fill(0);
        const read = await store.get(`${folder}/a`);
        read.fill(1);
        expect(text(await store.get(`${folder}/a`))).toBe('before');
      });

      it(`${holdsKeyBelowKey ? 'holds' : 'refuses'} a longer key below a key, and keeps the first`, async () => {
        await store.put(`${folder}/a`, bytes('leaf'));
        const below = store.put(`${folder}/a/b`, bytes('below'));
        if (!holdsKeyBelowKey) {
          expect(await refusalOf(below)).toMatchObject({ code: 'INVALID_INPUT' });
          expect([text(await store.get(`${folder}/a`)), await store.head(`${folder}/a/b`)]).toEqual([
            'leaf',
            undefined,
          ]);
          return;
        }
        await below;
        expect([text(await store.get(`${folder}/a`)), text(await store.get(`${folder}/a/b`))]).toEqual([
          'leaf',
          'below',
        ]);
      });

      it('never shows a part of an object while it is replaced', async () => {
        const versions = ['x', 'y'].map((letter) => bytes(letter.repeat(300_000)));
        await store.put(`${folder}/a`, versions[0]!);
        const reader = await open();
        const writer = { isBusy: true };
        const reading = (async () => {
          let reads = 0;
          while (writer.isBusy || reads < 5) {
            const body = await reader.get(`${folder}/a`);
            expect(body.length).toBe(300_000);
            expect(body[0]).toBe(body.at(-1));
            reads++;
          }
        })();
        for (let round = 1; round <= 10; round++) await store.put(`${folder}/a`, versions[round % 2]!);
        writer.isBusy = false;
        await reading;
      });
    });

    describe('ranges', () => {
      it('are half-open, and may be empty or everything', async () => {
        await store.put(`${folder}/a`, bytes('0123456789'));
        const range = async (from: number, to: number) => text(await store.get(`${folder}/a`, { from, to }));
        expect([await range(2, 5), await range(0, 10), await range(9, 10), await range(4, 4)]).toEqual([
          '234',
          '0123456789',
          '9',
          '',
        ]);
      });

      it.each([
        [-1, 2],
        [3, 2],
        [0, 11],
        [0.5, 2],
      ])('from %d to %d of ten bytes are refused', async (from, to) => {
        await store.put(`${folder}/a`, bytes('0123456789'));
        expect(await refusalOf(store.get(`${folder}/a`, { from, to }))).toMatchObject({ code: 'INVALID_INPUT' });
      });
    });

    describe('what is not there', () => {
      it('is an error to get, undefined to look at, and nothing to delete', async () => {
        const key = `${folder}/missing`;
        expect(await refusalOf(store.get(key))).toMatchObject({ code: 'OBJECT_NOT_FOUND', details: { key } });
        expect(await store.head(key)).toBeUndefined();
        await store.delete(key);
        expect(await keysUnder(folder)).toEqual([]);
      });

      it('includes what was deleted, which may be put again', async () => {
        const key = `${folder}/a`;
        await store.put(key, bytes('one'));
        await store.delete(key);
        expect(await refusalOf(store.get(key))).toMatchObject({ code: 'OBJECT_NOT_FOUND' });
        expect([await store.head(key), await keysUnder(folder)]).toEqual([undefined, []]);
        await store.put(key, bytes('two'), { ifMatch: 'absent' });
        expect(text(await store.get(key))).toBe('two');
      });
    });

    describe('conditional writes', () => {
      it('create only what is absent', async () => {
        const key = `${folder}/a`;
        const put = await store.put(key, bytes('first'), { ifMatch: 'absent' });
        expect(await refusalOf(store.put(key, bytes('second'), { ifMatch: 'absent' }))).toMatchObject({
          code: 'PRECONDITION_FAILED',
          details: { key, etag: put.etag },
        });
        expect(text(await store.get(key))).toBe('first');
      });

      it('replace only the version they name', async () => {
        const key = `${folder}/a`;
        const first = await store.put(key, bytes('first'));
        const second = await store.put(key, bytes('second'), { ifMatch: { etag: first.etag } });
        const stale = store.put(key, bytes('third'), { ifMatch: { etag: first.etag } });
        expect(await refusalOf(stale)).toMatchObject({ code: 'PRECONDITION_FAILED', details: { etag: second.etag } });
        expect(text(await store.get(key))).toBe('second');
        await store.delete(key);
        expect(await refusalOf(store.put(key, bytes('third'), { ifMatch: { etag: second.etag } }))).toMatchObject({
          code: 'PRECONDITION_FAILED',
        });
        expect(await store.head(key)).toBeUndefined();
      });

      it('have exactly one winner of eight that race to create', async () => {
        const stores = [store, await open(), await open(), await open()];
        for (let round = 0; round < rounds; round++) {
          const key = `${folder}/race-${round}`;
          const results = await Promise.allSettled(
            Array.from({ length: 8 }, (_, writer) =>
              stores[writer % 4]!.put(key, bytes(`writer ${writer}`), { ifMatch: 'absent' }),
            ),
          );
          const winners = results.flatMap((result, writer) => (result.status === 'fulfilled' ? [writer] : []));
          expect(winners).toHaveLength(1);
          expect(text(await store.get(key))).toBe(`writer ${winners[0]}`);
          for (const result of results)
            if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'PRECONDITION_FAILED' });
        }
      });

      it('lose no update when eight writers merge into one object', async () => {
        const key = `${folder}/manifest`;
        await store.put(key, bytes(''));
        const stores = [store, await open(), await open(), await open()];
        const add = async (own: ObjectStore, row: string): Promise<void> => {
          for (;;) {
            const head = await own.head(key);
            const before = text(await own.get(key));
            if ((await own.head(key))?.etag !== head!.etag) continue; // replaced between the two reads
            try {
              await own.put(key, bytes(`${before}${row}\n`), { ifMatch: { etag: head!.etag } });
              return;
            } catch (error) {
              if ((error as SeamError).code !== 'PRECONDITION_FAILED') throw error;
            }
          }
        };
        await Promise.all(
          Array.from({ length: 8 }, async (_, writer) => {
            for (let row = 0; row < 4; row++) await add(stores[writer % 4]!, `${writer}-${row}`);
          }),
        );
        const rows = text(await store.get(key))
          .trim()
          .split('\n');
        expect(rows.toSorted()).toEqual(
          Array.from({ length: 32 }, (_, index) => `${Math.floor(index / 4)}-${index % 4}`),
        );
      });
    });

    describe('listing', () => {
      it('is in ascending order of the keys’ bytes, at any depth', async () => {
        const names = [
          ...(holdsKeyBelowKey ? ['a', 'a/b'] : []),
          ...['a-b', 'a/b/c', 'a0', 'A', 'b/x', 'b.x', 'Z/z', 'a/!', "a/(1)'*=_", 'a/k=%C3%A4%2F'],
        ].map((name) => `${folder}/${name}`);
        for (const name of names) await store.put(name, bytes(name));
        expect(await keysUnder(`${folder}/`)).toEqual(
          names.toSorted((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y))),
        );
      });

      it('takes the prefix as text: it may end within a segment', async () => {
        for (const name of ['run-1/a', 'run-1/b', 'run-10/a', 'run-2/a', 'other'])
          await store.put(`${folder}/${name}`, bytes('x'));
        const relative = async (prefix: string) =>
          (await keysUnder(`${folder}/${prefix}`)).map((key) => key.slice(folder.length + 1));
        expect(await relative('run-1')).toEqual(['run-1/a', 'run-1/b', 'run-10/a']);
        expect(await relative('run-1/')).toEqual(['run-1/a', 'run-1/b']);
        expect(await relative('run-1/a')).toEqual(['run-1/a']);
        expect(await relative('nothing')).toEqual([]);
      });

      it('goes past a thousand objects', async () => {
        const names = Array.from({ length: 1100 }, (_, index) => `${folder}/part-${String(index).padStart(5, '0')}`);
        await Promise.all(names.map((name) => store.put(name, bytes('x'))));
        expect(await keysUnder(folder)).toEqual(names);
      });
    });

    describe('keys', () => {
      const bad = [
        '',
        '/a',
        'a/',
        'a//b',
        '.',
        '..',
        'a/../b',
        './a',
        'a b',
        'ä',
        'a\\b',
        'a\0b',
        'a:b',
        'x'.repeat(201),
        'x/'.repeat(600) + 'x',
      ];
      it.each(bad)('like %j are refused by every operation', async (key) => {
        const invalid = { code: 'INVALID_INPUT', details: { key } };
        expect(await refusalOf(store.put(key, bytes('x')))).toMatchObject(invalid);
        expect(await refusalOf(store.get(key))).toMatchObject(invalid);
        expect(await refusalOf(store.head(key))).toMatchObject(invalid);
        expect(await refusalOf(store.delete(key))).toMatchObject(invalid);
      });

      it.each(['/a', '../', 'a/../', 'ä'])('cannot begin like %j in a listing', async (prefix) => {
        expect(await refusalOf(keysUnder(prefix))).toMatchObject({ code: 'INVALID_INPUT' });
      });
    });

    it('refuses further use once closed', async () => {
      const other = await open();
      await other.close();
      expect(await refusalOf(other.get(`${folder}/a`))).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
      expect(await refusalOf(other.put(`${folder}/a`, bytes('x')))).toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
    });
  });
}
