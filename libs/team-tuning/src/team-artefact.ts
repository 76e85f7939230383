/**
 * A team in the object store. It is promoted, rolled back and swapped as one:
 *
 *   teams/<digest>/team.json           names every agent's slot and adapter, by digest; the team's digest is that of this content
 *                  train_config.yaml   the settings of the stage that made it: for people
 *   adapters/<digest>/adapter.safetensors   each agent's weights
 */
import type { AdapterPublished } from '@seamstream/events';
import { canonicalJson, SeamError, sha256 } from '@seamstream/kernel';
import { type Adapter, decodeAdapter, encodeAdapter } from '@seamstream/language-model';
import type { ObjectStore } from '@seamstream/object-store';
import { type GeneratorModel, TEAM_FOLDER } from '@seamstream/rollout';
import type { TrainingEngine } from '@seamstream/training-contract';
import type { Artefact, RunPlan, StoredArtefact } from '@seamstream/training-runs';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Team } from './team.js';

export interface TeamMember {
  readonly agent: string;
  readonly slot: string;
  /** Null: the bare base model. */
  readonly adapter: Adapter | null;
}

export interface TeamArtefact extends Artefact {
  readonly kind: 'team';
  /** In the order of the team. */
  readonly members: readonly TeamMember[];
}

const manifestSchema = z.strictObject({
  baseModelDigest: z.string(),
  members: z.array(
    z.strictObject({
      agent: z.string(),
      slot: z.string(),
      adapterDigest: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .nullable(),
    }),
  ),
});

/** @param baseModelDigest of the models of all agents together */
export function teamArtefact(members: readonly TeamMember[], baseModelDigest: string): TeamArtefact {
  return { kind: 'team', members, baseModelDigest, digest: sha256(manifestOf(members, baseModelDigest)) };
}

function manifestOf(members: readonly TeamMember[], baseModelDigest: string): string {
  const named = members.map(({ agent, slot, adapter }) => ({ agent, slot, adapterDigest: adapter?.digest ?? null }));
  return canonicalJson({ baseModelDigest, members: named });
}

/**
 * Of all agents together: each answers its model's probe.
 * @param probe of an agent with its adapter; one with its bare base model is not asked
 */
export async function teamFingerprint(
  members: readonly TeamMember[],
  probe: (member: TeamMember & { readonly adapter: Adapter }, place: number) => Promise<string>,
): Promise<string> {
  const probes: string[] = [];
  for (const [place, { adapter, ...member }] of members.entries())
    probes.push(adapter === null ? 'base' : await probe({ ...member, adapter }, place));
  return sha256(canonicalJson(probes));
}

/** Digest of the models of all agents, in the order of the team: that of the model where they share one. */
export function teamBaseDigest(digests: readonly string[]): string {
  return new Set(digests).size === 1 ? digests[0]! : sha256(canonicalJson(digests));
}

/** What computes an agent, and what trains it. */
export interface AgentEngines {
  readonly model: GeneratorModel;
  readonly engine: TrainingEngine;
  /** The same of the base model whose place it takes; absent where the agent keeps its own. */
  readonly replaced?: Pick<AgentEngines, 'model' | 'engine'>;
}

/**
 * What computes the agents of a team that was promoted, in its order: the base models of the file, or those that they replace.
 * @throws ADAPTER_INVALID where it belongs to neither
 */
export function enginesOf(
  team: TeamArtefact,
  agents: readonly AgentEngines[],
): readonly Pick<AgentEngines, 'model' | 'engine'>[] {
  const known = [agents, agents.map((each) => each.replaced ?? each)];
  const digestOf = (each: (typeof known)[number]): string =>
    teamBaseDigest(each.map(({ engine }) => engine.baseModelDigest));
  const found = known.find((each) => digestOf(each) === team.baseModelDigest);
  if (found !== undefined) return found;
  throw ofOtherModels(team);
}

