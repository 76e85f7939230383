/** Addresses in settings. */
import { z } from 'zod';

/** An http(s) address. One with a user or a password in it is refused unseen. */
export const httpAddress = z.url({ protocol: /^https?$/ }).refine(
  (address) => {
    if (!URL.canParse(address)) return true; // another check's fault
    const { username, password } = new URL(address);
    return username === '' && password === '';
  },
  { error: 'expected no user and password in the address: each has its own setting' },
);

/** Whether what is sent to this address (a host, or host:port) stays on this machine. */
export function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$|^::1$/.test(address);
}

/** Whether it is http to another machine; false for what is no address. */
export function isPlaintextElsewhere(address: string | undefined): boolean {
  if (address === undefined || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && !isLoopback(hostname);
}
