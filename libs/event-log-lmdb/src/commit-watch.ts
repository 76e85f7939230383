/**
 * Wakes waiting readers when there may be something new. Commits of this process are announced; those of other processes
 * are noticed by looking at the log's commit number: every few milliseconds while things happen, less often while nothing
 * does. The timer runs only while someone listens, and keeps the process alive for them.
 */

/** While commits arrive, and the longest wait when none do. Milliseconds. */
const BUSY_POLL_MS = 4;
const IDLE_POLL_MS = 50;

/** Watches of logs in this process, so that several logs on one folder wake each other at once. */
const watches = new Map<string, Set<CommitWatch>>();

export class CommitWatch {
  private readonly listeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private waitMs = BUSY_POLL_MS;
  private seen = -1;

  constructor(
    private readonly folder: string,
    private readonly lastCommit: () => number,
  ) {
    const siblings = watches.get(folder) ?? new Set();
    watches.set(folder, siblings.add(this));
  }

  /** Calls the listener after commits, at least once after each; returns how to stop. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    this.schedule();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) clearTimeout(this.timer);
      if (this.listeners.size === 0) this.timer = undefined;
    };
  }

  /** A commit of this process. */
  announce(): void {
    for (const watch of watches.get(this.folder) ?? []) watch.notify();
  }

  close(): void {
    clearTimeout(this.timer);
    this.listeners.clear();
    watches.get(this.folder)?.delete(this);
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }

  private schedule(): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => this.poll(), this.waitMs);
  }

  private poll(): void {
    this.timer = undefined;
    const commit = this.lastCommit();
    this.waitMs = commit === this.seen ? Math.min(IDLE_POLL_MS, this.waitMs * 1.1) : BUSY_POLL_MS;
    if (commit !== this.seen) {
      this.seen = commit;
      this.notify();
    }
    if (this.listeners.size > 0) this.schedule();
  }
}
