/** Every adapter that was made: from what, by which run, how it was measured, and whether it is or was served. */
import {
  type AdapterEvaluated,
  type AdapterKind,
  type AdapterPromoted,
  type AdapterPublished,
  type Evaluation,
  GENERATOR_SLOT,
  type OffsetRange,
  TOPIC,
} from '@seamstream/events';
import {
  type Comparison,
  comparisonOf,
  type Decision,
  evolveServedSlots,
  initialServedSlots,
  levelIn,
  type ServedAdapterState,
  type ServedSlots,
  servedIn,
} from '@seamstream/release';
import { advance, type FoldedOffsets, type KeptProjection, sortedEntries } from './projection.js';

/** served: now; promoted: earlier; rejected: its run was refused, or its promotion overtaken; published: not decided yet. */
export type AdapterStatus = 'published' | 'served' | 'promoted' | 'rolledBack' | 'rejected';

export interface AdapterVersion {
  /** 1, 2, 3, … in the order of publication. */
  readonly version: number;
  readonly adapterDigest: string;
  /** The adapter it was trained from; null is the bare base model. */
  readonly parent: string | null;
  readonly runId: string;
  readonly algorithm: string;
  /** What it is served as. */
  readonly slot: string;
  readonly kind: AdapterKind;
  readonly baseModelDigest: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly sizeBytes: number;
  readonly inputs: readonly OffsetRange[];
  readonly manifestDigest: string | null;
  readonly metrics: Readonly<Record<string, number>>;
  /** Milliseconds since the Unix epoch. */
  readonly publishedAt: number;
  readonly status: AdapterStatus;
  /** The measurement that promotion or rejection rests on. */
  readonly evaluation: Evaluation | null;
  /** Null where it was not asked the same problems as its parent, side by side. */
  readonly comparison: Comparison | null;
  /** The rule that promoted it, or the reason of its rejection or rollback, with the person who gave it. */
  readonly reason: string | null;
  /** What was decided about it, and what people measured of it, in the log's order. */
  readonly acts: readonly AdapterAct[];
}

/** Who did what with an adapter, when, why, and its result. */
export interface AdapterAct {
  /** returned: it is served again after the rollback of another. */
  readonly act: 'evaluated' | 'promoted' | 'rolledBack' | 'returned' | 'pinned' | 'unpinned';
  /** A person, or "run ID". */
  readonly by: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly reason: string;
  readonly status: Decision['status'];
  /** Why it changed nothing; empty where it did. */
  readonly hindrance: string;
  /** What was measured, or what the promotion rests on. */
  readonly evaluation: Evaluation | null;
}

/** What holds the served adapter. */
interface AdapterPin {
  /** Null is the bare base model. */
  readonly adapterDigest: string | null;
  readonly by: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly reason: string;
}

/** A decision or an evaluation that the log does not bear out: it changed nothing. */
export interface RefusedDecision {
  readonly type: Decision['event']['type'] | 'AdapterEvaluated';
  readonly messageId: string;
  /** Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** Who says to have decided, e.g. seam/trainer. */
  readonly source: string;
  readonly reason: string;
}

interface Verdict {
  readonly evaluation: Evaluation | null;
  readonly reason: string;
}

type VersionFacts = Omit<AdapterVersion, 'status' | 'evaluation' | 'comparison' | 'reason' | 'acts'>;

export interface AdapterLineageState {
  readonly folded: FoldedOffsets;
  slots: ServedSlots;
  readonly versions: Map<string, VersionFacts>;
  /** Mostly from another topic than the rest: kept apart, so that they may come first. */
  readonly rejections: Map<string, Verdict & { readonly runId: string }>;
}

export interface AdapterLineage {
  /** Digest of the adapter that generators shall serve; null is the bare base model. So are the next three. */
  readonly served: string | null;
  /** Who decided last what is served; null before the first decision. */
  readonly servedBy: AdapterAct | null;
  /** Null where nothing is pinned. */
  readonly pin: AdapterPin | null;
  /** What is served by and by, the base model (null) first: where a rollback leads to stands before the last. */
  readonly history: readonly (string | null)[];
  /** Digests of what the other slots are served with, by slot; those that nothing was promoted for are left out. */
  readonly otherSlots: Readonly<Record<string, string>>;
  /** In the order of publication, of all slots. */
  readonly versions: readonly AdapterVersion[];
  /** Evaluations, then decisions; each in the log's order. */
  readonly refused: readonly RefusedDecision[];
}

