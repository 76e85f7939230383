/**
 * A login that a browser has begun. Its cookie holds one secret and the address to return to; state, nonce and PKCE's verifier follow from the
 * secret. So any gateway can finish what another began, and no login that is never finished is kept.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
/** 32 bytes are 43 characters of base64url. */
const FORM = /^([A-Za-z0-9_-]{43})(\/.*)$/s;

export interface LoginAttempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
}

/** @param returnTo a path. @returns what the cookie holds */
export function newAttempt(returnTo: string): string {
  return randomBytes(SECRET_BYTES).toString('base64url') + returnTo;
}

/** Undefined for what is no attempt. */
export function attemptIn(cookie: string | undefined): LoginAttempt | undefined {
  const [, secret, returnTo] = FORM.exec(cookie ?? '') ?? [];
  if (secret === undefined || returnTo === undefined) return undefined;
  const part = (name: string): string => createHmac('sha256', secret).update(name).digest('base64url');
  return { state: part('state'), nonce: part('nonce'), verifier: part('verifier'), returnTo };
}
