/** Names of tenants that people write. */
import { isTenant } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';

/** @param act what is refused, e.g. "issue a key" @throws INVALID_INPUT for what is no name of a tenant */
export function checkTenant(act: string, tenant: string): void {
  if (!isTenant(tenant))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot ${act}: expected a tenant's name of 1 to 32 lower-case letters, figures and single hyphens, got ${JSON.stringify(tenant)}.`,
    );
}
