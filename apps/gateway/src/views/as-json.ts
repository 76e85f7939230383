/** Plain data as JSON: bytes as base64, and a bigint as its digits, since JSON has neither. As the command line prints it with --json. */
export function asJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    // A Buffer reaches the replacer as the result of its toJSON.
    if (typeof inner === 'object' && inner !== null && 'type' in inner && inner.type === 'Buffer' && 'data' in inner)
      return Buffer.from(inner.data as number[]).toString('base64');
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
    return typeof inner === 'bigint' ? inner.toString() : inner;
  });
}
