/** Events that the gateway appends, each with a span where its context is sampled: the event carries the span's context to its readers. */
import type { EventLog } from '@seamstream/event-log';
import { type EncodedEvent, encodeEvent, type SeamEvent, TOPIC_OF } from '@seamstream/events';
import { type Clock, isSeamError } from '@seamstream/kernel';
import { idAttribute, type OpenSpan, sampledContextOf, type Tracing } from '@seamstream/service-kit';

type Places = Awaited<ReturnType<EventLog['append']>>;

export class SentEvents {
  constructor(
    private readonly log: Pick<EventLog, 'append'>,
    private readonly clock: Clock,
    private readonly tracing: Tracing | undefined,
  ) {}

  /**
   * @param together records that are in the log with the event, or not at all
   * @returns the event as it is in the log, and where; its place is the first
   */
  async send<E extends SeamEvent>(
    event: E,
    together: readonly EncodedEvent[] = [],
  ): Promise<{ readonly event: E; readonly places: Places }> {
    const span = this.begin(event);
    if (span === undefined) return { event, places: await this.log.append([encodeEvent(event), ...together]) };
    const traced = { ...event, meta: { ...event.meta, traceparent: span.traceparent } };
    try {
      const places = await this.log.append([encodeEvent(traced), ...together]);
      span.end({ endMs: this.clock.now() });
      return { event: traced, places };
    } catch (error) {
      span.end({ endMs: this.clock.now(), error: isSeamError(error) ? error.code : 'INTERNAL' });
      throw error;
    }
  }

  private begin({ type, meta }: SeamEvent): OpenSpan | undefined {
    const { traceparent } = meta;
    if (this.tracing === undefined || typeof traceparent !== 'string' || sampledContextOf(traceparent) === undefined)
      return undefined;
    const topic = TOPIC_OF[type];
    return this.tracing.begin({
      ...{ name: `send ${topic}`, kind: 'producer', parent: traceparent, startMs: this.clock.now() },
      attributes: {
        'messaging.system': 'seamstream',
        'messaging.operation.type': 'send',
        'messaging.operation.name': 'send',
        'messaging.destination.name': topic,
        'seam.event.type': type,
        'seam.event.id': idAttribute(meta.messageId),
        'seam.correlation.id': idAttribute(meta.correlationId),
      },
      madeFrom: `sent/${meta.messageId}`,
    });
  }
}
