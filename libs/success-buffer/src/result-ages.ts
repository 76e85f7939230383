/**
 * The results of one partition in the order of their records, with the groups that they belong to: what has grown old is found
 * at the front, however much is remembered.
 */
export class ResultAges<Owner> {
  private offsets: number[] = [];
  private owners: Owner[] = [];
  private taken = 0;

  /** Records come in their order, nearly always: one that does not finds its place from the end. */
  add(offset: number, owner: Owner): void {
    let at = this.offsets.length;
    while (at > this.taken && this.offsets[at - 1]! > offset) at--;
    if (at === this.offsets.length) {
      this.offsets.push(offset);
      this.owners.push(owner);
      return;
    }
    this.offsets.splice(at, 0, offset);
    this.owners.splice(at, 0, owner);
  }

  /** The owners of all results before an offset, which are then out of here; one for each result. */
  takeBefore(offset: number): readonly Owner[] {
    const from = this.taken;
    while (this.taken < this.offsets.length && this.offsets[this.taken]! < offset) this.taken++;
    const aged = this.owners.slice(from, this.taken);
    if (this.taken > this.offsets.length / 2) {
      this.offsets = this.offsets.slice(this.taken);
      this.owners = this.owners.slice(this.taken);
      this.taken = 0;
    }
    return aged;
  }
}
