import { sha256 } from '@seamstream/kernel';
import type { Adapter } from '@seamstream/language-model';
import { AdapterEvaluation, type AskedPerDomain, type ProblemResult } from './adapter-evaluation.port.js';

/** Every adapter solves what the list says, in the order of their evaluation; the base model nothing. */
export class FakeEvaluation extends AdapterEvaluation {
  readonly measured: (string | null)[] = [];
  private readonly known = new Map<string, number>();

  constructor(private readonly successes: readonly number[] = []) {
    super();
  }

  override readonly problemSet = 'validation';
  override readonly problemSetDigest = sha256('validation problems');

  /** Measures alike under all terms. */
  override under(...[]: Parameters<AdapterEvaluation['under']>): Promise<AdapterEvaluation> {
    return Promise.resolve(this);
  }

  sizes(domains: readonly string[]): AskedPerDomain {
    return Object.fromEntries(domains.map((domain) => [domain, 20 / domains.length]));
  }

  digestOf(domains: readonly string[]): string {
    return sha256(domains.join());
  }

  async measure(adapter: Adapter | null, domains: readonly string[]): Promise<readonly ProblemResult[]> {
    this.measured.push(adapter?.digest ?? null);
    const success = adapter === null ? 0 : (this.known.get(adapter.digest) ?? this.successes[this.known.size] ?? 0.9);
    if (adapter !== null) this.known.set(adapter.digest, success);
    return Array.from({ length: 20 }, (_, index) => ({
      domain: domains[index % domains.length]!,
      solved: index < success * 20 - 1e-9,
    }));
  }
}
