import { readFileSync } from 'node:fs';
import { refusedTorchOptions, TORCH_OPTIONS } from './torch-options.js';

describe('options of the program that trains', () => {
  it.each([
    ['', []],
    ['--precision bfloat16 --gradient-checkpointing', []],
    ['--precision=bfloat16  --micro-batch-tokens=16384 --attention flash', []],
    ['--micro-batch-tokens auto', []],
    ['--precison bfloat16', ['--precison bfloat16']],
    ['--precision bf16 --attention sdpa', ['--precision bf16']],
    ['--micro-batch-tokens 0', ['--micro-batch-tokens 0']],
    ['--micro-batch-tokens automatic', ['--micro-batch-tokens automatic']],
    ['--gradient-checkpointing yes', ['--gradient-checkpointing yes']],
    ['bfloat16', ['bfloat16']],
    ['--precision', ['--precision']],
  ])('of %j the program would refuse %j', (text, refused) => {
    expect(refusedTorchOptions(text)).toEqual(refused);
  });

  it('are those that the program has', () => {
    const source = new URL('../../../engines/torch/src/seamstream_torch/compute.py', import.meta.url);
    const added = readFileSync(source, 'utf8').matchAll(/"(--[a-z-]+)"/g);
    expect([...added].map(([, name]) => name).sort()).toEqual([...TORCH_OPTIONS].sort());
  });
});
