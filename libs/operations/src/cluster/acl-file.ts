/** Rights as data: infra/kafka/acls.json, or another file of its form. */
import type { Acl, AclOperation, AclResource } from '@seamstream/event-log-kafka';
import { messageOf, SeamError } from '@seamstream/kernel';
import { z } from 'zod';

/** The one that comes with the release. */
export const DEFAULT_ACL_FILE = new URL('../../../../infra/kafka/acls.json', import.meta.url);

const names = z.array(z.string().min(1));
const aclFile = z.strictObject({
  about: z.string().optional(),
  /** Topics that every principal may see: that they are there, not what they hold. */
  sees: names,
  principals: z
    .array(
      z.strictObject({
        principal: z.string().regex(/^User:.+$/, 'expected User: and a name'),
        reads: names,
        writes: names,
        groups: names,
        transactionalIds: names,
        /** Topics that it may make and whose settings it may see and change. */
        makes: names.default([]),
      }),
    )
    .min(1),
});

/** The wanted rights of a file's bytes, each once. INVALID_INPUT naming what is wrong. */
export function parseAclFile(path: string, bytes: Uint8Array): readonly Acl[] {
  let data: unknown;
  try {
    data = JSON.parse(Buffer.from(bytes).toString());
  } catch (cause) {
    throw new SeamError('INVALID_INPUT', `Cannot read ${path}: expected JSON, got: ${messageOf(cause)}.`, { cause });
  }
  const result = aclFile.safeParse(data);
  if (!result.success) throw new SeamError('INVALID_INPUT', `Cannot read ${path}: ${z.prettifyError(result.error)}`);
  const { sees, principals } = result.data;
  const twice = principals.find(
    ({ principal }, at) => principals.findIndex((each) => each.principal === principal) < at,
  );
  if (twice !== undefined)
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot read ${path}: expected each principal once, got ${JSON.stringify(twice.principal)} twice. Put its rights together.`,
    );
  return principals.flatMap(({ principal, reads, writes, groups, transactionalIds, makes }) => {
    const on = (resource: AclResource, of: readonly string[], ...operations: AclOperation[]): Acl[] =>
      of.flatMap((name) =>
        operations.map((operation) => ({
          principal,
          resource,
          ...(name.endsWith('*')
            ? { pattern: 'prefixed' as const, name: name.slice(0, -1) }
            : { pattern: 'literal' as const, name }),
          operation,
        })),
      );
    return [
      ...on('topic', sees, 'describe'),
      ...on('topic', reads, 'read'),
      ...on('topic', writes, 'write'),
      ...on('topic', makes, 'create', 'describeConfigs', 'alterConfigs'),
      ...on('group', groups, 'read'),
      // By DescribeTransactions an append waits until its records can be read.
      ...on('transactionalId', transactionalIds, 'write', 'describe'),
    ];
  });
}
