/** Work that a comparison may do, in steps and not in time: the same pair of texts costs the same everywhere, so does the verdict. */

/** Thrown where a comparison has used up its steps. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

/**
 * Why an expression has no value at a point. `undefined`: it has none (1/0). `undetermined`: its bounds are too wide to tell, more digits
 * may help. `size`: it is larger or needs more digits than is followed.
 */
export class NoValue extends Error {
  override readonly name = 'NoValue';
  constructor(readonly reason: 'undefined' | 'undetermined' | 'size') {
    super(reason);
  }
}

/** Counts steps down. One step takes about 20 ns. */
export class Meter {
  constructor(private left: number) {}

  /** @throws TooCostly */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooCostly('more steps than a comparison may take');
  }
}
