import { SeamError } from '@seamstream/kernel';
import type { AccessReader } from '@seamstream/operations/quotas';

/**
 * The tenant that an answer is of; undefined: all.
 * @param what a reader asks for, e.g. "list acts"
 * @throws INVALID_INPUT for a tenant that is not the reader's to see
 */
export function tenantFor(
  what: string,
  { isOfAll, tenant: own }: AccessReader,
  wanted: string | undefined,
): string | undefined {
  if (isOfAll) return wanted;
  if (wanted === undefined || wanted === own) return own;
  throw new SeamError(
    'INVALID_INPUT',
    `Cannot ${what}: expected the tenant ${own}, got ${JSON.stringify(wanted)}. Ask for ${own}.`,
    { details: { param: 'tenant' } },
  );
}
