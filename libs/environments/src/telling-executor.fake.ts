/** A double that answers with what it was trained on, as JSON, and says `frozen` where that is nothing. */
import { SeamError } from '@seamstream/kernel';
import { adaptedTo, FakeExecutor } from './executor-model.fake.js';
import type { AdaptationOptions, AdaptationRequest, ExecutorModel } from './executor-model.port.js';
import type { TrainableExecutor } from './trainable-executor.js';

export class TellingExecutor extends FakeExecutor implements TrainableExecutor {
  readonly trained: AdaptationRequest[] = [];
  /** Trainings wait for it. */
  until: Promise<unknown> = Promise.resolve();
  /** A training that runs can be ended. */
  hearsAborts = true;
  /** Each training waits for {@link finishOne}. */
  waits = false;
  /** Trainings that run now. */
  atOnce = 0;
  private readonly waiting: (() => void)[] = [];

  constructor() {
    super(() => 'frozen');
  }

  countTokens(text: string): number {
    return text.length;
  }

  async finishOne(): Promise<void> {
    this.waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async adapt(
    request: AdaptationRequest,
    { signal }: AdaptationOptions = {},
  ): ReturnType<NonNullable<ExecutorModel['adapt']>> {
    this.trained.push(request);
    this.atOnce++;
    const turn = this.waits ? new Promise<void>((resolve) => this.waiting.push(resolve)) : this.until;
    const aborted = new Promise((_, reject) =>
      signal?.addEventListener('abort', () => reject(new SeamError('ABORTED', 'Cannot finish: it was stopped.'))),
    );
    aborted.catch(() => undefined);
    await Promise.race(this.hearsAborts ? [turn, aborted] : [turn]).finally(() => this.atOnce--);
    const text = JSON.stringify(request.documents);
    return adaptedTo(new FakeExecutor(() => text), text);
  }
}
