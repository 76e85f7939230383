/** Which compiled file a row changes, what it looks for there, and what takes its place. */
export type PlantedFault = readonly [file: RegExp, pattern: RegExp, text: string];
export const PLANTED_FAULTS: Readonly<Record<string, readonly PlantedFault[]>>;
export function withFault(fault: string, url: string, source: string, rows: readonly PlantedFault[]): string;
