/** A process of a simulated cluster that is started again whenever it ends. */
import { isSeamError, messageOf } from '@seamstream/kernel';
import type { RunningService } from '@seamstream/service-kit';
import { SESSION_MS, type SimulatedProcess } from './simulated-process.js';

/** One of the processes that should be there, whichever it is at the moment. */
export class Place {
  process: SimulatedProcess | undefined;
  service: RunningService | undefined;
  private killed: () => void = () => undefined;

  constructor(
    readonly name: string,
    private readonly start: (process: SimulatedProcess) => Promise<RunningService>,
    private readonly newProcess: (name: string) => SimulatedProcess,
  ) {}

  /** Starts one process after the other until it is aborted. */
  async keep(world: {
    readonly isOver: () => boolean;
    readonly sleep: (ms: number) => Promise<void>;
    readonly ended: string[];
  }): Promise<void> {
    for (let life = 0; !world.isOver(); life++) {
      const process = this.newProcess(`${this.name}.${life}`);
      this.process = process;
      const death = new Promise<void>((resolve) => {
        this.killed = resolve;
      });
      const lived = (async () => {
        this.service = undefined;
        const service = await this.start(process);
        this.service = service;
        if (world.isOver()) void service.close();
        try {
          await service.ended;
        } finally {
          await service.close();
        }
      })().catch((error: unknown) => {
        // What cannot reach log or store when it starts says so and ends, and is started again.
        const isOutage = isSeamError(error, 'LOG_UNAVAILABLE') || isSeamError(error, 'OBJECT_STORE_UNAVAILABLE');
        if (this.process !== process || (this.service === undefined && isOutage)) return;
        world.ended.push(`${process.name}: ${isSeamError(error) ? error.code : 'unforeseen'}: ${messageOf(error)}`);
      });
      await Promise.race([lived, death]);
      // One that ends while it starts exits without leaving its groups.
      if (this.process === process && this.service === undefined) void process.kill(SESSION_MS);
      this.service = undefined;
      await world.sleep(500);
    }
  }

  kill(): void {
    if (this.process === undefined) return;
    void this.process.kill(SESSION_MS);
    this.service = undefined;
    this.process = undefined;
    this.killed();
  }
}
