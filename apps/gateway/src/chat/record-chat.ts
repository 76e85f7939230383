/** What the log holds of a request: written before the executor is asked, and before the last byte of its answer goes out. */
import { copyOf, type EncodedEvent, type EventOf, type ProblemCopy } from '@seamstream/events';
import type { EntrySchemas } from '@seamstream/experience';
import type { SentEvents } from '../sent-events.js';
import {
  answerRecorded,
  type Execution,
  type ExecutionFault,
  executionFailed,
  type Treatment,
} from './chat-events.decide.js';

/** A request that is in the log. */
export interface RecordedRequest {
  readonly published: EventOf<'ProblemPublished'>;
  /** As a generator copies it. */
  readonly copy: ProblemCopy;
}

export class ChatRecorder {
  constructor(
    private readonly events: Pick<SentEvents, 'send'>,
    private readonly schemaFor: EntrySchemas,
    /** As the generator has it, so that results say of their problem what experiences say. */
    private readonly inlineContentBytes: number,
  ) {}

  async request(asked: EventOf<'ProblemPublished'>): Promise<RecordedRequest> {
    const { event: published, places } = await this.events.send(asked);
    const [place] = places;
    return { published, copy: copyOf(published.problem, place!, this.inlineContentBytes) };
  }

  /** @param settlement of what the client used: in the log with the answer, or not at all */
  async answer(
    request: RecordedRequest,
    treatment: Treatment,
    execution: Execution,
    settlement: readonly EncodedEvent[],
  ): Promise<void> {
    const answer = answerRecorded({ ...request, treatment }, execution, this.schemaFor);
    await this.events.send(answer, settlement);
  }

  async failure(
    request: RecordedRequest,
    treatment: Treatment,
    fault: ExecutionFault,
    settlement: readonly EncodedEvent[],
  ): Promise<void> {
    await this.events.send(executionFailed({ ...request, treatment }, fault), settlement);
  }
}
