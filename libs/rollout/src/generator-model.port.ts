/** The model that writes entries, as a rollout needs it. A language model of the engine is one as it is. */
import type {
  Adapter,
  GenerationProgress,
  GenerationRequest,
  GenerationResult,
  SpelledText,
} from '@seamstream/language-model';
import type { JsonSchema } from '@seamstream/token-grammar';

/** Writes entries. */
export interface GeneratorModel {
  /** Digest of the base model's configuration and weights. */
  readonly digest: string;
  readonly config: { readonly maxPositions: number };
  readonly tokenizer: {
    readonly digest: string;
    encode(text: string): number[];
    /** A prompt in the model's chat template; absent where prompts are plain text. */
    encodePrompt?(text: string): number[];
    /** Text to be trained on, without a chat template; absent where it is encoded like any text. */
    encodeDocument?(text: string): number[];
    readonly chatTemplateDigest?: string;
    /** Spellings that control the model; broken in text from outside. */
    readonly controlTokens?: readonly string[];
    decode(ids: readonly number[]): string;
  };
  /**
   * Shows that it can write entries under these schemas within a budget of tokens; absent where nothing can be asked before.
   * @throws UNSUPPORTED_JSON_SCHEMA, INVALID_INPUT
   */
  assertWrites?(schemas: readonly JsonSchema[], maxTokens: number): Promise<void>;
  /**
   * A given text as it would have written it, for who trains it; absent where it is not trained. Undefined where the schema does not allow it.
   * @throws UNSUPPORTED_JSON_SCHEMA
   */
  spell?(text: string, schema?: JsonSchema): Promise<SpelledText | undefined>;
  generate(
    requests: readonly GenerationRequest[],
    options?: {
      readonly adapter?: Adapter;
      /** Ends what is under way, with ABORTED. */
      readonly signal?: AbortSignal;
      /** Receives the call's progress now and then; before it ends, what it has finished. */
      readonly onProgress?: (progress: GenerationProgress) => void;
    },
  ): Promise<readonly GenerationResult[]>;
}

/** The prompt as the model was trained to read one. */
export function encodePrompt({ tokenizer }: Pick<GeneratorModel, 'tokenizer'>, prompt: string): number[] {
  return tokenizer.encodePrompt?.(prompt) ?? tokenizer.encode(prompt);
}
