export {
  type AttestedEvent,
  assertWouldBeBelieved,
  attest,
  attestExpert,
  checkAttestation,
  checkExpert,
  type ExpertFacts,
  isAttested,
  TRUST_ALL,
  type Trust,
} from './attestation.js';
export {
  generateKey,
  parseSigningKey,
  parseTrustedEntries,
  parseTrustedKeys,
  type SigningKey,
  type TrustedKey,
  type TrustedKeyEntry,
  VOUCHERS,
  type Voucher,
} from './keys.js';
export { SignedEventLog, type SignedEventLogOptions } from './signed-event-log.js';
