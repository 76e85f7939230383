/** What the event log and its writer thread say to each other. Everything is plain data; errors travel as code and text. */
import type { TopicSpec } from '@seamstream/event-log';
import type { ErrorCode } from '@seamstream/kernel';
import type { MemberRow, MembershipChange } from './group-membership.js';
import type { TransactRequest } from './log-writer.js';

/** Given to the thread when it starts. */
export interface WriterStart {
  readonly folder: string;
  readonly mapSizeBytes: number;
}

export type WriterRequest =
  /** `lent`: memory of the blocks that is to come back with the answer. */
  | { readonly kind: 'transact'; readonly request: TransactRequest; readonly lent: readonly ArrayBuffer[] }
  | { readonly kind: 'createTopics'; readonly topics: readonly TopicSpec[] }
  | { readonly kind: 'claim'; readonly name: string; readonly memberId: string }
  | { readonly kind: 'release'; readonly name: string; readonly memberId: string; readonly generation: number }
  | { readonly kind: 'join'; readonly group: string; readonly memberId: string; readonly row: MemberRow }
  | {
      readonly kind: 'handBack';
      readonly memberId: string;
      readonly topic: string;
      readonly partition: number;
      readonly generation: number;
    }
  | { readonly kind: 'leave'; readonly memberId: string }
  | { readonly kind: 'close' };

/** A SeamError as plain data. */
export interface PlainError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export type WriterMessage =
  | { readonly kind: 'done'; readonly id: number; readonly result: unknown; readonly returned: readonly ArrayBuffer[] }
  | {
      readonly kind: 'failed';
      readonly id: number;
      readonly error: PlainError;
      readonly returned: readonly ArrayBuffer[];
    }
  | { readonly kind: 'membership'; readonly memberId: string; readonly change: MembershipChange }
  | { readonly kind: 'memberFailed'; readonly memberId: string; readonly error: PlainError };
