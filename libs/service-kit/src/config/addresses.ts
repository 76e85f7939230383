/** Addresses in settings. */
import { z } from 'zod';

export { isLoopback, isPlaintextElsewhere } from '@seamstream/kernel';

/** An http(s) address. One with a user or a password in it is refused unseen. */
export const httpAddress = z.url({ protocol: /^https?$/ }).refine(
  (address) => {
    if (!URL.canParse(address)) return true; // another check's fault
    const { username, password } = new URL(address);
    return username === '' && password === '';
  },
  { error: 'expected no user and password in the address: each has its own setting' },
);
