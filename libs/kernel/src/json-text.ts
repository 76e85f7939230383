/** Plain data as JSON: bytes as base64, and a bigint as its digits, since JSON has neither. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    // A Buffer reaches the replacer as what its toJSON returns.
    if (typeof inner === 'object' && inner !== null && 'type' in inner && inner.type === 'Buffer' && 'data' in inner) {
      return Buffer.from(inner.data as number[]).toString('base64');
    }
    if (inner instanceof Uint8Array) return Buffer.from(inner).toString('base64');
    return typeof inner === 'bigint' ? inner.toString() : inner;
  });
}
