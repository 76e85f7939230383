/** What came to belong to a set and what no longer does; coming and going of the same thing cancel each other. */
export class Changes<Item> {
  private readonly came = new Set<Item>();
  private readonly went = new Set<Item>();

  get entered(): ReadonlySet<Item> {
    return this.came;
  }

  get left(): ReadonlySet<Item> {
    return this.went;
  }

  enter(item: Item): void {
    if (!this.went.delete(item)) this.came.add(item);
  }

  leave(item: Item): void {
    if (!this.came.delete(item)) this.went.add(item);
  }

  *all(): IterableIterator<Item> {
    yield* this.came;
    yield* this.went;
  }
}
