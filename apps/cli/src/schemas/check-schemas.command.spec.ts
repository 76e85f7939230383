import { encodeEvent, eventSchemas, TOPIC } from '@seamstream/events';
import { InMemorySchemaRegistry } from '@seamstream/schema-registry';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const record = encodeEvent(EXAMPLE_EVENTS.ProblemExpired);
/** The same record as a version would write it that has another schema. */
const newer = { ...record, value: Buffer.concat([Buffer.from('c3010123456789abcdef', 'hex'), record.value.slice(10)]) };
const damaged = { ...record, value: Buffer.from('no event') };

const withRecords = async (...records: (typeof record)[]): Promise<FakeWorld> => {
  const world = await fakeWorld();
  await world.log.append(records);
  return world;
};

describe('seam schemas check', () => {
  it('passes where this version reads all records, damaged ones aside', async () => {
    const world = await withRecords(record, damaged);
    expect(await world.seam('schemas', 'check')).toBe(0);
    expect(world.takeOutput()).toBe('This version reads everything. Looked at 2 records.\n');
  });

  it('refuses a log that a newer version has written to, and says what to do', async () => {
    const world = await withRecords(record, newer, newer);
    expect(await world.seam('schemas', 'check')).toBe(1);
    const said = world.takeOutput();
    expect(said).toContain(`${record.topic}  2 records cannot be read. The first: Cannot read ${record.topic}`);
    expect(said).toContain('0123456789abcdef');
    expect(said).toContain('Install a version that is at least as new');
  });

  it('looks at the newest records of each partition, since a newer version writes at the end', async () => {
    const world = await withRecords(newer, record, record);
    expect(await world.seam('schemas', 'check', '--newest', '2')).toBe(0);
    expect(await world.seam('schemas', 'check', '--newest', '3')).toBe(1);
  });

  it('looks at every version of the subjects of these topics in the registry', async () => {
    const world = await fakeWorld();
    const registry = new InMemorySchemaRegistry();
    world.registry = registry;
    const { fullName, schema } = eventSchemas().find(({ topic }) => topic === TOPIC.problems)!;
    const subject = `x.${TOPIC.problems}-${fullName}`;
    await registry.register(subject, schema);
    expect(await world.seam('schemas', 'check', '--json')).toBe(0);
    expect(world.takeJson()).toEqual([{ records: 0, versions: 1, findings: [] }]);
    const [namespace, name] = fullName.split('.');
    await registry.register(subject, JSON.stringify({ type: 'record', name, namespace, fields: [] }));
    expect(await world.seam('schemas', 'check', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([{ versions: 2, findings: [{ place: subject, records: null }] }]);
  });
});
