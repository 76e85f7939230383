/** Who brings a library on by replies: a server, or a checkpoint on this machine. */
import type { TokenCount } from '@seamstream/openai-endpoint';

export interface DistillationRequest {
  readonly stage: string;
  readonly prompt: string;
  /** What the reply has to be, as JSON Schema, for a model that can be held to one; absent for text. */
  readonly form?: Readonly<Record<string, unknown>>;
  /** 0 is greedy. */
  readonly temperature: number;
  readonly maxTokens: number;
  /** Decides what is drawn, where a server knows seeds. */
  readonly seed: string;
}

export interface DistillationAnswer extends TokenCount {
  /** Null where the model refused, or a filter cut it off. */
  readonly content: string | null;
  readonly isWhole: boolean;
  /** Its name at the server, or the digest of the checkpoint: what a price is declared for. */
  readonly model: string;
}

export interface DistillationSource {
  /**
   * Shows before anything is asked that replies of so many tokens can be had.
   * @throws INVALID_CONFIGURATION, CHECKPOINT_INVALID, UNSUPPORTED_MODEL
   */
  prepare(settings: { readonly maxTokens: number }): Promise<void>;

  /** What recorded replies cost. */
  addSpent(tokens: TokenCount): void;

  /**
   * @param onUnread is given answers that were paid and could not be read, each without a content
   * @throws BUDGET_SPENT and others that say why there is no reply; ABORTED
   */
  ask(
    request: DistillationRequest,
    signal?: AbortSignal,
    onUnread?: (answer: DistillationAnswer) => void,
  ): Promise<DistillationAnswer>;

  close(): Promise<void>;
}
