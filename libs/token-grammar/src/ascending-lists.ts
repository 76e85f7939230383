/** Lists of token ids, ascending and without repetitions. */

/** Two ascending lists as one, without repetitions. */
export function union(a: Int32Array, b: Int32Array): Int32Array {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged = new Int32Array(a.length + b.length);
  let size = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const left = a[i] ?? Number.POSITIVE_INFINITY;
    const right = b[j] ?? Number.POSITIVE_INFINITY;
    merged[size++] = Math.min(left, right);
    if (left <= right) i++;
    if (right <= left) j++;
  }
  return merged.slice(0, size);
}

/** Whether an ascending list has an id. */
export function includes(ids: Int32Array, id: number): boolean {
  let [low, high] = [0, ids.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (ids[middle] === id) return true;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
