/** Judges an entry in its domain. Must depend on its arguments alone: versions are made again from the log. */
export abstract class EntryValidation {
  /** Why the entry is not valid, or undefined when it is. */
  abstract faultOf(domain: string, entry: string): string | undefined;
}
