/** What has to change so that principals may do what is wanted and nothing else. Pure. */
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
  /** `surplus`: nobody wants it. */
  readonly what: 'missing' | 'surplus';
}

/** Everybody who is known to the cluster, whoever that is. */
const ANYBODY = 'User:*';

/**
 * Rights that are wanted and missing, then those that one of the wanted principals, or anybody, has beyond them. The cluster's
 * other principals are nobody's business.
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
