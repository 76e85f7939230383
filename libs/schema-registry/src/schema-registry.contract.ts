/** Every promise of the schema registry's port that needs no rule of compatibility. Subjects have fresh names. */
import { newId } from '@seamstream/kernel';
import type { SchemaRegistry } from './schema-registry.js';

const recordOf = (fields: readonly { readonly name: string; readonly type: string; readonly default?: unknown }[]) =>
  JSON.stringify({ type: 'record', name: 'Kept', namespace: 'seamstream.contract', fields });

/** Runs the suite against what `open` gives; it is called once. */
export function describeSchemaRegistryContract(name: string, open: () => Promise<SchemaRegistry>): void {
  describe(`${name} keeps the promises of the schema registry`, () => {
    let registry: SchemaRegistry;
    let subject: string;
    beforeAll(async () => {
      registry = await open();
    });
    beforeEach(() => {
      // A slash and a space, which have to be escaped in an address.
      subject = `contract/${newId()} -seamstream.contract.Kept`;
    });
    const first = recordOf([{ name: 'a', type: 'string' }]);
    const second = recordOf([
      { name: 'a', type: 'string' },
      { name: 'b', type: 'int', default: 0 },
    ]);

    it('gives a schema an id, and the same one when it is registered again', async () => {
      const id = await registry.register(subject, first);
      expect(id).toBeGreaterThanOrEqual(0);
      expect(await registry.register(subject, first)).toBe(id);
      expect(JSON.parse((await registry.schemaOf(id)) ?? '')).toEqual(JSON.parse(first));
    });

    it('gives one id to those who register the same schema at once', async () => {
      const ids = await Promise.all(Array.from({ length: 8 }, () => registry.register(subject, first)));
      expect(new Set(ids).size).toBe(1);
      expect(await registry.versions(subject)).toHaveLength(1);
    });

    it("lists a subject's schemas, oldest first", async () => {
      const ids = [await registry.register(subject, first), await registry.register(subject, second)];
      const versions = await registry.versions(subject);
      expect(versions.map(({ id }) => id)).toEqual(ids);
      expect(versions.map(({ schema }) => JSON.parse(schema) as unknown)).toEqual([
        JSON.parse(first),
        JSON.parse(second),
      ]);
    });

    it('knows no schema of an id that was never given, and none of an unknown subject', async () => {
      expect(await registry.schemaOf(2 ** 31 - 1)).toBeUndefined();
      expect(await registry.schemaOf(2 ** 32 - 1)).toBeUndefined();
      expect(await registry.versions(subject)).toEqual([]);
    });
  });
}
