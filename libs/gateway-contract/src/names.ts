import { z } from 'zod';

/** What clients name things by: domains, sessions. */
export const nameSchema = z
  .string()
  .regex(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/, 'expected 1 to 64 letters, figures and . _ -');
