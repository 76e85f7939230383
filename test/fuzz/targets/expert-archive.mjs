// Archives of experts: any bytes give an expert or a typed error. Of files that are read every one is the content that the manifest names.
import { expertFiles, expertIn, packExpert, unpackExpert } from '@seamstream/operations/experts';
import { damaged } from '../damage.mjs';

export const name = 'expert-archive';
const description = { version: 1, name: 'herbs', adapterDigest: 'a'.repeat(64), baseModelDigest: 'b'.repeat(64) };
const files = expertFiles({
  description,
  adapter: { config: Buffer.from('{}'), tensors: Buffer.alloc(64, 7) },
  templates: new Map([['generator.txt', '{problem}']]),
  history: [],
  runs: [{ runId: 'r', algorithm: 'sft', seed: 's', codeVersion: '1', configuration: {} }],
  evaluations: [],
  edits: [{ problemId: 'p', entry: '{}', reward: 1 }],
  problems: [],
});
const { bytes: sound } = await packExpert(files);
export const seeds = [sound];

/** A file's bytes are damaged before they are packed: the manifest names what became of them, and its reader gets them. */
export async function mutate(random, all) {
  if (random.int(2) === 0) return damaged(random, all);
  const changed = random.pick([...files.keys()]);
  const damage = damaged(random, [files.get(changed)]);
  return (await packExpert(new Map(files).set(changed, damage))).bytes;
}

export async function run(bytes) {
  expertIn((await unpackExpert(bytes)).files);
}
