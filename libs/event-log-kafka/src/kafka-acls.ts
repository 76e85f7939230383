/** A cluster's rights: reading, giving and taking them. The caller needs Describe and Alter on the cluster. */
import type { Acl, AclOperation, AclResource } from './acl-plan.js';
import type { AclEntry } from './broker-protocol.port.js';
import type { KafkaConnection } from './kafka-connection.js';

/** org.apache.kafka.common.resource.ResourceType, PatternType; org.apache.kafka.common.acl.AclOperation, AclPermissionType: their codes. */
const RESOURCES: Readonly<Record<AclResource, number>> = { topic: 2, group: 3, cluster: 4, transactionalId: 5 };
const PATTERNS: Readonly<Record<'literal' | 'prefixed', number>> = { literal: 3, prefixed: 4 };
const OPERATIONS: Readonly<Record<Exclude<AclOperation, 'other'>, number>> = {
  all: 2,
  read: 3,
  write: 4,
  create: 5,
  delete: 6,
  alter: 7,
  describe: 8,
  clusterAction: 9,
  describeConfigs: 10,
  alterConfigs: 11,
  idempotentWrite: 12,
};
const ALLOW = 3;
const ANY_HOST = '*';

function nameOf<T extends string>(codes: Readonly<Record<T, number>>, code: number): T | 'other' {
  return (Object.keys(codes) as T[]).find((name) => codes[name] === code) ?? 'other';
}

/** All rights that the cluster gives, from any host. What it forbids, and rights of some hosts only, are not among them. */
export async function describeAcls(connection: KafkaConnection): Promise<Acl[]> {
  const entries = await connection.attempt('describe rights', async () => (await connection.controller()).acls());
  return entries
    .filter(({ permissionType, host }) => permissionType === ALLOW && host === ANY_HOST)
    .map(({ principal, resourceType, patternType, resourceName, operation }) => ({
      principal,
      resource: nameOf(RESOURCES, resourceType),
      pattern: nameOf(PATTERNS, patternType),
      name: resourceName,
      operation: nameOf(OPERATIONS, operation),
    }));
}

/** Gives rights, from any host; one that is given already stays. */
export async function giveAcls(connection: KafkaConnection, acls: readonly Acl[]): Promise<void> {
  if (acls.length === 0) return;
  await connection.attempt('give rights', async () => (await connection.controller()).createAcls(acls.map(encoded)));
}

/** Takes exactly these rights. */
export async function takeAcls(connection: KafkaConnection, acls: readonly Acl[]): Promise<void> {
  const known = acls.filter(
    ({ resource, pattern, operation }) => resource !== 'other' && pattern !== 'other' && operation !== 'other',
  );
  if (known.length === 0) return;
  await connection.attempt('take rights', async () => (await connection.controller()).deleteAcls(known.map(encoded)));
}

function encoded({ principal, resource, pattern, name, operation }: Acl): AclEntry {
  return {
    resourceType: RESOURCES[resource as AclResource],
    resourceName: name,
    patternType: PATTERNS[pattern as 'literal' | 'prefixed'],
    principal,
    host: ANY_HOST,
    operation: OPERATIONS[operation as Exclude<AclOperation, 'other'>],
    permissionType: ALLOW,
  };
}
