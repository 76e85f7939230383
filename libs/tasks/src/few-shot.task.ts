/** Examples of inputs with their outputs, and an input whose output is asked for. */
import { type FewShotTask, isPlainPart, plainPart, type TaskContent } from './task.types.js';

export function fewShotPrompt({ examples, query }: FewShotTask): string {
  const shown = examples.map(({ input, output }) => `Input: ${input}\nOutput: ${output}`);
  return [...shown, `Input: ${query}\nOutput:`].join('\n\n');
}

export function fewShotContent({ examples, query }: FewShotTask): TaskContent {
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
