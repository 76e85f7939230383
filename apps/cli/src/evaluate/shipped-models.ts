/** The remark for users with their own questions, before the demonstration's models are asked. */
import * as attributes from '@seamstream/attribute-world';
import * as embedded from '@seamstream/embedded-world';
import type { ControlRow } from '@seamstream/evaluation';
import { onOneLine, plural } from '@seamstream/kernel';
import type { Models } from '@seamstream/operations/evaluate';
import * as passages from '@seamstream/passage-world';
import type { Terminal } from '../terminal/terminal.js';

type Role = 'generator' | 'executor';

/** A way of coming to an answer: who gives it, and whether an entry that the generator wrote is given along. */
export interface Way {
  /** As it is in a table; undefined where there is one way only. */
  readonly name?: string;
  readonly solver: Role;
  readonly withEntries: boolean;
}

const byExecutor = { solver: 'executor', withEntries: false } as const;
const withEntry = { solver: 'executor', withEntries: true } as const;
const byGenerator = { solver: 'generator', withEntries: false } as const;

/** The ways that evaluations and studies compare. */
const WAY_OF: Readonly<Record<ControlRow | 'timeToCorrect', Way>> = {
  noExperience: byExecutor,
  wrapperOnly: byExecutor,
  fixedHint: byExecutor,
  otherProblemsEntry: withEntry,
  untrained: withEntry,
  trained: withEntry,
  answerRemoved: withEntry,
  // The entry is read as the answer.
  entryAlone: byGenerator,
  generatorAlone: byGenerator,
  timeToCorrect: withEntry,
};

export function waysOf(rows: readonly (keyof typeof WAY_OF)[]): readonly Way[] {
  return rows.map((name) => ({ name, ...WAY_OF[name] }));
}

/** The worlds that models are shipped for, by the method whose demonstration they are. */
const WORLDS = [
  { method: 'experiences', ...worldOf(embedded) },
  { method: 'attributes', ...worldOf(attributes) },
  { method: 'self-edits', ...worldOf(passages) },
] as const;

type World = Pick<typeof embedded | typeof attributes | typeof passages, 'SHIPPED_MODELS' | 'unknownWords'>;

function worldOf({ SHIPPED_MODELS, unknownWords }: World): World {
  return { SHIPPED_MODELS, unknownWords };
}

/** Enough to see what kind of words they are. */
const WORDS_SHOWN = 4;

const SETTING: Readonly<Record<Role, string>> = {
  generator: 'SEAM_GENERATOR_MODEL_FOLDER',
  executor: 'SEAM_EXECUTOR_MODEL_FOLDER (or SEAM_EXECUTOR_DRIVER=endpoint with its URL and model)',
};

/**
 * A remark where shipped models are asked with words that they were never shown: its effect on each way, and what to set. Null where all
 * words are known, or no shipped model is asked.
 */
function unknownWordsRemark(
  { generator, environment }: Pick<Models, 'generator' | 'environment'>,
  questions: readonly { readonly prompt: string }[],
  ways: readonly Way[],
): string | null {
  const shipped = {
    generator: WORLDS.find(({ SHIPPED_MODELS }) => generator.digest === SHIPPED_MODELS.generator),
    executor: WORLDS.find(({ SHIPPED_MODELS }) => environment.identity.revision === SHIPPED_MODELS.executor),
  };
  const isShipped = (role: Role): boolean => shipped[role] !== undefined;
  const hopeless = ways.filter(({ solver }) => isShipped(solver));
  const blind = ways.filter(({ solver, withEntries }) => withEntries && isShipped('generator') && !isShipped(solver));
  if (hopeless.length + blind.length === 0) return null;
  const asked = (['generator', 'executor'] as const).filter(
    (role) =>
      isShipped(role) &&
      ways.some(({ solver, withEntries }) => solver === role || (role === 'generator' && withEntries)),
  );
  const worlds = WORLDS.filter((world) => asked.some((role) => shipped[role] === world));
  const unknown = questions
    .map(({ prompt }) => worlds.flatMap(({ unknownWords }) => unknownWords(prompt)))
    .filter((words) => words.length > 0);
  if (unknown.length === 0) return null;
  const who = asked.length === 2 ? 'The shipped models know' : `The shipped ${asked[0]!} knows`;
  const words = new Set(unknown.flat());
  const shown = [...words].slice(0, WORDS_SHOWN).map((word) => JSON.stringify(onOneLine(word)));
  const named = (some: readonly Way[], preposition: string): string =>
    some.length === ways.length ? '' : ` ${preposition} ${some.map(({ name }) => name).join(', ')}`;
  const consequences = [
    ...(hopeless.length === 0 ? [] : [`next to nothing of that will be solved${named(hopeless, 'by')}`]),
    ...(blind.length === 0 ? [] : [`its entries will say next to nothing of that${named(blind, 'in')}`]),
  ];
  return `${who} only the demonstration's words (--method ${worlds.map(({ method }) => method).join(', ')}): ${unknown.length} of ${plural(questions.length, 'question')} hold${unknown.length === 1 ? 's' : ''} others (${shown.join(', ')}${words.size > shown.length ? ', …' : ''}), and ${consequences.join(', ')}. Set ${asked.map((role) => SETTING[role]).join(' and ')}: README, "With real models".`;
}

export function tellUnknownWords(
  terminal: Terminal,
  models: Pick<Models, 'generator' | 'environment'>,
  questions: readonly { readonly prompt: string }[],
  ways: readonly Way[],
): void {
  const remark = unknownWordsRemark(models, questions, ways);
  if (remark !== null) terminal.remark(terminal.style.yellow(remark));
}
