/** Bounds what all processes of a sandbox hold together; the thread that does it is sandbox/memory-watch.mjs. */
import { Worker } from 'node:worker_threads';

const THREAD = new URL('../sandbox/memory-watch.mjs', import.meta.url);

export class MemoryWatch {
  private thread: Worker | null = null;
  private readonly watched = new Map<number, (bytes: number) => void>();

  /** Kills the sandbox of this process once it holds more than `bytes` in anonymous and shared memory, then says how much it held. */
  watch(pid: number, bytes: number, onExceeded: (held: number) => void): void {
    this.watched.set(pid, onExceeded);
    this.post({ watch: pid, bytes });
  }

  /** The process has ended; its number may be another's soon. */
  forget(pid: number): void {
    if (this.watched.delete(pid)) this.post({ forget: pid });
  }

  async close(): Promise<void> {
    await this.thread?.terminate();
  }

  private post(message: { watch?: number; bytes?: number; forget?: number }): void {
    if (this.thread === null) {
      this.thread = new Worker(THREAD);
      // It keeps no service alive.
      this.thread.unref();
      this.thread.on('message', ({ exceeded, bytes }: { exceeded: number; bytes: number }) =>
        this.watched.get(exceeded)?.(bytes),
      );
    }
    this.thread.postMessage(message);
  }
}
