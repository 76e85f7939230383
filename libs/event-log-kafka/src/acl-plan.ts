/** The changes after which principals have the wanted rights and no others. Pure. */
import { canonicalJson } from '@seamstream/kernel';

export type AclResource = 'topic' | 'group' | 'transactionalId' | 'cluster';
export type AclOperation =
  | 'all'
  | 'read'
  | 'write'
  | 'create'
  | 'delete'
  | 'alter'
  | 'describe'
  | 'clusterAction'
  | 'describeConfigs'
  | 'alterConfigs'
  | 'idempotentWrite'
  | 'other';

/** A right: who may do what on which resources. */
export interface Acl {
  /** As the cluster knows it: `User:name`, or `User:CN=…` of a certificate. */
  readonly principal: string;
  readonly resource: AclResource | 'other';
  readonly pattern: 'literal' | 'prefixed' | 'other';
  /** Of the resource, or how its name begins. */
  readonly name: string;
  readonly operation: AclOperation;
}

export interface AclDifference {
  readonly acl: Acl;
  /** `surplus`: it is not wanted. */
  readonly what: 'missing' | 'surplus';
}

/** Every principal that the cluster knows. */
const ANYBODY = 'User:*';

/**
 * Rights that are wanted and missing, then those that one of the wanted principals, or anybody, has beyond them. Other principals
 * of the cluster are not compared.
 */
export function compareAcls(wanted: readonly Acl[], existing: readonly Acl[]): AclDifference[] {
  const principals = new Set([ANYBODY, ...wanted.map(({ principal }) => principal)]);
  const present = new Set(existing.map((acl) => canonicalJson({ ...acl })));
  const meant = new Set(wanted.map((acl) => canonicalJson({ ...acl })));
  return [
    ...wanted
      .filter((acl) => !present.has(canonicalJson({ ...acl })))
      .map((acl): AclDifference => ({ acl, what: 'missing' })),
    ...existing
      .filter((acl) => principals.has(acl.principal) && !meant.has(canonicalJson({ ...acl })))
      .map((acl): AclDifference => ({ acl, what: 'surplus' })),
  ];
}
