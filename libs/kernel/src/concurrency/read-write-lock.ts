/** A read-write lock with writer preference: many readers at once or one writer, and a waiting writer comes before later readers. */
export class ReadWriteLock {
  private inside = 0;
  private isWriting = false;
  private readonly queue: { readonly writes: boolean; readonly enter: () => void }[] = [];

  /** Runs the action alongside other readers. @throws any error of the action */
  read<T>(action: () => Promise<T>): Promise<T> {
    return this.pass(false, action);
  }

  /** Runs the action once no other caller is inside. @throws any error of the action */
  write<T>(action: () => Promise<T>): Promise<T> {
    return this.pass(true, action);
  }

  private async pass<T>(writes: boolean, action: () => Promise<T>): Promise<T> {
    if (this.queue.length > 0 || !this.hasRoom(writes)) {
      await new Promise<void>((enter) => this.queue.push({ writes, enter }));
    } else this.take(writes);
    try {
      return await action();
    } finally {
      this.inside--;
      if (writes) this.isWriting = false;
      for (let next = this.queue[0]; next !== undefined && this.hasRoom(next.writes); next = this.queue[0]) {
        this.queue.shift();
        this.take(next.writes);
        next.enter();
      }
    }
  }

  private hasRoom(writes: boolean): boolean {
    return !this.isWriting && (!writes || this.inside === 0);
  }

  private take(writes: boolean): void {
    this.inside++;
    if (writes) this.isWriting = true;
  }
}
