import { SeamError } from '@seamstream/kernel';
import { EXIT } from './exit-codes.js';

/** Aborts at the first SIGINT or SIGTERM; the second ends the process at once. */
export function stopSignal(): { readonly signal: AbortSignal; readonly release: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(
      new SeamError(
        'ABORTED',
        'Cannot finish: expected to run to the end, got a request to stop. What was done before is done.',
      ),
    );
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    release: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}
