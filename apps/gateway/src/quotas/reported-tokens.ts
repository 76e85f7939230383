/** What an executor says that an answer used. */

/** As the server said; null where it said nothing. */
export type ReportedUsage = Readonly<Record<string, unknown>> | null;

/** A count that the server said; null for anything else: unknown is never 0. */
export function tokensIn(
  usage: ReportedUsage,
  name: 'prompt_tokens' | 'completion_tokens' | 'total_tokens',
): number | null {
  const value = usage?.[name];
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 31
    ? (value as number)
    : null;
}
