/** What a thread and its owner say to each other. */
import { type ErrorCode, isSeamError, messageOf } from '@seamstream/kernel';

/** `begin` starts a task, `next` asks for the next piece of one that answers in pieces, `drop` forgets the rest of it. */
export type Request =
  | { readonly kind: 'begin'; readonly task: string; readonly input: unknown; readonly outputBytes: number }
  | { readonly kind: 'next' }
  | { readonly kind: 'drop' };

/** Answers are serialised where they are made, so that their bytes are known before anybody reads them. */
export type Reply =
  | { readonly kind: 'ready'; readonly cpuMs: number }
  | { readonly kind: 'answer'; readonly bytes: Uint8Array; readonly cpuMs: number }
  | { readonly kind: 'piece'; readonly bytes: Uint8Array; readonly cpuMs: number }
  | { readonly kind: 'end'; readonly cpuMs: number }
  | { readonly kind: 'tooLong' }
  /** `isSpoilt`: something of the task may still be under way in the thread. */
  | { readonly kind: 'failed'; readonly error: PlainError; readonly isSpoilt: boolean; readonly cpuMs: number };

interface PlainError {
  /** Null for what is no SeamError. */
  readonly code: ErrorCode | null;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Longer messages hold what was read, not what was wrong. Characters. */
const MAX_MESSAGE = 2000;

export function plainError(error: unknown): PlainError {
  const message = messageOf(error).slice(0, MAX_MESSAGE);
  return isSeamError(error)
    ? { code: error.code, message, details: error.details }
    : { code: null, message, details: {} };
}
