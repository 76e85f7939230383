/** The frozen executor as conversations are asked of it. */
import type { SessionModel } from '@seamstream/environments';
import type { ExecutorIdentity, Problem } from '@seamstream/events';
import type { ChatAnswer, ChatChunk, ChatRequest, ErrorBody } from '@seamstream/gateway-contract';
import type { ErrorCode } from '@seamstream/kernel';

export interface ConversationRequest {
  /** As the client sent it, without what is meant for Seamstream. */
  readonly request: ChatRequest;
  readonly problem: Problem;
  /** JSON text; null asks without one. */
  readonly entry: string | null;
  /** Of what is drawn, where the executor draws. */
  readonly seed: string;
  /** The model of the client's session, which only an executor in this process can have; null: the frozen one. */
  readonly model: SessionModel | null;
}

export type UpstreamAnswer =
  | { readonly kind: 'whole'; readonly answer: ChatAnswer }
  /** In their order, the usage with the last. Throws where they break off before the end. */
  | { readonly kind: 'parts'; readonly parts: AsyncIterable<ChatChunk> }
  /** The server answered with an error, which is the client's to read. */
  | {
      readonly kind: 'refused';
      /** For the client. */
      readonly status: number;
      /** As the server said it. */
      readonly serverStatus: number;
      /** About waiting and limits. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: ErrorBody;
      readonly code: ErrorCode;
    };

export abstract class Upstream {
  /** Names that requests may give as their model, the first is the executor's. */
  abstract readonly models: readonly string[];

  /** What answers record. @param fingerprint that the answer reported */
  abstract identityFor(request: ChatRequest, fingerprint: string | null): ExecutorIdentity;

  /**
   * @throws ABORTED by the signal; ENDPOINT_UNAVAILABLE, ENDPOINT_FAILED without an answer; INVALID_INPUT for what this executor cannot do
   */
  abstract ask(asked: ConversationRequest, signal: AbortSignal): Promise<UpstreamAnswer>;

  /** Another path of the API that is passed on as it is; undefined where the executor has none. */
  abstract passOn(path: string, body: string, signal: AbortSignal): Promise<PassedOn | undefined>;
}

export interface PassedOn {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}
