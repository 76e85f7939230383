import type { VerifierSpec } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { choiceVerifier } from './choice.verifier.js';
import { codeVerifier } from './code.verifier.js';
import { exactVerifier } from './exact.verifier.js';
import { gridVerifier } from './grid.verifier.js';
import { httpVerifier } from './http.verifier.js';
import { jsonVerifier } from './json.verifier.js';
import { judgeVerifier } from './judge.verifier.js';
import { mathVerifier } from './math.verifier.js';
import { numericVerifier } from './numeric.verifier.js';
import { badReference } from './options.js';
import { passageVerifier } from './passage.verifier.js';
import type { Judge, Verifier } from './verifier.types.js';

const VERIFIERS: readonly Verifier[] = [
  exactVerifier,
  numericVerifier,
  mathVerifier,
  choiceVerifier,
  jsonVerifier,
  codeVerifier,
  httpVerifier,
  passageVerifier((spec, reference) => judgeFor(spec, reference)),
  gridVerifier,
  judgeVerifier,
];

/** A problem has 256 KiB. What a reference is read with may take a multiple of it: one character can stand for eighteen. */
const MAX_REFERENCE_LENGTH = 1 << 18;

/** Every verifier as kind@version. */
export const knownVerifiers: readonly string[] = VERIFIERS.map(({ kind, version }) => `${kind}@${version}`);

/**
 * Finds out before a problem is recorded whether it can be judged.
 * @throws UNKNOWN_VERIFIER naming the known ones; INVALID_INPUT when reference or options are malformed.
 */
export function checkVerifiable(spec: VerifierSpec, reference: string): void {
  judgeFor(spec, reference);
}

/** The judge of one problem. Errors as {@link checkVerifiable}. */
export function judgeFor(spec: VerifierSpec, reference: string): Judge {
  const verifier = VERIFIERS.find(({ kind, version }) => kind === spec.kind && version === spec.version);
  if (verifier === undefined) {
    throw new SeamError(
      'UNKNOWN_VERIFIER',
      `Cannot judge a response: expected a verifier among ${knownVerifiers.join(', ')}, got ${spec.kind}@${spec.version}.`,
      { details: { kind: spec.kind, version: spec.version, known: knownVerifiers } },
    );
  }
  for (const name of Object.keys(spec.options)) {
    if (!Object.hasOwn(verifier.options, name)) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot verify by ${spec.kind}@${spec.version}: expected options among ${Object.keys(verifier.options).join(', ')}, got ${name}.`,
      );
    }
  }
  if (reference.length > MAX_REFERENCE_LENGTH)
    throw badReference(
      `${spec.kind}@${spec.version}`,
      `at most ${MAX_REFERENCE_LENGTH} characters`,
      reference,
      'Publish the problem with its answer alone.',
    );
  return verifier.prepare(reference, spec.options);
}
