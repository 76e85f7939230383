/** Edits by a writer that may fail: each is tried a few times, within a time each. What cannot be written is an outcome with its reason. */
import { SeamError } from '@seamstream/kernel';
import type { EditOutcome, EditRequest, EditWriter, FailedEdit } from './edit-writer.port.js';

export interface WriteSettings {
  /** Longest time for a try of an edit, in milliseconds. */
  readonly timeoutMs: number;
  /** Tries of an edit. */
  readonly tries: number;
  readonly signal?: AbortSignal | undefined;
  /** Is called with each edit as soon as it is written: what is kept then survives a kill. */
  readonly onWritten?: (request: number, text: string) => void;
}

/** As the plan that we follow states them. */
export const WRITING_LIMITS = { timeoutMs: 30_000, tries: 3 } as const;

/** A request that was not written in its tries. */
export interface GivenUp {
  readonly status: 'failed';
  readonly code: FailedEdit['code'];
  readonly reason: string;
  readonly tries: number;
}

export type FinalOutcome = { readonly status: 'written'; readonly text: string } | GivenUp;

/** What is asked for in one try. */
export interface Try<Written> {
  /** Requests that are asked for. */
  readonly asked: readonly number[];
  /** From 1. */
  readonly attempt: number;
  /** Has to be called once with each of them. */
  readonly take: (request: number, outcome: Written | FailedEdit) => void;
}

/**
 * One outcome for each request. One that failed is asked for again where that may help.
 * @param write one try of all that are left
 * @throws the code of a failure that no other request would escape; otherwise as `write`
 */
export async function inTries<Written extends { readonly status: 'written' }>(
  requests: number,
  tries: number,
  write: (asked: Try<Written>) => Promise<void>,
): Promise<readonly (Written | GivenUp)[]> {
  const outcomes = Array.from({ length: requests }, (): Written | GivenUp | undefined => undefined);
  let left = outcomes.map((_, index) => index);
  for (let attempt = 1; attempt <= tries && left.length > 0; attempt++) {
    const again: number[] = [];
    const halting: FailedEdit[] = [];
    const take = (index: number, outcome: Written | FailedEdit): void => {
      if (outcome.status === 'written') {
        outcomes[index] = outcome;
        return;
      }
      const { code, reason, retryable, halts = false } = outcome;
      outcomes[index] = { status: 'failed', code, reason, tries: attempt };
      if (halts) halting.push(outcome);
      else if (retryable) again.push(index);
    };
    await write({ asked: left, attempt, take });
    const [halted] = halting;
    if (halted !== undefined) throw new SeamError(halted.code, halted.reason);
    left = again.sort((a, b) => a - b);
  }
  return outcomes.map((outcome, index) => {
    if (outcome !== undefined) return outcome;
    throw new SeamError(
      'INTERNAL',
      `Cannot write edits: expected an outcome for request ${index}, got none. Report this.`,
    );
  });
}

/** A further try has another seed, since the same one may draw the same text. */
export function seedOfTry(seed: string, attempt: number): string {
  return attempt === 1 ? seed : `${seed}/try-${attempt}`;
}

/**
 * One outcome for each request.
 * @throws ABORTED by the signal; the code of a failure that no other edit would escape
 */
export function writeEdits(
  writer: EditWriter,
  requests: readonly EditRequest[],
  { timeoutMs, tries, signal, onWritten }: WriteSettings,
): Promise<readonly FinalOutcome[]> {
  return inTries<Extract<EditOutcome, { status: 'written' }>>(requests.length, tries, ({ asked, attempt, take }) =>
    writer.write(
      asked.map((index) => ({ ...requests[index]!, seed: seedOfTry(requests[index]!.seed, attempt) })),
      {
        timeoutMs,
        signal,
        onOutcome: (at, outcome) => {
          const index = asked[at]!;
          take(index, outcome);
          if (outcome.status === 'written') onWritten?.(index, outcome.text);
        },
      },
    ),
  );
}
