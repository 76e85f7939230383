import type { Acl, AclDifference } from '@seamstream/event-log-kafka';

/** What a command does with a cluster's rights. Names are without the log's prefix when wanted, with it in differences. */
export interface AclsDoor {
  compareAcls(wanted: readonly Acl[]): Promise<readonly AclDifference[]>;
  /** Gives what is missing and, if `revoke`, takes what is surplus; answers what was found before. */
  applyAcls(wanted: readonly Acl[], options: { readonly revoke: boolean }): Promise<readonly AclDifference[]>;
}
