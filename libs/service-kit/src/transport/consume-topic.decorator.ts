import { applyDecorators, Catch, type ExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import type { TopicName } from '@seamstream/events';
import { type Observable, throwError } from 'rxjs';
import type { AnswersIn } from './answers-in.js';

/** How a controller method consumes a topic. */
export interface TopicConsumption {
  readonly topic: TopicName;
  /** The consumer group; its committed offsets are the service's place in the log. One method per group. */
  readonly group: string;
  /** Most records of a batch; the service's configuration may say otherwise. */
  readonly maxBatchRecords: number;
  /** Partitions worked on concurrently; all of them when absent. */
  readonly maxConcurrentPartitions?: number;
  /** `whole`: one instance works on all partitions, the others stand by. For work whose state spans all partitions. */
  readonly sharing?: 'spread' | 'whole';
  /**
   * Where the answers are. A record that has its answer there is skipped: it was written twice, or is delivered again because the
   * group's offsets were lost. Absent: every record is worked on.
   */
  readonly answersIn?: AnswersIn;
  /**
   * For work that may take much of the deadline for one record, such as a model's: only so many records are begun as are
   * estimated to end in time at the measured speed (pace.ts).
   */
  readonly isPaced?: boolean;
  /** Number of this group among several such groups, by which the instances share them. */
  readonly turn?: number;
}

/** Errors of a consumer reach the transport as they are; NestJS would replace them by "Internal server error". */
@Catch()
class PassThroughFilter implements ExceptionFilter {
  catch(exception: unknown): Observable<never> {
    return throwError(() => exception);
  }
}

/**
 * The decorated controller method is a {@link BatchConsumer}: it receives batches of decoded records and answers with one
 * outcome, or one per record.
 */
export function ConsumeTopic(consumption: TopicConsumption): MethodDecorator {
  return applyDecorators(
    EventPattern(`${consumption.group}@${consumption.topic}`, { consumption }) as MethodDecorator,
    UseFilters(PassThroughFilter),
  );
}
