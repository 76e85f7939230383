import type { VerifierSpec } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { exactVerifier } from './exact.verifier.js';
import { finalAnswer } from './final-answer.js';
import { numericVerifier } from './numeric.verifier.js';
import type { JudgedResponse, Verdict, Verifier } from './verifier.types.js';

const VERIFIERS: readonly Verifier[] = [exactVerifier, numericVerifier];

/** Every verifier as kind@version. */
export const knownVerifiers: readonly string[] = VERIFIERS.map(({ kind, version }) => `${kind}@${version}`);

/**
 * Judges a response. A verdict is about the response alone: whatever is wrong with the problem is thrown instead, so that a
 * malformed reference never counts as a failure of the executor.
 * @throws UNKNOWN_VERIFIER naming the known ones; INVALID_INPUT when reference or options are malformed.
 */
export function verify(spec: VerifierSpec, response: JudgedResponse, reference: string): Verdict {
  const judge = prepared(spec, reference);
  if (!response.finished)
    return { success: false, extractedAnswer: null, detail: 'the response is unfinished: it reached its token limit' };
  const answer = finalAnswer(response.text);
  if (answer === null) return { success: false, extractedAnswer: null, detail: 'the response states no final answer' };
  return { ...judge(answer), extractedAnswer: answer };
}

/** Finds out before a problem is recorded whether it can be judged. Errors as {@link verify}. */
export function checkVerifiable(spec: VerifierSpec, reference: string): void {
  prepared(spec, reference);
}

function prepared(spec: VerifierSpec, reference: string): ReturnType<Verifier['prepare']> {
  const verifier = VERIFIERS.find(({ kind, version }) => kind === spec.kind && version === spec.version);
  if (verifier === undefined) {
    throw new SeamError(
      'UNKNOWN_VERIFIER',
      `Judging a response: no verifier ${spec.kind}@${spec.version}. Known are ${knownVerifiers.join(', ')}.`,
      {
        details: { kind: spec.kind, version: spec.version, known: knownVerifiers },
      },
    );
  }
  for (const name of Object.keys(spec.options)) {
    if (!Object.hasOwn(verifier.options, name)) {
      throw new SeamError(
        'INVALID_INPUT',
        `Verifier ${spec.kind}@${spec.version}: no option ${name}. Known are ${Object.keys(verifier.options).join(', ')}.`,
      );
    }
  }
  return verifier.prepare(reference, spec.options);
}
