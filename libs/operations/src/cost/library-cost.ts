/** What a run that brings a library on will take, and what recorded ones took. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { SeamError } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { readDeclaredLimits } from '../quotas/index.js';
import { type GivenPrices, knownPrices } from './known-prices.js';
import {
  estimateLibraryRun,
  LIBRARY_STAGES,
  type LibraryEstimate,
  type LibraryRunPlan,
  type LibraryStage,
  type RecordedRuns,
  type ReplyFigures,
} from './library-estimate.decide.js';

export interface LibraryCostRequest extends LibraryRunPlan {
  /** Whose price counts; null: the model of the recorded replies. */
  readonly model: string | null;
  /** Tokens that it writes in a second; null: as the log says. */
  readonly tokensPerSecond: number | null;
  readonly prices: GivenPrices;
  /** The first digits of a recorded run that the estimate leaves out and is compared with; null: none. */
  readonly verify: string | null;
}

interface UsedByRun {
  readonly runId: string;
  readonly calls: number;
  readonly tokens: number;
  readonly seconds: number;
}

export interface LibraryCost extends LibraryEstimate {
  readonly model: string | null;
  readonly currency: string | null;
  /** In millionths; null: no price is known. */
  readonly money: number | null;
  /** Runs that it rests on. */
  readonly runs: number;
  /** What the run took that it is compared with, and how far the tokens of the estimate are from that, as a share. */
  readonly verified: (UsedByRun & { readonly error: number }) | null;
}

/** A recorded run that asked a model. */
interface AskingRun {
  readonly replies: (ReplyFigures & { readonly model: string })[];
  startedAt: number | undefined;
  lastReplyAt: number;
  /** Calls and unread ones, as its end records them. */
  calls: number;
  unread: number;
}

/** @throws NOT_FOUND for a run to compare with that asked no model; INVALID_INPUT where too little is known */
export async function libraryCost(
  { log, nowMs }: { readonly log: EventLog; readonly nowMs: number },
  request: LibraryCostRequest,
): Promise<LibraryCost> {
  const runs = await readRuns(log);
  const compared = request.verify === null ? undefined : runNamed(runs, request.verify);
  const others = [...runs].filter(([runId]) => runId !== compared).map(([, run]) => run);
  const models = new Set([...runs.values()].flatMap(({ replies }) => replies.map(({ model }) => model)));
  const [only] = models;
  const model = request.model ?? (models.size === 1 ? only! : null);
  const known = recordedOf(others, request.tokensPerSecond);
  const estimate = estimateLibraryRun(request, known);
  const prices = knownPrices(await readDeclaredLimits(log), request.prices, nowMs);
  const used = { prompt: estimate.promptTokens, completion: estimate.responseTokens };
  return {
    ...estimate,
    ...{ model, currency: prices.currency, money: model === null ? null : prices.moneyOf(model, used) },
    runs: others.length,
    verified: compared === undefined ? null : verifiedBy(estimate, compared, runs.get(compared)!),
  };
}

async function readRuns(log: EventLog): Promise<ReadonlyMap<string, AskingRun>> {
  const runs = new Map<string, AskingRun>();
  const started = new Map<string, number>();
  for await (const { events } of readTopics(log, [TOPIC.training], { undecodable: 'skip' }))
    for (const { event } of events) {
      if (event.type === 'TrainingRunStarted') started.set(event.runId, event.meta.occurredAt);
      if (event.type === 'LibraryReplyRecorded' && isStage(event.stage)) {
        const { runId, stage, model, promptTokens, responseTokens } = event;
        const run = runs.get(runId) ?? {
          replies: [],
          startedAt: started.get(runId),
          lastReplyAt: 0,
          calls: 0,
          unread: 0,
        };
        run.replies.push({ stage, model, promptTokens, responseTokens });
        run.lastReplyAt = Math.max(run.lastReplyAt, event.meta.occurredAt);
        runs.set(runId, run);
      }
      if (event.type === 'TrainingRunCompleted' || event.type === 'TrainingRunRejected') {
        const run = runs.get(event.runId);
        if (run === undefined) continue;
        run.calls = event.metrics.calls ?? 0;
        run.unread = event.metrics.unreadReplies ?? 0;
      }
    }
  return runs;
}

const isStage = (stage: string): stage is LibraryStage => (LIBRARY_STAGES as readonly string[]).includes(stage);

function recordedOf(runs: readonly AskingRun[], given: number | null): RecordedRuns {
  const sum = (of: (run: AskingRun) => number): number => runs.reduce((total, run) => total + of(run), 0);
  const read = sum(({ calls, unread }) => calls - unread);
  const seconds = sum(secondsOf);
  const written = sum(({ replies }) => replies.reduce((total, { responseTokens }) => total + responseTokens, 0));
  return {
    replies: runs.flatMap(({ replies }) => replies),
    tries: read > 0 ? sum(({ calls }) => calls) / read : 1,
    tokensPerSecond: given ?? (seconds > 0 ? written / seconds : null),
  };
}

const secondsOf = ({ startedAt, lastReplyAt }: AskingRun): number =>
  startedAt === undefined ? 0 : Math.max(0, lastReplyAt - startedAt) / 1000;

function runNamed(runs: ReadonlyMap<string, AskingRun>, digits: string): string {
  const found = [...runs.keys()].filter((runId) => runId.startsWith(digits));
  if (found.length === 1) return found[0]!;
  throw new SeamError(
    'NOT_FOUND',
    `Cannot compare the estimate with run ${digits}: expected one that asked a model, got ${found.length} of ${[...runs.keys()].join(', ') || 'none'}. Name one of them.`,
  );
}

function verifiedBy(estimate: LibraryEstimate, runId: string, run: AskingRun): LibraryCost['verified'] {
  const tokens = run.replies.reduce((total, each) => total + each.promptTokens + each.responseTokens, 0);
  const error = (estimate.promptTokens + estimate.responseTokens - tokens) / tokens;
  return { runId, calls: run.replies.length, tokens, seconds: secondsOf(run), error };
}
