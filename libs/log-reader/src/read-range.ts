/** A stretch of one partition. */
export interface ReadRange {
  readonly topic: string;
  readonly partition: number;
  /** Inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}
