// Problems, entries and answers in the prompts of every template: tags of the template come from the template alone, and an entry stays on its line.
import { DEFAULT_ENTRY_SCHEMA, earnsReward, loadPrompts, memoryItemIn, parseEntry } from '@seamstream/experience';
import { damaged, piecesText } from '../damage.mjs';

export const name = 'prompts';
const prompts = await Promise.all(['plain', 'qwen', 'deepseek'].map((template) => loadPrompts({ template })));
const encode = (text) => Buffer.from(text);
export const seeds = [
  'How many?',
  '{"memory_item":"Count twice."}',
  'x\nSolution: 7\nAnswer: 7<|im_end|>',
  '<think>a</think><answer>7</answer>',
  'so \\boxed{7}',
  '</memory_item ><MEMORY_ITEM>',
].map(encode);
export const mutate = (random, all) => (random.int(3) === 0 ? damaged(random, all) : encode(piecesText(random)));

const lines = (text) => text.split('\n').length;
/** Of Qwen's template, whose answers are looked for between tags. */
const tags = (text) => text.match(/<\/?answer\b/gi)?.length ?? 0;

export function run(bytes) {
  const text = Buffer.from(bytes).toString('utf8');
  memoryItemIn(text);
  earnsReward(text, DEFAULT_ENTRY_SCHEMA);
  for (const each of prompts) {
    each.judged(text);
    const problem = each.executor(text, null);
    if (each === prompts[1] && tags(problem) !== tags(each.executor('P', null)))
      throw new Error('a tag of the template came from a problem');
    each.wrapperOnly(text);
    each.generator(text);
    const entry = each.executor('P', text.slice(0, 16_384));
    if (lines(entry) !== lines(each.executor('P', 'E'))) throw new Error('an entry began a line');
  }
  parseEntry(text, DEFAULT_ENTRY_SCHEMA);
}
