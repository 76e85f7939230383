/** What the log holds of a request: written before the executor is asked, and before the last byte of its answer goes out. */
import { copyOf, type EventOf, type ProblemCopy } from '@seamstream/events';
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

  async answer(request: RecordedRequest, treatment: Treatment, execution: Execution): Promise<void> {
    await this.events.send(answerRecorded({ ...request, treatment }, execution, this.schemaFor));
  }

  async failure(request: RecordedRequest, treatment: Treatment, fault: ExecutionFault): Promise<void> {
    await this.events.send(executionFailed({ ...request, treatment }, fault));
  }
}
