/** Many may be inside side by side, or one alone; who wants to be alone comes before whoever arrives later. */
export class Turnstile {
  private inside = 0;
  private isClosed = false;
  private readonly queue: { readonly alone: boolean; readonly enter: () => void }[] = [];

  shared<T>(act: () => Promise<T>): Promise<T> {
    return this.pass(false, act);
  }

  /** Waits until nobody else is inside. */
  alone<T>(act: () => Promise<T>): Promise<T> {
    return this.pass(true, act);
  }

  private async pass<T>(alone: boolean, act: () => Promise<T>): Promise<T> {
    if (this.queue.length > 0 || !this.hasRoom(alone)) {
      await new Promise<void>((enter) => this.queue.push({ alone, enter }));
    } else this.take(alone);
    try {
      return await act();
    } finally {
      this.inside--;
      if (alone) this.isClosed = false;
      for (let next = this.queue[0]; next !== undefined && this.hasRoom(next.alone); next = this.queue[0]) {
        this.queue.shift();
        this.take(next.alone);
        next.enter();
      }
    }
  }

  private hasRoom(alone: boolean): boolean {
    return !this.isClosed && (!alone || this.inside === 0);
  }

  private take(alone: boolean): void {
    this.inside++;
    if (alone) this.isClosed = true;
  }
}
