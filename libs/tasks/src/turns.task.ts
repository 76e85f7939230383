/** A dialogue that continues: the answer is the next turn of the assistant. */
import { isPlainPart, plainPart, type TaskContent, type TurnsTask } from './task.types.js';

const ROLES = ['system', 'user', 'assistant'] as const;
const NAMES = { system: 'System', user: 'User', assistant: 'Assistant' } as const;

type Role = (typeof ROLES)[number];

export function turnsPrompt({ turns }: TurnsTask): string {
  return [...turns.map(({ role, text }) => `${NAMES[role]}: ${text}`), 'Assistant:'].join('\n\n');
}

/** Why turns are no dialogue that can be answered; undefined where they are. */
export function turnsFault(turns: TurnsTask['turns']): string | undefined {
  if (turns.at(-1)?.role !== 'user') return 'a last turn of the user';
  if (turns.some(({ role }, at) => role === 'system' && at > 0)) return 'a turn of the system at the beginning only';
  const said = turns.filter(({ role }) => role !== 'system');
  return said.some(({ role }, at) => role !== (at % 2 === 0 ? 'user' : 'assistant'))
    ? 'turns of user and assistant by turns, the user first'
    : undefined;
}

export function turnsContent({ turns }: TurnsTask): TaskContent {
  return { kind: 'turns', passage: null, title: null, parts: turns.map(({ role, text }) => plainPart(role, text)) };
}

/** Undefined for content of another kind, and for what is no dialogue. */
export function turnsOf({ kind, passage, title, parts }: TaskContent): TurnsTask | undefined {
  if (kind !== 'turns' || passage !== null || title !== null) return undefined;
  const isRole = (role: string): role is Role => ROLES.some((each) => each === role);
  const turns: { role: Role; text: string }[] = [];
  for (const part of parts) {
    const { role, text } = part;
    if (!isRole(role) || !isPlainPart(part)) return undefined;
    turns.push({ role, text });
  }
  return turnsFault(turns) === undefined ? { kind, turns } : undefined;
}
