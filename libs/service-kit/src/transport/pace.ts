/**
 * How fast a group's records are worked on, and how many may be begun now so that they end well before their deadline.
 *
 * The speed is that of all batches together: records that were done, divided by the time in which any were under way. Older ones
 * count less and less. Before the first record is done nothing is known, and one is admitted alone. Records wait, before their
 * deadline begins, if they are estimated to take longer than half of the deadline together with what is under way. So an estimate
 * may be wrong by a factor of two. A record that is late nevertheless is delivered again alone, and then has all of the speed. Only
 * then does it show whether its deadline is too short.
 */

/** Share of the deadline within which records that are begun together should be done. */
const SHARE_OF_DEADLINE = 0.5;
/** What one more measurement leaves of the weight of those before. */
const REMEMBERED = 0.8;

export interface Admission {
  /** Records that may be begun, 1 to as many as were asked for. */
  readonly count: number;
  /** Whether others were under way at any time meanwhile, with which they shared the speed. */
  readonly wasShared: boolean;
  /**
   * Must be called when they are done, or given up.
   * @param done of them; 0 where none was
   */
  leave(done: number): void;
}

interface Waiting {
  readonly wanted: number;
  readonly alone: boolean;
  readonly enter: (admission: Admission) => void;
}

export class Pace {
  private readonly queue: Waiting[] = [];
  private underWay = 0;
  /** What is under way. Each is marked as shared when another begins. */
  private readonly admitted = new Set<{ wasShared: boolean }>();
  private isClosed = false;
  private busySinceMs = 0;
  /** Sums in which older measurements fade: milliseconds, and records done in them. */
  private tookMs = 0;
  private done = 0;

  /** @param nowMs milliseconds of any clock that does not go back */
  constructor(
    private readonly deadlineMs: number,
    private readonly nowMs: () => number,
  ) {}

  /** Milliseconds per record, at the speed that all batches under way share; undefined before the first is done. */
  get msPerRecord(): number | undefined {
    return this.done === 0 ? undefined : this.tookMs / this.done;
  }

  /**
   * Waits until some of the records may be begun. First come, first served.
   * @param alone one record, while nothing else is under way
   * @returns undefined where the signal ended the wait
   */
  admit(wanted: number, alone: boolean, signal: AbortSignal): Promise<Admission | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.queue.splice(this.queue.indexOf(waiting), 1);
        resolve(undefined);
        this.letIn();
      };
      const waiting: Waiting = {
        wanted,
        alone,
        enter: (admission) => {
          signal.removeEventListener('abort', giveUp);
          resolve(admission);
        },
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.push(waiting);
      this.letIn();
    });
  }

  private letIn(): void {
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      const count = this.room(next);
      if (count === 0) return;
      this.queue.shift();
      next.enter(this.begin(count, next.alone));
    }
  }

  /** Records that may be begun now, in addition to those under way. */
  private room({ wanted, alone }: Waiting): number {
    if (this.underWay === 0) return alone ? 1 : Math.max(1, Math.min(wanted, this.fitting()));
    if (alone || this.isClosed) return 0;
    return Math.max(0, Math.min(wanted, this.fitting() - this.underWay));
  }

  private fitting(): number {
    const { msPerRecord } = this;
    return msPerRecord === undefined ? 1 : Math.floor((SHARE_OF_DEADLINE * this.deadlineMs) / msPerRecord);
  }

  private begin(count: number, alone: boolean): Admission {
    if (this.underWay === 0) this.busySinceMs = this.nowMs();
    this.underWay += count;
    if (alone) this.isClosed = true;
    const admitted = { wasShared: this.admitted.size > 0 };
    for (const other of this.admitted) other.wasShared = true;
    this.admitted.add(admitted);
    return {
      count,
      get wasShared() {
        return admitted.wasShared;
      },
      leave: (done) => {
        const nowMs = this.nowMs();
        this.tookMs = REMEMBERED * this.tookMs + (nowMs - this.busySinceMs);
        this.done = REMEMBERED * this.done + done;
        // From here on only what is still under way is measured.
        this.busySinceMs = nowMs;
        this.underWay -= count;
        this.admitted.delete(admitted);
        if (alone) this.isClosed = false;
        this.letIn();
      },
    };
  }
}
