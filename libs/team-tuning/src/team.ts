/** A team: agents in their order, each with a base model, the slot of its adapters and what it is asked. */
import { GENERATOR_SLOT } from '@seamstream/events';
import { ENTRY_FIELDS } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import { parse } from 'yaml';
import { z } from 'zod';

/** Where a role prompt has the problem, and what the agents before wrote. */
const PLACES = /\{(problem|before)\}/g;
const DEFAULT_ROLES = {
  vote: '{problem}',
  chain: '{problem}\n{before}',
};

/** Names become folders and labels; parts of a slot are separated by a slash. */
const slotSchema = z
  .string()
  .max(100)
  .regex(
    /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/i,
    'expected letters, digits, ., _ and -, in parts separated by /, at most 100',
  )
  // What serves it expects weights or a library, and takes no team.
  .refine((slot) => alike(slot) !== GENERATOR_SLOT, `${GENERATOR_SLOT} is the slot of the generators`);

const agentSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/i, 'expected letters, digits, - and _, at most 40'),
  /** Folder of its base model, as Hugging Face publishes one. */
  path: z.string().min(1),
  /** Folder of the base model of the agent whose place it takes, for a swap; absent: its own. */
  replaces: z.string().min(1).optional(),
  /** What its adapters are published for; by default the team's slot and its name. */
  slot: slotSchema.optional(),
  /** What it is asked: {problem} once, and in a chain {before} at most once. */
  role: z.string().min(1).optional(),
  /** The field of the entry that it writes; absent: it writes text. */
  field: z.enum(ENTRY_FIELDS).optional(),
});

const teamSchema = z
  .strictObject({
    /** chain: each agent reads what those before it wrote. vote: each answers by itself, and the majority counts. */
    topology: z.enum(['chain', 'vote']).default('vote'),
    slot: slotSchema.default('team'),
    agents: z.array(agentSchema).min(1).max(16),
  })
  .superRefine(({ topology, slot: teamSlot, agents }, context) => {
    const refuse = (path: (string | number)[], message: string): void => {
      context.addIssue({ code: 'custom', path, message });
    };
    const firstLike = (word: string, wordOf: (agent: (typeof agents)[number]) => string): number =>
      agents.findIndex((each) => alike(wordOf(each)) === alike(word));
    const slotOf = (agent: (typeof agents)[number]): string => agentSlot(teamSlot, agent);
    agents.forEach((agent, at) => {
      const { name, role, field } = agent;
      const [named, slotted] = [firstLike(name, (each) => each.name), firstLike(slotOf(agent), slotOf)];
      if (named < at) refuse(['agents', at, 'name'], isThere(name, agents[named]!.name));
      else if (slotted < at)
        refuse(['agents', at, 'slot'], `${slotOf(agent)} is the slot of ${agents[slotted]!.name} already`);
      const places = [...(role ?? DEFAULT_ROLES[topology]).matchAll(PLACES)].map(([, place]) => place);
      if (places.filter((place) => place === 'problem').length !== 1)
        refuse(['agents', at, 'role'], 'expected {problem} exactly once');
      if (places.filter((place) => place === 'before').length > (topology === 'chain' ? 1 : 0))
        refuse(
          ['agents', at, 'role'],
          topology === 'chain' ? 'expected {before} at most once' : 'no agent comes before in a vote',
        );
      if (field !== undefined && agents.findIndex((each) => each.field === field) < at)
        refuse(['agents', at, 'field'], `${field} is written by another agent`);
    });
    const writers = agents.filter(({ field }) => field !== undefined).length;
    if (writers > 0 && (writers < agents.length || topology === 'vote'))
      refuse(['agents'], 'expected a field of the entry for every agent of a chain, or for none');
  });

/** Some file systems have one folder for names that differ by case only. */
function alike(name: string): string {
  return name.toLowerCase();
}

function isThere(name: string, other: string): string {
  return name === other ? `${name} is there twice` : `${name} differs from ${other} by case only`;
}

function agentSlot(
  teamSlot: string,
  { name, slot }: { readonly name: string; readonly slot?: string | undefined },
): string {
  return slot ?? `${teamSlot}/${name}`;
}

export interface Agent {
  readonly name: string;
  readonly path: string;
  /** Folder of the base model of the agent whose place it takes; null: its own. */
  readonly replaces: string | null;
  readonly slot: string;
  readonly role: string;
  readonly field: (typeof ENTRY_FIELDS)[number] | null;
}

export interface Team {
  readonly topology: 'chain' | 'vote';
  readonly slot: string;
  /** In the order in which they act. */
  readonly agents: readonly Agent[];
}

/**
 * @param name of the file, for errors
 * @param topology goes before that of the file
 * @throws INVALID_CONFIGURATION listing all faults
 */
export function parseTeam(text: string, name: string, topology?: Team['topology']): Team {
  let given: unknown;
  try {
    given = parse(text);
  } catch (cause) {
    throw faulty(name, cause instanceof Error ? cause.message.replaceAll('\n', ' ') : String(cause), cause);
  }
  if (topology === undefined || typeof given !== 'object' || Array.isArray(given)) return teamOf(given, name);
  return teamOf({ ...given, topology }, name);
}

/** @throws INVALID_CONFIGURATION */
export function teamOf(given: unknown, name: string): Team {
  const parsed = teamSchema.safeParse(given);
  if (!parsed.success) throw faulty(name, z.prettifyError(parsed.error).replaceAll('\n', '; '), parsed.error);
  const { topology, slot, agents } = parsed.data;
  return {
    topology,
    slot,
    agents: agents.map((agent) => ({
      name: agent.name,
      path: agent.path,
      replaces: agent.replaces ?? null,
      slot: agentSlot(slot, agent),
      role: agent.role ?? DEFAULT_ROLES[topology],
      field: agent.field ?? null,
    })),
  };
}

/** @param toDo what it is asked for, for the error. @throws INVALID_CONFIGURATION where the team has no agent of this name */
export function placeOf({ agents }: Pick<Team, 'agents'>, agent: string | null, toDo: string): number {
  const place = agents.findIndex(({ name }) => name === agent);
  if (place >= 0) return place;
  const names = agents.map(({ name }) => name).join(', ');
  throw new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot ${toDo}: expected one of the agents ${names}, got ${agent ?? 'no name'}. Name it, as in --set agent=solver. docs/how-to/teams.md explains it.`,
  );
}

/** What an agent is asked. Braces in the problem or in what came before are no places. */
export function askedOf(
  { role }: Pick<Agent, 'role'>,
  given: { readonly problem: string; readonly before: string },
): string {
  return role.replaceAll(PLACES, (_, place: 'problem' | 'before') => given[place]);
}

function faulty(name: string, fault: string, cause: unknown): SeamError {
  return new SeamError(
    'INVALID_CONFIGURATION',
    `Cannot read team ${name}: expected topology and agents with name and path, got ${fault}. Write e.g. "agents: [{name: solver, path: models/generator-base}]".`,
    { cause },
  );
}
