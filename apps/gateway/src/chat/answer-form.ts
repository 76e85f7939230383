/** How an answer looks to its client: in the words of the API that was asked. What is recorded does not depend on it. */
import type { ChatAnswer, ChatChunk, ErrorBody } from '@seamstream/gateway-contract';

export interface AnswerForm {
  /** The body of a whole answer. */
  whole(answer: ChatAnswer, problemId: string): unknown;
  stream(problemId: string): StreamForm;
}

/** Frames of server-sent events, of one answer. */
export interface StreamForm {
  /** None where a part shows only what was not asked for. */
  part(part: ChatChunk): readonly string[];
  /** What says that the answer is whole. */
  end(): readonly string[];
  /** A failure after the first byte: plain loops of clients take any other end for a good one. */
  failed(error: ErrorBody['error']): readonly string[];
}
