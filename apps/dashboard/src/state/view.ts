/** A view of the read API, read again when the log has grown. */
import { signal } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { askGateway } from './access.js';
import { nextTry, waitAsked } from './asking-again.js';
import { paused, version } from './live.js';
import { asOf } from './place.js';

interface View<T> {
  /** Null before the first answer. */
  readonly data: T | null;
  /** What the gateway said instead; null while all is well. */
  readonly fault: string | null;
}

/** Answers that are awaited. */
export const reading = signal(0);

/** At most one reading in this time, however fast the log grows. */
const PACE_MS = 1000;

/** The gateway's words, and how long it asks to wait; null: asking again would change nothing. */
class Refusal extends Error {
  constructor(
    message: string,
    readonly askedMs: number | null,
  ) {
    super(message);
  }
}

/** @param signal ends the wait for an answer */
export async function readView<T>(url: string, signal?: AbortSignal): Promise<T> {
  const answer = await askGateway(url, signal === undefined ? {} : { signal }).catch(() => null);
  if (answer === null) throw new Error('Cannot reach the gateway: it does not answer.');
  const body = (await answer.json()) as T & { readonly error?: { readonly message: string } };
  if (!answer.ok)
    throw new Refusal(
      body.error?.message ?? `Cannot read the answer of the gateway: expected status 200, got ${answer.status}.`,
      waitAsked(answer.status, answer.headers.get('retry-after')),
    );
  return body;
}

/**
 * Readings come one after another: a slow answer is shown, however fast the log grows meanwhile. What was shown stays until the next answer.
 * A reading whose answer no one waits for any more is given up, so that the gateway ends it too. One that is refused because too many ask is
 * asked again when the gateway says, also of what does not change.
 * @param follows whether it is read again when the log has grown
 * @param everyMs for what changes with time as well, or is read by those whom the stream is not for: read again after so long, while it is seen
 */
export function useView<T>(url: string, follows = true, everyMs?: number): View<T> {
  const [view, setView] = useState<View<T>>({ data: null, fault: null });
  const times = useTimes(everyMs);
  const at = `${follows ? version.value : ''} ${times}`;
  const newest = useRef(at);
  newest.current = at;
  const wake = useRef<() => void>(() => undefined);
  useEffect(() => {
    const left = new AbortController();
    const isLeft = (): boolean => left.signal.aborted;
    const follow = async (): Promise<void> => {
      let refused = 0;
      for (let read: string | undefined; !isLeft(); ) {
        if (read === newest.current) {
          await new Promise<void>((resolve) => {
            wake.current = resolve;
          });
          continue;
        }
        read = newest.current;
        const next = await answerOf<T>(url, left.signal);
        // One may have left while it was read.
        if (isLeft()) return;
        refused = next.askedMs === null ? 0 : refused + 1;
        const again = next.askedMs === null ? null : nextTry(next.askedMs, refused);
        const fault = again === null ? next.fault : `${next.fault} ${again.told}`;
        setView((before) => ({ data: next.data ?? before.data, fault }));
        const waitMs = again?.waitMs ?? null;
        if (waitMs !== null) read = undefined;
        await new Promise((resolve) => setTimeout(resolve, waitMs ?? PACE_MS));
      }
    };
    void follow();
    return () => {
      left.abort();
      wake.current();
    };
  }, [url]);
  useEffect(() => wake.current(), [at]);
  return view;
}

/** As {@link useView}, of the moment that the address has. The past does not change: it is read once. */
export function useViewAsOf<T>(url: string, follows = true, everyMs?: number): View<T> {
  const moment = asOf.value;
  const past = moment === null ? '' : `${url.includes('?') ? '&' : '?'}asOf=${encodeURIComponent(moment)}`;
  return useView<T>(url + past, follows && moment === null, moment === null ? everyMs : undefined);
}

/** Counts up while the page is seen and not paused. */
function useTimes(everyMs: number | undefined): number {
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && !paused.value) setTimes((before) => before + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return times;
}

async function answerOf<T>(url: string, signal: AbortSignal): Promise<View<T> & { readonly askedMs: number | null }> {
  reading.value++;
  try {
    return { data: await readView<T>(url, signal), fault: null, askedMs: null };
  } catch (error) {
    const askedMs = error instanceof Refusal ? error.askedMs : null;
    return { data: null, fault: (error as Error).message, askedMs };
  } finally {
    reading.value--;
  }
}
