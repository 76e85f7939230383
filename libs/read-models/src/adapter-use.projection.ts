/**
 * Which adapters wrote experiences: how many, first and last, and for which releases. A generator measures the digest from the tensors in use, so
 * this is what was served, next to what was to be served. Records name no instance of a generator.
 *
 * A digest is what a record says. Only adapters that were published have a row, and only releases that were planned are named with it. All other
 * digests are counted together: a process that may write experiences must fill neither memory nor a page. What was written by an adapter before
 * its publication was read is in the cells until then.
 */
import { TOPIC, tenantOf } from '@seamstream/events';
import { compareText, sha256 } from '@seamstream/kernel';
import { type Cells, MemoryCells } from './cells.js';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

export interface AdapterUse {
  /** Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** Experiences that it wrote; one that was delivered again counts once. */
  readonly experiences: number;
  /** Of them those that were written to be explored; the others were served. */
  readonly explored: number;
  /** When the first and the last of them were written, in milliseconds since the Unix epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Planned releases that drew it, by id. */
  readonly releases: readonly {
    readonly releaseId: string;
    /** Experiences that it wrote as the candidate, and as the parent. */
    readonly asCandidate: number;
    readonly asParent: number;
  }[];
}

/** Experiences whose digest is that of no published adapter. */
export interface UnknownUse {
  readonly digests: number;
  readonly experiences: number;
  readonly explored: number;
  /** When the last of them was written. Null: those were written before the last uses of {@link MOST_UNKNOWN} others that were published since. */
  readonly lastAt: number | null;
  /** Some of the digests, those in use last first; one that is longer than a digest is named by its SHA-256. */
  readonly latest: readonly string[];
}

export interface AdapterUses {
  /** Of the base model and of published adapters, by digest. */
  readonly adapters: readonly AdapterUse[];
  /** Null where there is none. */
  readonly unknown: UnknownUse | null;
}

type Drawn = readonly [asCandidate: number, asParent: number];
type Tally = readonly [experiences: number, explored: number, firstAt: number, lastAt: number];

interface Use {
  tally: Tally;
  readonly releases: Map<string, Drawn>;
}

export interface AdapterUseState {
  readonly folded: FoldedOffsets;
  /** Experiences that were counted; uses and draws of what was not published or planned yet. */
  readonly cells: Cells;
  /** Of what was published, by digest; '' is the bare base model. */
  readonly adapters: Map<string, Use>;
  readonly planned: Set<string>;
  /** All that were written, by whichever digest. */
  readonly all: { digests: number; experiences: number; explored: number };
  /** The last uses of digests that were not published then. */
  readonly lastUses: Map<string, number>;
}

const NOTHING: Tally = [0, 0, Infinity, -Infinity];
const UNDRAWN: Drawn = [0, 0];
const DIGEST_LENGTH = 64;
/** Of unknown digests so many are remembered by their last use, and so many are named. */
const MOST_UNKNOWN = 1000;
const MOST_NAMED = 5;

