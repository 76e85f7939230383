/**
 * Every place where a text that a stranger wrote enters, and the texts that cost a careless reader most: one piece repeated, or two. Where
 * a reader's time grows faster than the text, one of these shows it; all that is needed is that the piece is in PIECES.
 */
import { bytesInMemory, columnsForm, datasetForms, parseColumnMapping, readProblems } from '@seamstream/datasets';
import {
  DEFAULT_ENTRY_SCHEMA,
  earnsReward,
  givesAnswerAway,
  groundedSchema,
  loadPrompts,
  memoryItemIn,
  misquoteIn,
  parseEntry,
} from '@seamstream/experience';
import { isSeamError, type Random } from '@seamstream/kernel';
import { MOST_PROMPT_CHARACTERS } from '@seamstream/tasks';
import type { JsonSchema } from '@seamstream/token-grammar';
import { checkVerifiable, Verifiers } from '@seamstream/verifiers';
import { PIECES } from '../fuzz/damage.mjs';

export interface EntryPoint {
  readonly name: string;
  /** Gives the text to the reader; may throw SeamErrors. */
  readonly read: (text: string) => unknown;
}

/** A problem comes in a record of the log, which holds at most a million bytes. */
const ofRecord = (text: string): string => text.slice(0, 1_000_000);

/** Entries whose one list quotes the problem. */
const QUOTING: JsonSchema = {
  type: 'object',
  properties: {
    facts: { type: 'array', items: { type: 'string', 'x-quotes': { from: 'prompt' } } },
    words: { type: 'array', items: { enum: ['two apples', 'a'], 'x-quotes': { from: 'prompt' } }, maxItems: 2 },
  },
};
const quoting = (quote: string): string => JSON.stringify({ facts: [quote] });

/** Answers of each form in which a text may say them. */
const LEAKING = [
  ['exact', 'Canberra'],
  ['math', '(x + 1, x + 1)'],
  ['math', String.raw`\frac{1}{2}`],
  ['math', String.raw`\frac12`],
  ['math', String.raw`\begin{pmatrix}1\\2\\3\\4\end{pmatrix}`],
  ['math', String.raw`\\\\\\x1`],
  ['numeric', '1250'],
  ['choice', 'B'],
].map(([kind, reference]) => ({
  ...{ prompt: 'Which one?', reference: reference! },
  verifier: { kind: kind!, version: '1', options: {} },
}));

async function readAll(items: AsyncIterator<unknown>): Promise<void> {
  while ((await items.next()).done !== true);
}

/** @param isMathJudged whether math@1 is among them: its worst texts take a thread to its deadline */
export async function entryPoints(
  isMathJudged: boolean,
): Promise<{ readonly points: readonly EntryPoint[]; readonly close: () => Promise<void> }> {
  const verifiers = new Verifiers({ mathThreads: 1 });
  const judged =
    (kind: string, reference: string, options: Record<string, string> = {}) =>
    (text: string) =>
      verifiers.verify({ kind, version: '1', options }, { text, finished: true }, reference, { deadlineMs: 1500 });
  const named = (name: string, read: EntryPoint['read']): EntryPoint => ({ name, read });
  const prompts = await Promise.all(['plain', 'qwen'].map((template) => loadPrompts({ template })));
  const lines = (form: Parameters<typeof readProblems>[1]['form']) => async (content: string) => {
    await readAll(readProblems(bytesInMemory(Buffer.from(content)), { form }));
  };
  const columns = columnsForm(parseColumnMapping('prompt=question,reference=answer'));
  // A row holds at most 256 KiB.
  const row = (text: string) => {
    const cut = text.slice(0, 60_000);
    return JSON.stringify({ question: cut, answer: cut, problem: cut, solution: cut });
  };
  const points = [
    named('exact@1', judged('exact', 'red')),
    named('numeric@1', judged('numeric', '7')),
    named('numeric@1 with units', judged('numeric', '7', { units: 'ignore' })),
    named('choice@1', judged('choice', 'B')),
    named('choice@1 with texts', judged('choice', 'B', { texts: '["a bird","a plane"]' })),
    named('json@1', judged('json', '{"a":[1,2]}')),
    named('json@1, unordered, near', judged('json', '[[1],[2],[3]]', { arrays: 'unordered', tolerance: '0.1' })),
    ...(isMathJudged ? [named('math@1', judged('math', 'x+1'))] : []),
    ...['exact', 'numeric', 'choice', 'json'].map((kind) =>
      named(`a reference of ${kind}@1`, (text) => checkVerifiable({ kind, version: '1', options: {} }, text)),
    ),
    ...prompts.flatMap((each) => [
      named(`the answer's place in ${each.executorTemplate.slice(0, 20)}`, (text) => each.judged(text)),
      named(`a problem in ${each.executorTemplate.slice(0, 20)}`, (text) => each.executor(ofRecord(text), null)),
      named(`an entry in ${each.executorTemplate.slice(0, 20)}`, (text) => each.executor('P', text)),
      // As long as an entry may be, so that it is not refused by its length alone.
      named(`a short entry in ${each.executorTemplate.slice(0, 20)}`, (text) =>
        each.executor('P', text.slice(0, 16_000)),
      ),
      named('a problem for the generator', (text) => each.generator(ofRecord(text))),
    ]),
    named('an entry', (text) => parseEntry(text, DEFAULT_ENTRY_SCHEMA)),
    named('an entry that is short', (text) =>
      parseEntry(JSON.stringify({ advice: text.slice(0, 8000) }), DEFAULT_ENTRY_SCHEMA),
    ),
    named("an entry's reward", (text) => earnsReward(text, DEFAULT_ENTRY_SCHEMA)),
    named('a quote', (text) => misquoteIn(quoting(text.slice(0, 8000)), QUOTING, ofRecord(text))),
    named('a problem that is quoted', (text) => misquoteIn(quoting('two apples'), QUOTING, ofRecord(text))),
    named('a problem that narrows a schema', (text) => groundedSchema(QUOTING, ofRecord(text))),
    ...LEAKING.flatMap((problem) => [
      named(`an entry that may say ${problem.reference}`, (text) => givesAnswerAway(text.slice(0, 16_000), problem)),
      named(`a problem that may say ${problem.reference}`, (text) =>
        givesAnswerAway(problem.reference, { ...problem, prompt: text.slice(0, MOST_PROMPT_CHARACTERS) }),
      ),
    ]),
    named('a memory item', (text) => memoryItemIn(text)),
    named('JSON Lines', lines(columns)),
    ...[...datasetForms.values(), columns].map((form) =>
      named(`a row of ${form.name}`, (text) => lines(form)(row(text))),
    ),
    named('a Parquet file', async (text) => {
      const file = Buffer.from(`PAR1${text}\u0010\u0000\u0000\u0000PAR1`);
      await readAll(readProblems(bytesInMemory(file), { form: columns }));
    }),
  ];
  return { points, close: () => verifiers.close() };
}

