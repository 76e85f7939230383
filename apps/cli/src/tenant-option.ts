/** Apart from other options: events are loaded by the commands that need them, and by no other. */
import { DEFAULT_TENANT } from '@seamstream/events';
import { Option } from 'commander';

/** @param what of what it is decided, e.g. "whose key it is" */
export function tenantOption(what: string): Option {
  return new Option('--tenant <name>', what).default(DEFAULT_TENANT);
}
