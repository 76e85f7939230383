import { readFile } from 'node:fs/promises';
import type { EventLog } from '@seamstream/event-log';
import { messageOf, SeamError } from '@seamstream/kernel';
import {
  type AttestedEvent,
  assertWouldBeBelieved,
  parseSigningKey,
  parseTrustedKeys,
  SignedEventLog,
  type SigningKey,
  type Trust,
} from '@seamstream/signatures';
import type { CommonConfig } from '../config/common-config.js';
import { createServiceLogger } from '../service-logger.js';

export interface Signing {
  readonly key: SigningKey | null;
  readonly trust: Trust;
}

type SigningConfig = Pick<CommonConfig, 'eventLog' | 'signatures'>;

const isUnsignedAllowed = ({ eventLog, signatures }: SigningConfig): boolean =>
  (signatures.unsigned ?? (eventLog.driver === 'kafka' ? 'refused' : 'allowed')) === 'allowed';

/**
 * The keys that the configuration names.
 * @throws INVALID_CONFIGURATION for files that hold no keys, and where unsigned facts are refused but no key is trusted
 */
export async function signingOf(config: SigningConfig): Promise<Signing> {
  const { keyFile, trustedKeysFile } = config.signatures;
  const unsigned = isUnsignedAllowed(config) ? 'allowed' : 'refused';
  if (unsigned === 'refused' && trustedKeysFile === undefined) {
    throw new SeamError(
      'INVALID_CONFIGURATION',
      'Cannot open the event log: expected keys to believe (SEAM_SIGNATURES_TRUSTED_KEYS_FILE), got none. Create some with "seam keys generate", or believe unsigned facts (SEAM_SIGNATURES_UNSIGNED=allowed).',
    );
  }
  return {
    key: keyFile === undefined ? null : parseSigningKey(await textOf(keyFile, 'SEAM_SIGNATURES_KEY_FILE'), keyFile),
    trust: {
      unsigned,
      keys:
        trustedKeysFile === undefined
          ? []
          : parseTrustedKeys(await textOf(trustedKeysFile, 'SEAM_SIGNATURES_TRUSTED_KEYS_FILE'), trustedKeysFile),
    },
  };
}

/** The log under these keys; the log itself where there is nothing to sign with and nothing to check. */
export function withSignatures(log: EventLog, { key, trust }: Signing, logLevel: string): EventLog {
  if (key === null && trust.keys.length === 0 && trust.unsigned === 'allowed') return log;
  const logger = createServiceLogger('signatures', logLevel);
  return new SignedEventLog({
    log,
    key,
    trust,
    onRefused: ({ topic, partition, offset }, { code, message }) =>
      logger.error({ topic, partition, offset, code, reason: message }, 'record is not believed and is passed over'),
  });
}

/**
 * For a service that writes attested events. It refuses to start rather than fail with its first adapter or version.
 * @param types events that it writes
 * @throws INVALID_CONFIGURATION where this configuration would not believe one of them: unsigned facts are refused and there is no key, the
 * key is not among the trusted ones, or it may not vouch for that type
 */
export async function assertCanSign(config: SigningConfig, types: readonly AttestedEvent['type'][]): Promise<void> {
  const signing = await signingOf(config);
  for (const type of types) assertWouldBeBelieved(type, signing);
}

async function textOf(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new SeamError('INVALID_CONFIGURATION', `Cannot read ${file} (${setting}): ${messageOf(cause)}. Correct it.`, {
      cause,
    });
  }
}
