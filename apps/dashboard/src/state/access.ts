/**
 * Who reads, where the gateway asks. The key of this tab is sent as a header: never part of an address, and gone with the tab. A session's cookie
 * is the browser's: no script sees it.
 */
import { signal } from '@preact/signals';

const KEPT = 'key';

/** The gateway refused the last request without a key, or with a closed one. */
export const needsKey = signal(false);

/** Where one signs in; null where the gateway has no such address. */
export const signInAt = signal<string | null>(null);

/** Whether this tab asks with a key. */
export const hasKey = (): boolean => sessionStorage.getItem(KEPT) !== null;

export async function askGateway(url: string, init: RequestInit = {}): Promise<Response> {
  const key = sessionStorage.getItem(KEPT);
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(url, { ...init, headers });
  if (answer.status === 401) signInAt.value ??= answer.headers.get('x-seam-sign-in');
  // An answer to an older key says nothing of the newer one.
  if (answer.status === 401 && key === sessionStorage.getItem(KEPT)) {
    sessionStorage.removeItem(KEPT);
    needsKey.value = true;
  }
  return answer;
}

/** All requests from now on have the key; what it does not open asks for another one. */
export function openWith(key: string): void {
  sessionStorage.setItem(KEPT, key);
  needsKey.value = false;
}

/** The reader came with a session, and can leave. */
export const isSignedIn = signal(false);

/** That a gateway is gone or refuses shows in what else is read. */
export async function readWho(): Promise<void> {
  const answer = await askGateway('/api/me').catch(() => null);
  isSignedIn.value = answer?.ok === true && ((await answer.json()) as { readonly session: boolean }).session;
}

/** Ends the session here, and goes where the provider ends its own. */
export async function signOut(): Promise<void> {
  const answer = await askGateway('/api/session', { method: 'DELETE' }).catch(() => null);
  if (answer?.ok === true) location.assign(((await answer.json()) as { readonly location: string }).location);
}
