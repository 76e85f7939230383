/** Who writes self-edits: a model of this system with an adapter, or a teacher behind an endpoint. */
import type { ErrorCode } from '@seamstream/kernel';
import type { Passage, SelfEditKind } from './self-edit-kinds.js';

export interface EditSampling {
  /** 0 takes the most probable. */
  readonly temperature: number;
  readonly topP: number;
  /** Most tokens of an edit. */
  readonly maxTokens: number;
}

/** What a writer is, as far as it decides what is written: plain data, equal for writers that write alike. */
export interface EditWriterIdentity {
  /** How the model is asked and where: in this process, or the address of an endpoint. */
  readonly source: string;
  /** Digest of the weights, or the model's name at the endpoint. */
  readonly model: string;
  /** Of the adapter; null without one. */
  readonly adapter: string | null;
  /** Digest of what decides besides: the tokenizer and its template, further fields of requests. */
  readonly form: string;
}

export interface EditRequest {
  readonly kind: SelfEditKind;
  readonly passage: Passage;
  readonly sampling: EditSampling;
  /** Decides what is drawn, where the model draws by seeds. */
  readonly seed: string;
}

export interface FailedEdit {
  readonly status: 'failed';
  readonly code: ErrorCode;
  readonly reason: string;
  /** Whether another try may succeed. */
  readonly retryable: boolean;
  /** No other edit will be written either before a person acts. */
  readonly halts?: boolean;
}

export type EditOutcome = { readonly status: 'written'; readonly text: string } | FailedEdit;

export interface WritingOptions {
  /** Longest time for an edit, in milliseconds. Later ones have failed with DEADLINE_EXCEEDED or ENDPOINT_FAILED. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Is called once for each request, as soon as its outcome is known. */
  readonly onOutcome: (request: number, outcome: EditOutcome) => void;
}

export interface EditWriter {
  readonly identity: EditWriterIdentity;
  /** How many requests keep it busy. */
  readonly batch: number;
  /** Tokens of a text as the writer's model counts them; absent where only its server knows. */
  countTokens?(text: string): number;
  /** Tries each request once. @throws ABORTED by the signal; a failure is an outcome */
  write(requests: readonly EditRequest[], options: WritingOptions): Promise<void>;
  close(): Promise<void>;
}
