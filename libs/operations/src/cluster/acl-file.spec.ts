import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Acl } from '@seamstream/event-log-kafka';
import { TOPIC, TOPICS } from '@seamstream/events';
import { DEFAULT_ACL_FILE, parseAclFile } from './acl-file.js';

const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
const shipped = async (): Promise<readonly Acl[]> =>
  parseAclFile('acls.json', await readFile(fileURLToPath(DEFAULT_ACL_FILE)));

const covers = (acl: Acl, name: string): boolean =>
  acl.pattern === 'prefixed' ? name.startsWith(acl.name) : name === acl.name;

describe('the file of rights that the project ships', () => {
  const writersOf = (acls: readonly Acl[], topic: string): string[] =>
    acls
      .filter((acl) => acl.resource === 'topic' && acl.operation === 'write' && covers(acl, topic))
      .map(({ principal }) => principal.replace('User:seam-', ''))
      .sort();

  it('lets a topic be written by its service and the operator alone', async () => {
    const acls = await shipped();
    const writers = Object.fromEntries(TOPICS.map(({ name }) => [name, writersOf(acls, name)]));
    expect(writers).toEqual({
      [TOPIC.problems]: ['gateway', 'operator', 'publisher'],
      [TOPIC.experiences]: ['generator', 'operator'],
      // A generator says of a problem that it came too late.
      [TOPIC.outcomes]: ['executor', 'gateway', 'generator', 'operator'],
      [TOPIC.answers]: ['executor', 'gateway', 'operator'],
      [TOPIC.feedback]: ['gateway', 'judge', 'operator'],
      [TOPIC.access]: ['operator'],
      [TOPIC.usage]: ['gateway', 'operator'],
      [TOPIC.buffer]: ['buffer', 'operator'],
      [TOPIC.training]: ['operator', 'trainer'],
      [TOPIC.teams]: ['operator', 'trainer'],
      [TOPIC.adapters]: ['operator', 'trainer'],
      [TOPIC.deadLetters]: ['buffer', 'executor', 'generator', 'operator', 'trainer'],
    });
  });

  it('gives no service a transaction or a group of another, and no principal all operations', async () => {
    const acls = await shipped();
    const services = ['generator', 'executor', 'buffer', 'trainer'];
    for (const service of services) {
      const id = `seam.${service}.seam.problems.0`;
      const may = (resource: string, name: string): string[] =>
        [...new Set(acls.filter((acl) => acl.resource === resource && covers(acl, name)).map((acl) => acl.principal))]
          .map((principal) => principal.replace('User:seam-', ''))
          .sort();
      expect(may('transactionalId', id)).toEqual([service]);
      expect(may('group', `seam.${service}`)).toEqual([service, 'operator'].sort());
      expect(may('transactionalId', `append.seam-${service}.x`)).toEqual([service, 'operator'].sort());
    }
    expect(acls.filter(({ operation }) => operation === 'all' || operation === 'delete')).toEqual([]);
    expect(acls.filter(({ principal }) => principal === 'User:*')).toEqual([]);
  });
});

describe('a file of rights', () => {
  const one = { principal: 'User:a', reads: ['t*'], writes: [], groups: ['g'], transactionalIds: [] };

  it('says what each name stands for', () => {
    expect(parseAclFile('f', bytes({ sees: ['s'], principals: [one] }))).toEqual([
      { principal: 'User:a', resource: 'topic', pattern: 'literal', name: 's', operation: 'describe' },
      { principal: 'User:a', resource: 'topic', pattern: 'prefixed', name: 't', operation: 'read' },
      { principal: 'User:a', resource: 'group', pattern: 'literal', name: 'g', operation: 'read' },
    ]);
  });

  it.each([
    [{ sees: [], principals: [] }, 'principals'],
    [{ sees: [], principals: [{ ...one, principal: 'a' }] }, 'User:'],
    [{ sees: [], principals: [{ ...one, owns: ['t'] }] }, 'owns'],
    [{ sees: [], principals: [one, one] }, 'twice'],
  ])('is refused when it says %j', (file, fault) => {
    expect(() => parseAclFile('f.json', bytes(file))).toThrow(fault);
  });
});
