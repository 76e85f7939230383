// References and options as a publisher states them: each is taken or refused when the problem is published, and what is taken judges itself right.
import { checkVerifiable, Verifiers } from '@seamstream/verifiers';
import { damaged, piecesText } from '../damage.mjs';

export const name = 'references';
const verifiers = new Verifiers();
const SOUND = [
  { kind: 'exact', reference: 'red blue', options: { caseSensitive: 'true' } },
  { kind: 'numeric', reference: '1/3', options: { tolerance: '1e-9', relativeTolerance: '0.1' } },
  { kind: 'choice', reference: 'A, C', options: { letters: 'ABCD', texts: '["x","y"]' } },
  { kind: 'json', reference: '{"a":[1,2]}', options: { arrays: 'unordered', tolerance: '0.5' } },
];
const encode = (value) => Buffer.from(JSON.stringify(value));
export const seeds = SOUND.map(encode);

export function mutate(random, all) {
  if (random.int(4) === 0) return damaged(random, all);
  const spec = structuredClone(random.pick(SOUND));
  if (random.int(2) === 0) spec.reference = piecesText(random, 3);
  else spec.options[random.pick([...Object.keys(spec.options), '__proto__', 'constructor'])] = piecesText(random, 2);
  return encode(spec);
}

export async function run(bytes) {
  let spec;
  try {
    spec = JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return;
  }
  const { kind, reference, options } = spec ?? {};
  if (typeof reference !== 'string' || !SOUND.some((each) => each.kind === kind)) return;
  if (
    typeof options !== 'object' ||
    options === null ||
    Object.values(options).some((value) => typeof value !== 'string')
  )
    return;
  checkVerifiable({ kind, version: '1', options }, reference);
  if (kind !== 'json') return;
  const { success, detail } = await verifiers.verify(
    { kind, version: '1', options },
    { text: reference, finished: true },
    reference,
  );
  if (!success) throw new Error(`a reference that is not equal to itself: ${detail}`);
}