function versionOf(event: AdapterPublished, version: number): VersionFacts {
  return {
    version,
    adapterDigest: event.adapterDigest,
    parent: event.parent,
    runId: event.runId,
    algorithm: event.algorithm,
    slot: event.slot,
    kind: event.kind,
    baseModelDigest: event.baseModelDigest,
    key: event.key,
    fingerprint: event.fingerprint,
    sizeBytes: event.sizeBytes,
    inputs: event.inputs,
    manifestDigest: event.manifestDigest,
    metrics: event.metrics,
    publishedAt: event.meta.occurredAt,
  };
}

/** Runs are in several partitions: of two that made the same adapter, the same one counts for every reader. */
function reject(
  rejections: AdapterLineageState['rejections'],
  { adapterDigest, evaluation }: { readonly adapterDigest: string | null; readonly evaluation: Evaluation | null },
  runId: string,
  reason: string,
): void {
  if (adapterDigest !== null && runId <= (rejections.get(adapterDigest)?.runId ?? runId))
    rejections.set(adapterDigest, { evaluation, reason, runId });
}

function evaluationAct({ evaluatedBy, evaluation, meta }: AdapterEvaluated): AdapterAct {
  const reason = `${evaluation.problems} problems of ${evaluation.problemSet}`;
  return {
    act: 'evaluated',
    by: evaluatedBy,
    at: meta.occurredAt,
    reason,
    status: 'counted',
    hindrance: '',
    evaluation,
  };
}

/** A decision as an act on the adapter that it names. */
function actOf({ event, status, reason: hindrance }: Decision): AdapterAct {
  const evaluation = event.type === 'AdapterPromoted' ? event.evaluation : null;
  const common = { at: event.meta.occurredAt, status, hindrance, evaluation };
  switch (event.type) {
    case 'AdapterPromoted':
      return event.runId === null
        ? { act: 'promoted', by: event.promotedBy ?? '', reason: event.reason ?? '', ...common }
        : { act: 'promoted', by: `run ${event.runId}`, reason: event.rule, ...common };
    case 'AdapterRolledBack':
      return { act: 'rolledBack', by: event.rolledBackBy ?? '', reason: event.reason, ...common };
    case 'AdapterPinned':
      return { act: 'pinned', by: event.pinnedBy, reason: event.reason, ...common };
    case 'AdapterUnpinned':
      return { act: 'unpinned', by: event.unpinnedBy, reason: event.reason, ...common };
  }
}

/** The result of every decision: of each adapter the last promotion that counted, and all acts. */
function sorted({ decisions, measured, doubted }: ServedAdapterState): {
  readonly promotions: ReadonlyMap<string, Verdict>;
  readonly acts: ReadonlyMap<string, readonly AdapterAct[]>;
  readonly overtaken: readonly { readonly promotion: AdapterPromoted; readonly reason: string }[];
  readonly refused: readonly RefusedDecision[];
  readonly servedBy: AdapterAct | null;
} {
  const promotions = new Map<string, Verdict>();
  const acts = new Map<string, AdapterAct[]>();
  const note = (digest: string | null, act: AdapterAct): void => {
    if (digest !== null) acts.set(digest, [...(acts.get(digest) ?? []), act]);
  };
  for (const event of measured) if (event.type === 'AdapterEvaluated') note(event.adapterDigest, evaluationAct(event));
  const overtaken: { readonly promotion: AdapterPromoted; readonly reason: string }[] = [];
  const refused: RefusedDecision[] = doubted.map(({ event: { type, adapterDigest, meta }, reason }) => ({
    type,
    messageId: meta.messageId,
    adapterDigest,
    source: meta.source,
    reason,
  }));
  let servedBy: AdapterAct | null = null;
  for (const decision of decisions) {
    const { event, status, reason } = decision;
    const { type, adapterDigest, meta } = event;
    const act = actOf(decision);
    if (status === 'refused')
      refused.push({ type, messageId: meta.messageId, adapterDigest, source: meta.source, reason });
    else note(adapterDigest, act);
    if (event.type === 'AdapterPromoted') {
      if (status === 'overtaken') overtaken.push({ promotion: event, reason });
      if (status !== 'counted') continue;
      servedBy = act;
      const why = event.runId === null ? `${event.promotedBy}: ${event.reason}` : event.rule;
      promotions.set(event.adapterDigest, { evaluation: event.evaluation, reason: why });
    } else if (event.type === 'AdapterRolledBack' && status === 'counted') {
      servedBy = { ...act, act: 'returned' };
      note(event.to, servedBy);
    }
  }
  // Measured and decided are in different lists: ordered by when they happened, and what was decided at the same moment after what was measured.
  for (const [digest, list] of acts)
    acts.set(
      digest,
      list.toSorted((a, b) => a.at - b.at),
    );
  return { promotions, acts, overtaken, refused, servedBy };
}

