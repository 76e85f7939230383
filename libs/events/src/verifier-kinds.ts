/**
 * What must be known of a verifier where nothing is judged: by readers of the log that may not import the verifiers. Each kind of
 * libs/verifiers has a row; its spec sees to that.
 */
interface VerifierTraits {
  /** It takes one answer for another, so an answer can be held against another as well as against the reference. */
  readonly comparesAnswers: boolean;
  /** Its reference is the answer itself, so an entry that holds it gives the answer away. Every text holds a choice's one letter. */
  readonly referenceIsAnswer: boolean;
}

const NEITHER: VerifierTraits = { comparesAnswers: false, referenceIsAnswer: false };
const BOTH: VerifierTraits = { comparesAnswers: true, referenceIsAnswer: true };

export const VERIFIER_TRAITS: Readonly<Record<string, VerifierTraits>> = {
  exact: BOTH,
  numeric: BOTH,
  math: BOTH,
  choice: { comparesAnswers: true, referenceIsAnswer: false },
  json: NEITHER,
  code: NEITHER,
  http: NEITHER,
  passage: NEITHER,
  grid: NEITHER,
  // Another call of a model may see it otherwise: answers are not held against one another.
  judge: { comparesAnswers: false, referenceIsAnswer: true },
};

/** A verifier of another version of Seamstream is taken for one of which nothing is known. */
export function verifierTraits({ kind }: { readonly kind: string }): VerifierTraits {
  return Object.hasOwn(VERIFIER_TRAITS, kind) ? VERIFIER_TRAITS[kind]! : NEITHER;
}