/** Of a team that belongs to other base models than are there. */
export function ofOtherModels({ digest, baseModelDigest }: TeamArtefact): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot use team ${digest}: expected the base models of the team file, got others (${baseModelDigest}). Name in "replaces" what an agent had before, and swap it (docs/how-to/teams.md).`,
  );
}

/** Of a team that nothing has tuned, with an agent that the file gives another base model. */
export function notAligned(agent: string): SeamError {
  return new SeamError(
    'ADAPTER_INVALID',
    `Cannot tune the team: expected agent ${agent} within reach of what it replaces, got one that was not swapped. Swap it first (seam train swap-agent --set agent=${agent}), or take "replaces" out of the team file.`,
  );
}

/** @throws ADAPTER_INVALID unless the artefact has the agents of the file, in their order */
export function assertMembers({ digest, members }: TeamArtefact, { agents }: Pick<Team, 'agents'>): void {
  const [expected, got] = [agents.map(({ name }) => name), members.map(({ agent }) => agent)];
  if (canonicalJson(expected) === canonicalJson(got)) return;
  throw new SeamError(
    'ADAPTER_INVALID',
    `Cannot use team ${digest}: expected the agents ${expected.join(', ')}, got ${got.join(', ')}. Use the team file that it was tuned with, or another slot.`,
  );
}

/** Where an adapter's weights are, also those of adapters that no team has. */
export const adapterKey = (digest: string): string => `adapters/${digest}/adapter.safetensors`;

/** Weights first: a reader that finds the team finds its agents. */
export async function storeTeam(objects: ObjectStore, team: TeamArtefact, plan: RunPlan): Promise<StoredArtefact> {
  const { members, baseModelDigest, digest } = team;
  for (const { adapter } of members)
    if (adapter !== null) await objects.put(adapterKey(adapter.digest), encodeAdapter(adapter));
  const { runId, algorithm, configuration, seed } = plan;
  const { promotion, evaluation } = configuration;
  const config = { run: runId, algorithm, seed, settings: configuration.algorithm, promotion, evaluation };
  await objects.put(`${TEAM_FOLDER}${digest}/train_config.yaml`, Buffer.from(stringify(config)), {
    contentType: 'application/yaml',
  });
  const body = Buffer.from(manifestOf(members, baseModelDigest));
  const key = `${TEAM_FOLDER}${digest}/team.json`;
  await objects.put(key, body, { contentType: 'application/json' });
  return { key, sizeBytes: body.length };
}

export type TeamManifest = Readonly<z.infer<typeof manifestSchema>>;

/** Who is in a team, without their weights. @throws ADAPTER_INVALID where the object is not what was published; OBJECT_NOT_FOUND */
export async function readTeamManifest(
  objects: Pick<ObjectStore, 'get'>,
  { key, adapterDigest }: Pick<AdapterPublished, 'key' | 'adapterDigest'>,
): Promise<TeamManifest> {
  const bytes = await objects.get(key);
  const parsed = manifestSchema.safeParse(jsonIn(bytes));
  if (sha256(bytes) !== adapterDigest || !parsed.success)
    throw new SeamError(
      'ADAPTER_INVALID',
      `Cannot load team ${adapterDigest}: expected its manifest at ${key}, got other content. Restore the object, or roll back.`,
      { details: { key } },
    );
  return parsed.data;
}

/** @throws ADAPTER_INVALID where the objects are not what was published; OBJECT_NOT_FOUND */
export async function loadTeam(
  objects: ObjectStore,
  published: Pick<AdapterPublished, 'key' | 'adapterDigest'>,
): Promise<TeamArtefact> {
  const { members, baseModelDigest } = await readTeamManifest(objects, published);
  const loaded = await Promise.all(
    members.map(async ({ agent, slot, adapterDigest: digest }): Promise<TeamMember> => {
      const adapter = digest === null ? null : decodeAdapter(await objects.get(adapterKey(digest)), { digest });
      return { agent, slot, adapter };
    }),
  );
  return teamArtefact(loaded, baseModelDigest);
}

function jsonIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
}
