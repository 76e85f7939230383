/**
 * The names that clients give their requests (`Idempotency-Key`), each with a digest of what was asked under it: a name stands for one body.
 * In memory, since a gateway sees a client's retries mostly itself; what problems were published under a name is asked of the log as well
 * (libs/operations/src/publish/repeated-problems.ts).
 */
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { ApiError } from './api-error.js';

/** Names that are known; the one known longest goes first. Some 250 bytes each. */
const KNOWN_NAMES = 65_536;

export class RepeatKeys {
  private readonly digests = new Map<string, string>();

  constructor(private readonly most = KNOWN_NAMES) {}

  /**
   * Does what a request asks for. A name is free again where that fails.
   * @param path of the request, and the scope of its client: names of others are others
   * @throws ApiError 422 where the name was used for another body; nothing is done then
   */
  async during<T>(
    { key, path, scope }: { readonly key: string | null; readonly path: string; readonly scope: string | null },
    body: unknown,
    work: () => Promise<T>,
  ): Promise<T> {
    if (key === null) return work();
    const [name, digest] = [sha256(canonicalJson([path, scope, key])), sha256(canonicalJson(body))];
    const known = this.digests.get(name);
    if (known !== undefined && known !== digest) throw otherBody();
    this.digests.set(name, digest);
    if (this.digests.size > this.most) this.digests.delete(this.digests.keys().next().value!);
    try {
      return await work();
    } catch (error) {
      if (known === undefined) this.digests.delete(name);
      throw error;
    }
  }
}

/** As in the IETF's draft of the header: https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header */
export function otherBody(): ApiError {
  return new ApiError({
    status: 422,
    message:
      'Cannot use the Idempotency-Key again: expected the body of its first request, got another one. Nothing was recorded. Send a new key.',
    param: 'Idempotency-Key',
    code: 'idempotency_key_reused',
  });
}
