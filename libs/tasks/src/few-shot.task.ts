/**
 * Examples of inputs with their outputs, and an input whose output is asked for. Every text stands on separate lines, so that a text of one
 * line and a grid have one form:
 *
 *   Input:
 *   cold
 *   Output:
 *   hot
 *              ◄ an empty line ends every output
 *   Input:
 *   small
 *   Output:
 *              ◄ here the prompt ends and the answer begins
 */
import { type FewShotTask, isPlainPart, plainPart, type TaskContent } from './task.types.js';

const INPUT = 'Input:\n';
const OUTPUT = '\nOutput:\n';
/** Ends every output. */
export const FEW_SHOT_END = '\n\n';

export type AskedFewShot = Omit<FewShotTask, 'kind'>;

export function fewShotPrompt({ examples, query }: AskedFewShot): string {
  const shown = examples.map(({ input, output }) => `${INPUT}${input}${OUTPUT}${fewShotAnswer(output)}`);
  return `${shown.join('')}${INPUT}${query}${OUTPUT}`;
}

/** What follows the prompt: the output and the empty line that ends it. */
export function fewShotAnswer(output: string): string {
  return `${output}${FEW_SHOT_END}`;
}

/** What a model answered: its text up to the first empty line. `isEnded`: there was one. */
export function readFewShotAnswer(text: string): { readonly answer: string; readonly isEnded: boolean } {
  const trimmed = text.trimStart();
  const end = trimmed.indexOf(FEW_SHOT_END);
  return end < 0 ? { answer: trimmed, isEnded: false } : { answer: trimmed.slice(0, end), isEnded: true };
}

/**
 * What a prompt of {@link fewShotPrompt} was rendered from; undefined for every other text. Texts that look like the frame around them are
 * read as another task that renders to the same prompt. Linear in the prompt's length.
 */
export function askedFewShot(prompt: string): AskedFewShot | undefined {
  if (!prompt.startsWith(INPUT) || !prompt.endsWith(OUTPUT)) return undefined;
  const parts = prompt.slice(INPUT.length, -OUTPUT.length).split(`${FEW_SHOT_END}${INPUT}`);
  const query = parts.pop()!;
  const examples: FewShotTask['examples'][number][] = [];
  for (const part of parts) {
    const at = part.indexOf(OUTPUT);
    if (at < 0) return undefined;
    examples.push({ input: part.slice(0, at), output: part.slice(at + OUTPUT.length) });
  }
  const read = { examples, query };
  return examples.length > 0 && fewShotPrompt(read) === prompt ? read : undefined;
}

export function fewShotContent({ examples, query }: AskedFewShot): TaskContent {
  const shown = examples.flatMap(({ input, output }) => [plainPart('input', input), plainPart('output', output)]);
  return { kind: 'few_shot', passage: null, title: null, parts: [...shown, plainPart('query', query)] };
}

/** Undefined for content of another kind, and for what is no such task. */
export function fewShotOf({ kind, passage, title, parts }: TaskContent): FewShotTask | undefined {
  if (kind !== 'few_shot' || passage !== null || title !== null || parts.length < 3 || parts.length % 2 === 0)
    return undefined;
  const roleAt = (at: number): string => (at === parts.length - 1 ? 'query' : at % 2 === 0 ? 'input' : 'output');
  if (parts.some((part, at) => part.role !== roleAt(at) || !isPlainPart(part))) return undefined;
  const examples = Array.from({ length: (parts.length - 1) / 2 }, (_, index) => ({
    input: parts[2 * index]!.text,
    output: parts[2 * index + 1]!.text,
  }));
  return { kind, examples, query: parts.at(-1)!.text };
}