export const adapterLineageProjection: KeptProjection<AdapterLineageState, AdapterLineage> = {
  name: 'lineage',
  topics: [TOPIC.adapters, TOPIC.training],

  initialState: () => ({
    folded: new Map(),
    slots: initialServedSlots(),
    versions: new Map(),
    rejections: new Map(),
  }),

  evolve(state, event, position) {
    if (!advance(state.folded, position)) return state;
    state.slots = evolveServedSlots(state.slots, event);
    switch (event.type) {
      case 'AdapterPublished': {
        // Equal content is the same adapter, regardless of which run makes it again.
        if (!state.versions.has(event.adapterDigest)) {
          state.versions.set(event.adapterDigest, versionOf(event, state.versions.size + 1));
        }
        break;
      }
      case 'TrainingRunRejected':
        reject(state.rejections, event, event.runId, event.reason);
        break;
      default:
    }
    return state;
  },

  read(state) {
    const { slots } = state;
    const own = servedIn(slots, GENERATOR_SLOT);
    const chains = new Map([...slots].map(([slot, chain]) => [slot, { chain, ...sorted(chain) }]));
    const rejections = new Map(state.rejections);
    for (const { overtaken } of chains.values())
      for (const event of overtaken) reject(rejections, event.promotion, event.promotion.runId ?? '', event.reason);
    const others = sortedEntries(slots).flatMap(([slot, { served }]): [string, string][] =>
      slot === GENERATOR_SLOT || served === null ? [] : [[slot, served.adapterDigest]],
    );
    const { pin, history } = own;
    return {
      served: own.served?.adapterDigest ?? null,
      servedBy: chains.get(GENERATOR_SLOT)!.servedBy,
      pin: pin && { adapterDigest: pin.adapterDigest, by: pin.pinnedBy, at: pin.meta.occurredAt, reason: pin.reason },
      history: history.map((each) => each?.adapterDigest ?? null),
      otherSlots: Object.fromEntries(others),
      refused: [...chains.values()].flatMap(({ refused }) => refused),
      versions: [...state.versions.values()].map((facts) =>
        storyOf(facts, chains.get(facts.slot)!, rejections.get(facts.adapterDigest)),
      ),
    };
  },
};

/** An adapter with what its slot's chain, or else its run, says of it. */
function storyOf(
  facts: VersionFacts,
  { chain, promotions, acts }: { readonly chain: ServedAdapterState } & ReturnType<typeof sorted>,
  rejection: Verdict | undefined,
): AdapterVersion {
  const digest = facts.adapterDigest;
  const promotion = promotions.get(digest);
  const rollback = chain.rolledBack.get(digest);
  const newest = chain.measured.findLast(({ adapterDigest }) => adapterDigest === digest);
  const [status, reason]: [AdapterStatus, string | null] =
    digest === chain.served?.adapterDigest
      ? ['served', promotion?.reason ?? null]
      : rollback !== undefined
        ? ['rolledBack', `${rollback.rolledBackBy}: ${rollback.reason}`]
        : promotion !== undefined
          ? ['promoted', promotion.reason]
          : rejection !== undefined
            ? ['rejected', rejection.reason]
            : ['published', null];
  const evaluation = promotion?.evaluation ?? newest?.evaluation ?? rejection?.evaluation ?? null;
  const plan = chain.runs.get(facts.runId)?.started?.configuration;
  const comparison = evaluation && comparisonOf(evaluation, plan === undefined ? null : levelIn(plan));
  return { ...facts, status, reason, evaluation, comparison, acts: acts.get(digest) ?? [] };
}
