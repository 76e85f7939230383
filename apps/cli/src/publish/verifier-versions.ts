/** Versions of the verifiers that this build brings, by kind. */
export const VERIFIER_VERSIONS: Readonly<Record<string, string>> = { exact: '1', numeric: '1' };
