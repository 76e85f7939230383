/** The key of this tab, where the gateway asks for one. It is sent as a header: never part of an address, and gone with the tab. */
import { signal } from '@preact/signals';

const KEPT = 'key';

/** The gateway refused the last request without a key, or with a closed one. */
export const needsKey = signal(false);

export async function askGateway(url: string, init: RequestInit = {}): Promise<Response> {
  const key = sessionStorage.getItem(KEPT);
  const headers = key === null ? {} : { authorization: `Bearer ${key}` };
  const answer = await fetch(url, { ...init, headers });
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
