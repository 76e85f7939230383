/** A view of the read API, read again when the log went on. */
import { useEffect, useState } from 'preact/hooks';
import { version } from './live.js';

export interface View<T> {
  /** Null before the first answer. */
  readonly data: T | null;
  /** What the gateway said instead; null while all is well. */
  readonly fault: string | null;
}

/** At most one reading in this time, however fast the log grows. */
const PACE_MS = 1000;

export async function readView<T>(url: string): Promise<T> {
  const answer = await fetch(url).catch(() => null);
  if (answer === null) throw new Error('The gateway does not answer.');
  const body = (await answer.json()) as T & { readonly error?: { readonly message: string } };
  if (!answer.ok) throw new Error(body.error?.message ?? `The gateway answered with status ${answer.status}.`);
  return body;
}

/** @param follows whether it is read again when the log went on */
export function useView<T>(url: string, follows = true): View<T> {
  const [view, setView] = useState<View<T> & { readonly url: string }>({ data: null, fault: null, url });
  const at = follows ? version.value : 0;
  useEffect(() => {
    let isWanted = true;
    const read = async (): Promise<void> => {
      try {
        const data = await readView<T>(url);
        if (isWanted) setView({ data, fault: null, url });
      } catch (error) {
        if (isWanted) setView((before) => ({ ...before, fault: (error as Error).message, url }));
      }
    };
    // What was never read is read at once.
    const timer = setTimeout(() => void read(), view.data === null || view.url !== url ? 0 : PACE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [url, at]);
  return view;
}
