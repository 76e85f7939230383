/** What the bearer of a refused token learns. Pure. */
import { errors } from 'jose';
import { RefusedError } from './refused-error.js';

/**
 * Claims are compared after the signature, so only bearers of genuine tokens learn which one is at fault.
 * @param error of jose; undefined where it is valid by jose's rules alone
 */
export function tokenRefusal(error: unknown): RefusedError {
  const { got, code } = faultOf(error);
  const facts = {
    status: 401,
    message: `Cannot answer: expected a valid token of the issuer for this gateway, got ${got}. Get another token.`,
    code,
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  };
  return new RefusedError(facts, null);
}

function faultOf(error: unknown): { readonly got: string; readonly code: string } {
  const code = 'invalid_token';
  if (error instanceof errors.JWTExpired) return { got: 'one that has expired', code: 'token_expired' };
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return { got: 'one for another audience', code };
    if (error.claim === 'nbf') return { got: 'one that is not valid yet', code };
    if (error.claim === 'iss') return { got: 'one of another issuer', code };
  }
  return { got: 'another', code };
}
