/** Asks a group's consumer, with a deadline, and watches how far it has come. */
import { SeamError } from '@seamstream/kernel';
import { type DeadlineFinding, judgeLateRecord, speedOf } from './deadline-finding.js';
import type { BatchConsumer, BatchProgress, DeliveredBatch } from './delivery.js';
import type { HandlerResult } from './handler-result.js';
import { HungConsumer } from './subscription-end.js';
import type { WorkerOptions } from './worker-options.js';

/**
 * How long a consumer may take to heed the deadline's signal before it counts as hung. A model ends between two tokens, and with a
 * long deadline a token may take long.
 */
const HEED_WITHIN_MS = 1_000;
const HEED_SHARE_OF_DEADLINE = 0.1;

/** The consumer heeded the signal that its time is over. */
class LateConsumer extends SeamError {
  constructor(
    message: string,
    readonly finding: DeadlineFinding,
  ) {
    super('DEADLINE_EXCEEDED', message);
  }
}

export class TimedConsumer {
  /** Records that were late by themselves since the last one that was done in time; and whether one ever was. */
  private lateInARow = 0;
  private wasInTime = false;

  constructor(
    private readonly options: Pick<WorkerOptions, 'group' | 'deadlineMs' | 'observer' | 'pace' | 'clock'>,
    private readonly consumer: BatchConsumer,
  ) {}

  /**
   * One answer per record.
   * @throws {@link LateConsumer} when the consumer ends at the signal of its deadline; {@link HungConsumer} when it does not
   */
  async ask(delivered: DeliveredBatch): Promise<readonly HandlerResult[]> {
    const answer = await this.answerInTime(delivered);
    const { length } = delivered.records;
    const answers = isOutcome(answer) ? answersForAll(answer, length) : answer;
    if (answers.length !== length) {
      throw new SeamError(
        'INTERNAL',
        `Cannot consume ${delivered.topic} as ${this.options.group}: expected one answer for the batch or one per record (${length}), got ${answers.length}. Correct the consumer.`,
      );
    }
    this.wasInTime = true;
    this.lateInARow = 0;
    return answers;
  }

  /**
   * Whether a late record shows that the deadline is too short, not that the record is at fault.
   * @param isFirstTime of this record; it is counted once
   */
  isDeadlineTooShort(error: unknown, isFirstTime: boolean): boolean {
    if (isFirstTime) this.lateInARow++;
    // Where others were done in time the record may be longer than all of them, until a second one is late as well.
    return error instanceof LateConsumer && error.finding.isTooShort && (!this.wasInTime || this.lateInARow > 1);
  }

  private async answerInTime(delivered: DeliveredBatch): ReturnType<BatchConsumer> {
    const { deadlineMs, group, observer } = this.options;
    const watched = this.watched(delivered);
    if (deadlineMs === undefined) {
      return this.consumer(watched.batch).finally(() => observer.underWay(null));
    }
    const { topic, partition, records, firstOffset, nextOffset } = delivered;
    const late = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const hung = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        const what = `Consuming ${topic}/${partition} from ${firstOffset} as ${group}: no answer for ${records.length} records within ${deadlineMs} ms`;
        const finding = judgeLateRecord(watched.speed(), deadlineMs);
        late.abort(new LateConsumer(`${what}. ${finding.advice}`, finding));
        timer = setTimeout(
          () =>
            reject(
              new HungConsumer(
                `${what}, and its signal was ignored. The service has to end and be started again: nothing else ends what hangs.`,
                firstOffset,
                nextOffset,
              ),
            ),
          Math.max(HEED_WITHIN_MS, HEED_SHARE_OF_DEADLINE * deadlineMs),
        );
      }, deadlineMs);
    });
    const answer = this.consumer({ ...watched.batch, signal: AbortSignal.any([delivered.signal, late.signal]) });
    try {
      return await Promise.race([answer, hung]);
    } catch (error) {
      if (error instanceof HungConsumer || !late.signal.aborted || delivered.signal.aborted) throw error;
      throw late.signal.reason;
    } finally {
      clearTimeout(timer);
      observer.underWay(null);
      answer.catch(() => undefined); // after its deadline no caller waits for it
    }
  }

  /** The batch, whose reports are passed on, and what they say of the speed. */
  private watched(delivered: DeliveredBatch): {
    readonly batch: DeliveredBatch;
    readonly speed: () => ReturnType<typeof speedOf>;
  } {
    const { deadlineMs = null, observer, pace, clock } = this.options;
    const startedMs = clock.now();
    const reports: { readonly atMs: number; readonly progress: BatchProgress }[] = [];
    const { length: records } = delivered.records;
    return {
      batch: {
        ...delivered,
        report: (progress) => {
          const elapsedMs = clock.now() - startedMs;
          // The first report with tokens, and the last: the speed between them is that of writing, without the reading of prompts.
          if (reports.length > 1) reports.pop();
          if (progress.tokens > 0) reports.push({ atMs: elapsedMs, progress });
          const speed = speedOf(reports);
          const perRecordMs = pace?.msPerRecord ?? speed?.msPerRecord;
          observer.underWay({
            partition: delivered.partition,
            records,
            ready: progress.records,
            tokens: progress.tokens,
            tokensPerSecond: speed?.tokensPerSecond ?? null,
            elapsedMs,
            remainingMs: perRecordMs === undefined ? null : Math.max(0, perRecordMs * records - elapsedMs),
            deadlineMs,
          });
        },
      },
      speed: () => speedOf(reports),
    };
  }
}

function isOutcome(answer: HandlerResult | readonly HandlerResult[]): answer is HandlerResult {
  return !Array.isArray(answer);
}

/** A `retry` for a whole batch names no record. It is handled like a failure of the batch. */
function answersForAll(answer: HandlerResult, count: number): readonly HandlerResult[] {
  if (answer.kind === 'retry' && count > 1) throw new SeamError(answer.code, answer.reason);
  return Array.from({ length: count }, (_, index) =>
    answer.kind === 'done' && index < count - 1 ? { kind: 'done', events: [] } : answer,
  );
}