export const adapterUseProjection: KeptProjection<AdapterUseState, AdapterUses> = {
  name: 'adapter-use',
  topics: [TOPIC.experiences, TOPIC.adapters],

  initialState: (cells = new MemoryCells()) => ({
    ...{ folded: new Map(), cells, adapters: new Map([['', { tally: NOTHING, releases: new Map<string, Drawn>() }]]) },
    ...{ planned: new Set(), all: { digests: 0, experiences: 0, explored: 0 }, lastUses: new Map() },
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    if (event.type === 'AdapterPublished') publish(state, nameOf(event.adapterDigest));
    else if (event.type === 'ReleasePlanned') plan(state, event.releaseId);
    else if (event.type === 'ExperienceGenerated') {
      const { meta, problem, experienceId } = event;
      // By partition: a redelivery is where the first one is, and no other record takes the place of an experience.
      const cell = sha256(JSON.stringify([position.partition, tenantOf(meta), problem.problemId, experienceId]));
      if (state.cells.get(cell) !== undefined) return state;
      state.cells.set(cell, '');
      count(state, event);
    }
    return state;
  },

  read(state) {
    const known = sortedEntries(state.adapters).filter(([, { tally }]) => tally[0] > 0);
    return {
      adapters: known.map(([digest, { tally, releases }]): AdapterUse => {
        const [experiences, explored, firstAt, lastAt] = tally;
        return {
          ...{ adapterDigest: digest === '' ? null : digest, experiences, explored, firstAt, lastAt },
          releases: sortedEntries(releases).map(([releaseId, [asCandidate, asParent]]) => ({
            ...{ releaseId, asCandidate, asParent },
          })),
        };
      }),
      unknown: unknownIn(
        state,
        known.map(([, { tally }]) => tally),
      ),
    };
  },
};

/** A digest may be any text: a long one is known by its own digest. */
const nameOf = (digest: string): string => (digest.length > DIGEST_LENGTH ? sha256(digest) : digest);

interface Written {
  readonly adapterDigest: string | null;
  readonly arm: string;
  readonly meta: { readonly occurredAt: number };
  readonly release?: { readonly releaseId: string; readonly isCandidate: boolean } | null | undefined;
}

function count(state: AdapterUseState, { adapterDigest, arm, meta: { occurredAt: at }, release }: Written): void {
  const name = nameOf(adapterDigest ?? '');
  const isExplored = arm === 'explore' ? 1 : 0;
  const use = state.adapters.get(name);
  const before = use?.tally ?? tallyIn(state, name);
  const [experiences, explored, firstAt, lastAt] = before;
  const tally: Tally = [experiences + 1, explored + isExplored, Math.min(firstAt, at), Math.max(lastAt, at)];
  state.all.experiences++;
  state.all.explored += isExplored;
  if (experiences === 0) state.all.digests++;
  if (use === undefined) {
    state.cells.set(useCell(name), JSON.stringify(tally));
    noteLast(state.lastUses, name, tally[3]);
  } else use.tally = tally;
  if (release !== undefined && release !== null) draw(state, name, release.releaseId, release.isCandidate);
}

function draw({ adapters, planned, cells }: AdapterUseState, name: string, id: string, isCandidate: boolean): void {
  const use = adapters.get(name);
  const cell = drawCell(name, id);
  const isNamed = use !== undefined && planned.has(id);
  const [asCandidate, asParent] = (isNamed ? use.releases.get(id) : drawnIn(cells, cell)) ?? UNDRAWN;
  const drawn: Drawn = isCandidate ? [asCandidate + 1, asParent] : [asCandidate, asParent + 1];
  if (isNamed) use.releases.set(id, drawn);
  else cells.set(cell, JSON.stringify(drawn));
}

function publish(state: AdapterUseState, name: string): void {
  if (state.adapters.has(name)) return;
  const use: Use = { tally: tallyIn(state, name), releases: new Map() };
  state.adapters.set(name, use);
  for (const releaseId of state.planned) takeDraws(state, name, use, releaseId);
}

function plan(state: AdapterUseState, releaseId: string): void {
  if (state.planned.has(releaseId)) return;
  state.planned.add(releaseId);
  for (const [name, use] of state.adapters) takeDraws(state, name, use, releaseId);
}

function takeDraws({ cells }: AdapterUseState, name: string, use: Use, releaseId: string): void {
  const drawn = drawnIn(cells, drawCell(name, releaseId));
  if (drawn !== undefined) use.releases.set(releaseId, drawn);
}

const useCell = (name: string): string => `use ${name}`;
const drawCell = (name: string, releaseId: string): string => sha256(JSON.stringify(['draws', name, releaseId]));

const tallyIn = ({ cells }: AdapterUseState, name: string): Tally =>
  (JSON.parse(cells.get(useCell(name)) ?? 'null') as Tally | null) ?? NOTHING;

const drawnIn = (cells: Cells, cell: string): Drawn | undefined =>
  (JSON.parse(cells.get(cell) ?? 'null') as Drawn | null) ?? undefined;

/** Cut now and then: those that are left are the last in any order of reading. */
function noteLast(lastUses: Map<string, number>, name: string, at: number): void {
  lastUses.set(name, at);
  if (lastUses.size <= 2 * MOST_UNKNOWN) return;
  const kept = lastFirst(lastUses).slice(0, MOST_UNKNOWN);
  lastUses.clear();
  for (const [digest, last] of kept) lastUses.set(digest, last);
}

const lastFirst = (lastUses: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...lastUses].sort(([a, at], [b, bt]) => bt - at || compareText(a, b));

function unknownIn({ all, lastUses, adapters }: AdapterUseState, known: readonly Tally[]): UnknownUse | null {
  const digests = all.digests - known.length;
  if (digests === 0) return null;
  const unknown = lastFirst(lastUses)
    .slice(0, MOST_UNKNOWN)
    .filter(([name]) => !adapters.has(name));
  return {
    digests,
    experiences: known.reduce((rest, [experiences]) => rest - experiences, all.experiences),
    explored: known.reduce((rest, [, explored]) => rest - explored, all.explored),
    lastAt: unknown[0]?.[1] ?? null,
    latest: unknown.slice(0, MOST_NAMED).map(([name]) => name),
  };
}
