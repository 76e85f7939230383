/** What a thread that reads Parquet is asked, and what it answers. */

/** The file's end, from the first byte of its metadata on. */
export interface PlanRequest {
  readonly footer: ArrayBuffer;
  /** Top-level columns; all where absent. */
  readonly columns: readonly string[] | undefined;
}

export interface GroupRange {
  readonly rows: number;
  /** Start and end of the bytes of each column, as the file says. */
  readonly ranges: readonly (readonly [number, number])[];
}

export interface ParquetPlan {
  /** Those of the asked columns that the file has; all where absent. */
  readonly wanted: readonly string[] | undefined;
  readonly groups: readonly GroupRange[];
}

/** Answered in pieces: lists of rows. */
export interface RowsRequest {
  readonly footer: ArrayBuffer;
  readonly byteLength: number;
  readonly wanted: readonly string[] | undefined;
  readonly rowStart: number;
  readonly rows: number;
  readonly slices: readonly { readonly start: number; readonly bytes: ArrayBuffer }[];
}
