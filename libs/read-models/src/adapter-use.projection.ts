/**
 * Which adapters wrote experiences: how many, first and last, and for which releases. A generator measures the digest from the tensors in use, so
 * this is what was served, next to what was to be served. Records name no instance of a generator.
 */
import { TOPIC } from '@seamstream/events';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

export interface AdapterUse {
  /** Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** Experiences that it wrote. */
  readonly experiences: number;
  /** Of them those that were written to be explored; the others were served. */
  readonly explored: number;
  /** When the first and the last of them were written, in milliseconds since the Unix epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Releases that drew it, by id. */
  readonly releases: readonly {
    readonly releaseId: string;
    /** Experiences that it wrote as the candidate, and as the parent. */
    readonly asCandidate: number;
    readonly asParent: number;
  }[];
}

interface Drawn {
  asCandidate: number;
  asParent: number;
}

interface Use {
  experiences: number;
  explored: number;
  firstAt: number;
  lastAt: number;
  readonly releases: Map<string, Drawn>;
}

export interface AdapterUseState {
  readonly folded: FoldedOffsets;
  /** By digest; '' is the bare base model. */
  readonly adapters: Map<string, Use>;
}

export const adapterUseProjection: KeptProjection<AdapterUseState, readonly AdapterUse[]> = {
  name: 'adapter-use',
  topics: [TOPIC.experiences],

  initialState: () => ({ folded: new Map(), adapters: new Map() }),

  evolve(state, event, position) {
    if (!advance(state.folded, position) || event.type !== 'ExperienceGenerated') return state;
    const { adapterDigest, arm, meta, release } = event;
    const at = meta.occurredAt;
    const name = adapterDigest ?? '';
    const use = state.adapters.get(name) ?? {
      ...{ experiences: 0, explored: 0, firstAt: at, lastAt: at },
      releases: new Map<string, Drawn>(),
    };
    state.adapters.set(name, use);
    use.experiences++;
    if (arm === 'explore') use.explored++;
    use.firstAt = Math.min(use.firstAt, at);
    use.lastAt = Math.max(use.lastAt, at);
    if (release !== undefined && release !== null) {
      const drawn = use.releases.get(release.releaseId) ?? { asCandidate: 0, asParent: 0 };
      use.releases.set(release.releaseId, drawn);
      drawn[release.isCandidate ? 'asCandidate' : 'asParent']++;
    }
    return state;
  },

  read: ({ adapters }) =>
    sortedEntries(adapters).map(([digest, { experiences, explored, firstAt, lastAt, releases }]) => ({
      adapterDigest: digest === '' ? null : digest,
      ...{ experiences, explored, firstAt, lastAt },
      releases: sortedEntries(releases).map(([releaseId, drawn]) => ({ releaseId, ...drawn })),
    })),
};
