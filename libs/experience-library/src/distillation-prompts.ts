/**
 * What a model is asked in the three stages of Training-Free GRPO (arXiv 2510.08191, section 2), from templates of our own, and how its
 * replies are read. What problems, solvers and replies say is data: it stands between markers that it cannot end.
 */
import { asData, PromptTemplate } from '@seamstream/experience';
import { z } from 'zod';
import { type LibraryItem, mostCharactersOf } from './library.js';
import type { Proposal } from './proposals.js';

const TEMPLATES = new URL('../templates/', import.meta.url);

export interface DistillationTemplates {
  readonly summary: PromptTemplate<'problem' | 'entry' | 'response' | 'verdict'>;
  readonly advantage: PromptTemplate<
    'opening' | 'problem' | 'attempts' | 'experiences' | 'task' | 'maxWords' | 'maxOperations'
  >;
  readonly consolidation: PromptTemplate<'experiences' | 'proposals' | 'keep' | 'maxWords' | 'maxItems'>;
}

export async function loadDistillationTemplates(): Promise<DistillationTemplates> {
  const file = (name: string): URL => new URL(`${name}.txt`, TEMPLATES);
  return {
    summary: await PromptTemplate.load(file('summary'), ['problem', 'entry', 'response', 'verdict']),
    advantage: await PromptTemplate.load(file('advantage'), [
      ...(['opening', 'problem', 'attempts', 'experiences', 'task', 'maxWords', 'maxOperations'] as const),
    ]),
    consolidation: await PromptTemplate.load(file('consolidation'), [
      'experiences',
      'proposals',
      'keep',
      'maxWords',
      'maxItems',
    ]),
  };
}

/** Text from outside as it stands between markers: without control tokens, and unable to write a marker. */
export function quoted(text: string): string {
  return asData(text).replaceAll(/<{3,}|>{3,}/g, '‹›');
}

/** The operation `keep` as the last stage offers it; nothing in runs of releases that did not. */
export function keepLine(offersKeep: boolean): string {
  const form = '{"operation": "keep", "id": "…", "from": [numbers], "reason": "…"}';
  return offersKeep ? `\n${form}: it stays as it is, and why, although a proposal would change it` : '';
}

/** One line an item. */
export function listedItems(items: readonly LibraryItem[]): string {
  return items.length === 0 ? '(none yet)' : items.map(({ id, text }) => `[${id}] ${quoted(text)}`).join('\n');
}

export function listedProposals(proposals: readonly Proposal[]): string {
  const line = (proposal: Proposal): string => {
    const { operation, reason } = proposal;
    const target = 'id' in proposal ? ` ${proposal.id}` : 'ids' in proposal ? ` ${proposal.ids.join(', ')}` : '';
    const text = 'text' in proposal ? `: ${quoted(proposal.text)}` : '';
    return `${operation}${target}${text} (${quoted(reason)})`;
  };
  return proposals.map((each, at) => `${at + 1}. ${line(each).replaceAll('\n', ' ')}`).join('\n');
}

const text = z.string().trim().min(1).max(2000);
const reason = z.string().max(2000).default('');
const from = z.array(z.int()).max(1000).default([]);
const operations = {
  add: z.object({ operation: z.literal('add'), text, from, reason }),
  modify: z.object({ operation: z.literal('modify'), id: z.string(), text, from, reason }),
  merge: z.object({ operation: z.literal('merge'), ids: z.array(z.string()).min(2).max(100), text, from, reason }),
  delete: z.object({ operation: z.literal('delete'), id: z.string(), from, reason }),
  keep: z.object({ operation: z.literal('keep'), id: z.string(), from, reason }),
};
const advised = z.discriminatedUnion('operation', [
  operations.add,
  operations.modify,
  operations.delete,
  operations.keep,
]);
const decided = z.discriminatedUnion('operation', [...advised.options, operations.merge]);

export type RepliedOperation = z.infer<typeof decided>;

/** Longest reply that is read: more is no list of a few operations. */
const MOST_CHARACTERS = 200_000;

/**
 * The operations of a reply, all or none: an object with a list of them, also inside a block of code or behind a few words.
 * @param most operations that may be in it
 * @returns undefined for any other reply
 */
export function repliedOperations(
  reply: string,
  stage: 'advantage' | 'consolidation',
  most: number,
): readonly RepliedOperation[] | undefined {
  if (reply.length > MOST_CHARACTERS) return undefined;
  const [open, close] = [reply.indexOf('{'), reply.lastIndexOf('}')];
  if (open < 0 || close < open) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(reply.slice(open, close + 1));
  } catch {
    return undefined;
  }
  const schema = z.object({ operations: z.array(stage === 'advantage' ? advised : decided).max(most) });
  const parsed = schema.safeParse(value);
  return parsed.success ? parsed.data.operations : undefined;
}

/** The same as JSON Schema, for servers that write under one. */
export function operationsJsonSchema(stage: 'advantage' | 'consolidation'): Readonly<Record<string, unknown>> {
  const schema = z.object({ operations: z.array(stage === 'advantage' ? advised : decided) });
  return z.toJSONSchema(schema, { io: 'input' });
}

/** How much a reply may hold that is written under a grammar. */
export interface WrittenForm {
  readonly stage: 'advantage' | 'consolidation';
  /** Operations. */
  readonly most: number;
  /** Of one text. */
  readonly maxWords: number;
  /** Whether the last stage may write `keep`; the second always may. */
  readonly offersKeep?: boolean;
}

/** On one line, beginning with a letter: the "…" of the prompt cannot be written. */
const SENTENCE = '^\\p{L}[^\\n\\r\\t]*$';
const ID = '^[A-Za-z0-9_.-]{1,64}$';

/**
 * Operations as JSON Schema for a model that writes under a grammar: with every field and nothing else, so that all that can be written
 * is read by {@link repliedOperations}.
 */
export function writtenOperations({
  stage,
  most,
  maxWords,
  offersKeep = false,
}: WrittenForm): Readonly<Record<string, unknown>> {
  const text = { type: 'string', pattern: SENTENCE, maxLength: Math.min(2000, mostCharactersOf(maxWords)) };
  const id = { type: 'string', pattern: ID };
  const ids = { type: 'array', items: id, minItems: 2, maxItems: 20 };
  const from = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 999 }, maxItems: 20 };
  const isLast = stage === 'consolidation';
  const branch = (operation: string, own: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const reason = { type: 'string', maxLength: 300 };
    const properties = { operation: { const: operation }, ...own, ...(isLast ? { from } : {}), reason };
    return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
  };
  const oneOf = [
    branch('add', { text }),
    branch('modify', { id, text }),
    branch('delete', { id }),
    ...(isLast ? [branch('merge', { ids, text })] : []),
    ...(isLast && !offersKeep ? [] : [branch('keep', { id })]),
  ];
  const operations = { type: 'array', items: { oneOf }, maxItems: most };
  return { type: 'object', properties: { operations }, required: ['operations'], additionalProperties: false };
}

/** The names and values of the form that operations are written in. */
export function formWords(): readonly string[] {
  return (['advantage', 'consolidation'] as const).map((stage) => JSON.stringify(operationsJsonSchema(stage)));
}
