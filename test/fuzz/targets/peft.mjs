// Adapters from elsewhere: PEFT's two files and this system's own file. An input is the JSON of the configuration, a zero byte, the tensors.
import {
  createAdapter,
  decodeAdapter,
  decodePeft,
  encodeAdapter,
  encodePeft,
  parseModelConfig,
  trainableShapes,
} from '@seamstream/language-model';
import { damaged } from '../damage.mjs';

export const name = 'peft';
const config = parseModelConfig({
  model_type: 'llama',
  vocab_size: 11,
  hidden_size: 8,
  num_hidden_layers: 1,
  num_attention_heads: 2,
  intermediate_size: 12,
});
const settings = {
  kind: 'lora',
  rank: 2,
  alpha: 4,
  targetModules: ['q_proj', 'v_proj'],
  modulesToSave: [],
  seed: 'fuzz',
};
const base = { config, digest: 'ba5e'.padEnd(64, '0') };
const tensors = new Map(
  [...trainableShapes(config, settings)].map(([key, shape]) => [
    key,
    { shape: [...shape], data: new Float32Array(shape.reduce((product, size) => product * size, 1)).fill(0.5) },
  ]),
);
const adapter = createAdapter({ kind: 'lora', settings, baseModelDigest: base.digest, tensors });
const files = encodePeft(adapter, config, 'some/model');
const together = (json, bytes) => Buffer.concat([json, Buffer.from([0]), bytes]);
export const seeds = [together(files.config, files.tensors), together(Buffer.alloc(0), encodeAdapter(adapter))];

/** One setting of the configuration replaced: its bytes are few among those of the tensors. */
export function mutate(random, all) {
  if (random.int(2) === 0) return damaged(random, all);
  const json = JSON.parse(Buffer.from(files.config).toString());
  const values = [0, -1, 1e9, 0.5, null, '', 'x\u001b]52;', [], ['q_proj'], ['..'], {}, true, '__proto__', '(a+)+$'];
  json[random.pick([...Object.keys(json), 'rank_pattern', 'layers_pattern', 'use_dora', '__proto__'])] =
    random.pick(values);
  return together(Buffer.from(JSON.stringify(json)), files.tensors);
}

export function run(bytes) {
  const at = bytes.indexOf(0);
  const [json, rest] = at < 0 ? [bytes, new Uint8Array()] : [bytes.subarray(0, at), bytes.slice(at + 1)];
  if (json.length === 0) decodeAdapter(rest, { maxBytes: 1 << 20 });
  else decodePeft({ config: json, tensors: rest }, base);
}
