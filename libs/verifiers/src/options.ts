/** Options of verifiers are strings, as events carry them; here they become values, or a complaint that names the verifier. */
import type { VerifierSpec } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';

export class OptionReader {
  constructor(
    private readonly verifier: string,
    private readonly options: VerifierSpec['options'],
  ) {}

  /** One of `values`, the first where none is given. */
  choice<const T extends string>(name: string, values: readonly [T, ...T[]]): T {
    const text = this.options[name] ?? values[0];
    const value = values.find((each) => each === text);
    if (value === undefined) throw this.bad(name, values.join(' or '), text);
    return value;
  }

  /** A whole number within bounds. */
  whole(
    name: string,
    { low, high, otherwise }: { readonly low: number; readonly high: number; readonly otherwise: number },
  ): number {
    const text = this.options[name] ?? String(otherwise);
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < low || value > high)
      throw this.bad(name, `a whole number from ${low} to ${high}`, text);
    return value;
  }

  /** A size that is not negative, 0 where none is given. */
  size(name: string): number {
    const text = this.options[name] ?? '0';
    const value = Number(text);
    if (text.trim() === '' || !(value >= 0 && Number.isFinite(value))) throw this.bad(name, 'a number ≥ 0', text);
    return value;
  }

  text(name: string): string | undefined {
    return this.options[name];
  }

  bad(name: string, expected: string, got: string): SeamError {
    return new SeamError(
      'INVALID_INPUT',
      `Cannot verify by ${this.verifier}: expected option ${name} to be ${expected}, got ${JSON.stringify(got.slice(0, 80))}.`,
    );
  }
}

/** A reference that cannot be judged by. */
export function badReference(verifier: string, expected: string, reference: string, hint: string): SeamError {
  const got = reference.trim() === '' ? 'nothing' : JSON.stringify(reference.slice(0, 80));
  return new SeamError(
    'INVALID_INPUT',
    `Cannot verify by ${verifier}: expected ${expected} as reference, got ${got}. ${hint}`,
  );
}