const times = (piece: string, length: number): string => piece.repeat(Math.max(1, Math.floor(length / piece.length)));

/** What it is called, and the text, made when it is wanted: together they would not fit. */
export type Text = readonly [string, () => string];

/** Each piece alone, as long as wanted. */
export const singles = (length: number): readonly Text[] =>
  PIECES.map((piece) => [JSON.stringify(piece), () => times(piece, length)]);

/** What careless readers of markers took longest for; drawn pairs may miss it. */
export const markers = (length: number): readonly Text[] =>
  [' ', '\t', '*'].map((piece) => [`answer, many ${JSON.stringify(piece)}`, () => `answer${times(piece, length)}x`]);

/** Two pieces: one before, behind or between many of the other, or both by turns. */
export function pairOf(random: Random, length: number): Text {
  const [a, b] = [random.pick(PIECES), random.pick(PIECES)];
  const shapes: readonly Text[] = [
    [`${JSON.stringify(a)}, many ${JSON.stringify(b)}, x`, () => `${a}${times(b, length)}x`],
    [`many ${JSON.stringify(b)}, ${JSON.stringify(a)}`, () => times(b, length) + a],
    [`${JSON.stringify(a + b)} by turns`, () => times(a + b, length)],
    [`many ${JSON.stringify(a)}, many ${JSON.stringify(b)}`, () => times(a, length / 2) + times(b, length / 2)],
  ];
  return random.pick(shapes);
}

/** Processor time in milliseconds: what waiting for a busy machine takes is in neither. */
export interface Cost {
  /** Of the event loop's thread. */
  readonly loopMs: number;
  /** Of all threads of the process, with those that read and judge next to the event loop. */
  readonly inAllMs: number;
}

/** What one reading took. Anything else than a SeamError is thrown. */
export async function costOf({ read }: EntryPoint, text: string): Promise<Cost> {
  const before = { loop: process.threadCpuUsage(), inAll: process.cpuUsage() };
  try {
    await read(text);
  } catch (error) {
    if (!isSeamError(error) || error.code === 'INTERNAL') throw error;
  }
  const ms = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
  return { loopMs: ms(process.threadCpuUsage(before.loop)), inAllMs: ms(process.cpuUsage(before.inAll)) };
}

/** The most expensive reading by either measure. */
interface Slowest {
  readonly ms: number;
  /** Place and text. */
  readonly of: string;
}

/** Reads all texts at all entry points. Those that took longer than either limit, by place and text: by the median of three readings. */
export async function tooCostly(
  points: readonly EntryPoint[],
  texts: readonly Text[],
  limits: Cost,
): Promise<{ readonly loop: Slowest; readonly inAll: Slowest; readonly faults: readonly string[] }> {
  let [loop, inAll]: [Slowest, Slowest] = [
    { ms: 0, of: '' },
    { ms: 0, of: '' },
  ];
  const faults: string[] = [];
  for (const [title, make] of texts) {
    const text = make();
    for (const point of points) {
      const once = await costOf(point, text);
      const isCheap = once.loopMs <= limits.loopMs && once.inAllMs <= limits.inAllMs;
      const { loopMs, inAllMs } = isCheap
        ? once
        : medianOf([once, await costOf(point, text), await costOf(point, text)]);
      const of = `${point.name}: ${title}`;
      if (loopMs > loop.ms) loop = { ms: loopMs, of };
      if (inAllMs > inAll.ms) inAll = { ms: inAllMs, of };
      if (loopMs > limits.loopMs) faults.push(`${of} took the event loop ${Math.round(loopMs)} ms`);
      else if (inAllMs > limits.inAllMs) faults.push(`${of} took ${Math.round(inAllMs)} ms in all`);
      // What takes so long takes as long for other texts.
      if (faults.length > 20) return { loop, inAll, faults };
    }
  }
  return { loop, inAll, faults };
}

function medianOf(costs: readonly Cost[]): Cost {
  const middle = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[(values.length - 1) / 2]!;
  return { loopMs: middle(costs.map(({ loopMs }) => loopMs)), inAllMs: middle(costs.map(({ inAllMs }) => inAllMs)) };
}
