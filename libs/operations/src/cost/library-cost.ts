/** What a run that brings a library on will take, and what recorded ones took. */
import type { EventLog } from '@seamstream/event-log';
import { SeamError } from '@seamstream/kernel';
import { readDeclaredLimits } from '../quotas/index.js';
import { type GivenPrices, knownPrices } from './known-prices.js';
import {
  estimateLibraryRun,
  LIBRARY_STAGES,
  type LibraryEstimate,
  type LibraryRunPlan,
  type LibraryStage,
  type StageEstimate,
} from './library-estimate.decide.js';
import {
  busySeconds,
  planOf,
  type RecordedLibraryRun,
  recordedLibraryRuns,
  recordedSpeed,
  USUAL_SETTINGS,
} from './recorded-library-runs.js';

export interface LibraryCostRequest {
  /** What differs from the plan of the run that is compared with, or from the defaults. */
  readonly plan: Partial<LibraryRunPlan>;
  /** Whose replies and price count; null: the model that replied last. */
  readonly model: string | null;
  /** Tokens that it writes in a second; null: as the log says. */
  readonly tokensPerSecond: number | null;
  readonly prices: GivenPrices;
  /** The first digits of a recorded run that the estimate leaves out and is compared with; null: none. */
  readonly verify: string | null;
}

export interface LibraryCost extends Omit<LibraryEstimate, 'stages'> {
  /** Each with whose recorded replies it rests on: another model's where the log has none of `model` for it; null: on no reply. */
  readonly stages: Readonly<Record<LibraryStage, StageEstimate & { readonly repliesOf: string | null }>>;
  readonly plan: LibraryRunPlan;
  readonly model: string | null;
  readonly currency: string | null;
  /** In millionths; null: no price is known. */
  readonly money: number | null;
  /** Runs that it rests on. */
  readonly runs: number;
  /** What the run took that it is compared with, and how far the tokens of the estimate are from that, as a share. */
  readonly verified: {
    readonly runId: string;
    readonly calls: number;
    readonly tokens: number;
    /** Null where its records do not say it. */
    readonly seconds: number | null;
    readonly error: number;
  } | null;
}

/** As the shipped services are set, where neither a person nor a run says it. */
const DEFAULT_PLAN: Omit<LibraryRunPlan, 'groups'> = { ...USUAL_SETTINGS, groupSize: 8, trajectoryTokens: null };

/** @throws NOT_FOUND for a run to compare with that asked no model; INVALID_INPUT where too little is known */
export async function libraryCost(
  { log, nowMs }: { readonly log: EventLog; readonly nowMs: number },
  request: LibraryCostRequest,
): Promise<LibraryCost> {
  // 1. What is planned.
  const runs = await recordedLibraryRuns(log);
  const compared = request.verify === null ? undefined : runNamed(runs, request.verify);
  const plan = wholePlan(request.plan, compared);
  // 2. What is known of such runs: of the model, or else of another.
  const others = runs.filter((run) => run !== compared && run.settings.evidence === plan.evidence);
  const model = request.model ?? (compared ?? others.at(-1))?.replies.at(-1)!.model ?? null;
  const known = repliesFor(model, others);
  // 3. Calls, tokens, time and money.
  const { replies, modelOf } = known;
  const estimate = estimateLibraryRun(plan, {
    replies,
    ofOthers: LIBRARY_STAGES.filter((stage) => modelOf.get(stage) !== model),
    tokensPerSecond: request.tokensPerSecond ?? recordedSpeed(replies.filter((reply) => reply.model === model)),
  });
  const { stages } = estimate;
  const prices = knownPrices(await readDeclaredLimits(log), request.prices, nowMs);
  const used = { prompt: estimate.promptTokens, completion: estimate.responseTokens };
  return {
    ...estimate,
    stages: {
      summary: restingOn(stages.summary, modelOf.get('summary')),
      advantage: restingOn(stages.advantage, modelOf.get('advantage')),
      consolidation: restingOn(stages.consolidation, modelOf.get('consolidation')),
    },
    ...{ plan, model, runs: known.runs },
    ...{ currency: prices.currency, money: model === null ? null : prices.moneyOf(model, used) },
    verified: compared === undefined ? null : verifiedBy(estimate, compared),
  };
}

function wholePlan(given: Partial<LibraryRunPlan>, compared: RecordedLibraryRun | undefined): LibraryRunPlan {
  const { groups, ...plan } = { ...DEFAULT_PLAN, ...(compared === undefined ? {} : planOf(compared)), ...given };
  if (groups !== undefined) return { ...plan, groups };
  throw new SeamError(
    'INVALID_INPUT',
    'Cannot estimate a run of a library: expected how many groups count, got none. Say it (--groups), or name a run that has ended (--verify).',
  );
}

function restingOn(
  stage: StageEstimate,
  model: string | undefined,
): StageEstimate & { readonly repliesOf: string | null } {
  return { ...stage, repliesOf: stage.replies === 0 ? null : (model ?? null) };
}

/** Of each stage the model's replies; where it has none of a stage those of the model that replied last in it. */
function repliesFor(
  model: string | null,
  runs: readonly RecordedLibraryRun[],
): Pick<RecordedLibraryRun, 'replies'> & {
  readonly modelOf: ReadonlyMap<LibraryStage, string>;
  readonly runs: number;
} {
  const all = runs.flatMap(({ replies }) => replies);
  const modelOf = new Map<LibraryStage, string>();
  for (const reply of all) if (modelOf.get(reply.stage) !== model) modelOf.set(reply.stage, reply.model);
  const isOf = (reply: (typeof all)[number]): boolean => modelOf.get(reply.stage) === reply.model;
  return {
    modelOf,
    replies: all.filter(isOf),
    runs: runs.filter(({ replies }) => replies.some(isOf)).length,
  };
}

function runNamed(runs: readonly RecordedLibraryRun[], digits: string): RecordedLibraryRun {
  const found = runs.filter(({ runId }) => runId.startsWith(digits));
  if (found.length === 1) return found[0]!;
  const names = runs.map(({ runId }) => runId).join(', ') || 'none';
  throw new SeamError(
    'NOT_FOUND',
    `Cannot compare the estimate with run ${digits}: expected one that asked a model, got ${found.length} of ${names}. Name one of them.`,
  );
}

function verifiedBy(estimate: LibraryEstimate, { runId, replies }: RecordedLibraryRun): LibraryCost['verified'] {
  const tokens = replies.reduce((total, each) => total + each.promptTokens + each.responseTokens, 0);
  const error = (estimate.promptTokens + estimate.responseTokens - tokens) / tokens;
  return { runId, calls: replies.length, tokens, seconds: busySeconds(replies), error };
}
