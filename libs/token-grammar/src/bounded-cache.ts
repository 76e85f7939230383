/** Keeps a value in a cache of at most so many, and forgets the one that it has kept longest. */
export function remember<Value>(cache: Map<string, Value>, key: string, value: Value, most: number): void {
  if (cache.size >= most) cache.delete(cache.keys().next().value!);
  cache.set(key, value);
}
