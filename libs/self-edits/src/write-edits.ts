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

export type FinalOutcome =
  | { readonly status: 'written'; readonly text: string }
  | { readonly status: 'failed'; readonly code: FailedEdit['code']; readonly reason: string; readonly tries: number };

/**
 * One outcome for each request. A further try has another seed, since the same one may draw the same text.
 * @throws ABORTED by the signal; the code of a failure that no other edit would escape
 */
export async function writeEdits(
  writer: EditWriter,
  requests: readonly EditRequest[],
  { timeoutMs, tries, signal, onWritten }: WriteSettings,
): Promise<readonly FinalOutcome[]> {
  const outcomes = requests.map((): FinalOutcome | undefined => undefined);
  let left = requests.map((_, index) => index);
  for (let attempt = 1; attempt <= tries && left.length > 0; attempt++) {
    const asked = left;
    const again: number[] = [];
    const halting: FailedEdit[] = [];
    const take = (at: number, outcome: EditOutcome): void => {
      const index = asked[at]!;
      if (outcome.status === 'written') {
        outcomes[index] = outcome;
        onWritten?.(index, outcome.text);
        return;
      }
      const { code, reason, retryable, halts = false } = outcome;
      outcomes[index] = { status: 'failed', code, reason, tries: attempt };
      if (halts) halting.push(outcome);
      else if (retryable) again.push(index);
    };
    await writer.write(
      asked.map((index) => triedAgain(requests[index]!, attempt)),
      { timeoutMs, signal, onOutcome: take },
    );
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

function triedAgain(request: EditRequest, attempt: number): EditRequest {
  return attempt === 1 ? request : { ...request, seed: `${request.seed}/try-${attempt}` };
}
