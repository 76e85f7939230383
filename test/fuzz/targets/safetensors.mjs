// safetensors: what is read has the bytes that its header says, and is written again as it was.
import { decodeSafetensors, encodeSafetensors } from '@seamstream/model-files';
import { damaged } from '../damage.mjs';

export const name = 'safetensors';
const tensor = (shape) => ({
  shape,
  data: Float32Array.from({ length: shape.reduce((product, size) => product * size, 1) }, (_, index) => index / 8),
});
const SOUND = [
  encodeSafetensors(
    new Map([
      ['a.weight', tensor([2, 3])],
      ['b', tensor([])],
      ['c', tensor([0, 4])],
    ]),
    { format: 'pt' },
  ),
  encodeSafetensors(new Map([['__proto__', tensor([5])]])),
];
export const seeds = SOUND;

const VALUES = [
  0,
  -1,
  1.5,
  2 ** 53,
  1e300,
  null,
  'F32',
  'F16',
  'BF16',
  'I64',
  [],
  [0, 24],
  [24, 0],
  [2, 3],
  [1e9, 1e9],
  {},
];

/** A figure of the header replaced; its length is that of the new header, most times. */
export function mutate(random, all) {
  if (random.int(2) === 0) return damaged(random, all);
  const bytes = Buffer.from(random.pick(SOUND));
  const length = Number(bytes.readBigUInt64LE(0));
  const header = JSON.parse(bytes.subarray(8, 8 + length).toString());
  const key = random.pick(Object.keys(header));
  if (random.int(3) === 0) header[random.pick(['new', '__metadata__', key])] = random.pick(VALUES);
  else if (typeof header[key] === 'object' && header[key] !== null)
    header[key][random.pick(['dtype', 'shape', 'data_offsets', 'format'])] = random.pick(VALUES);
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(random.int(9) === 0 ? random.int(2 ** 31) : text.length));
  return Buffer.concat([prefix, text, bytes.subarray(8 + length)]);
}

export function run(bytes) {
  const { tensors, metadata } = decodeSafetensors(bytes, 'fuzz.safetensors');
  for (const [key, { shape, data }] of tensors)
    if (data.length !== shape.reduce((product, size) => product * size, 1))
      throw new Error(`${key} has ${data.length}`);
  const again = decodeSafetensors(encodeSafetensors(tensors, metadata), 'again');
  if (again.tensors.size !== tensors.size) throw new Error('a tensor was lost');
}
