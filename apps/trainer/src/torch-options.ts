/** Options of seamstream-torch that a trainer may be given: how is computed, and not what (engines/torch/src/seamstream_torch/compute.py). */
const VALUE_OF: Readonly<Record<string, RegExp>> = {
  '--precision': /^(float32|bfloat16)$/,
  '--gradient-checkpointing': /^$/,
  '--micro-batch-tokens': /^(auto|[1-9]\d*)$/,
  '--attention': /^(auto|eager|sdpa|flash)$/,
};

/** Names of the options. */
export const TORCH_OPTIONS = Object.keys(VALUE_OF);

/** The options of a text that the program would refuse. It is started in a cluster, where that shows in a pod that fails. */
export function refusedTorchOptions(text: string): readonly string[] {
  const given: string[][] = [];
  for (const word of text.split(/[=\s]/).filter((each) => each !== '')) {
    const last = given.at(-1);
    if (word.startsWith('--') || last === undefined) given.push([word]);
    else last.push(word);
  }
  return given
    .filter(([name = '', ...values]) => VALUE_OF[name]?.test(values.join(' ')) !== true)
    .map((words) => words.join(' '));
}
