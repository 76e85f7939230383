/** An event in one line of words, and a record as plain data. Pure. */

import { type EventOf, promptOrName, type QuotaMeasure, type SeamEvent } from '@seamstream/events';
import { bytes, count, excerpt, onOneLine, percent, plural, shortId } from '@seamstream/kernel';
import type { DecodedRecord } from '@seamstream/log-reader';
import { shardNameOf } from '@seamstream/success-buffer/shards';

/** Characters of a prompt, entry or reason on a line. */
const TEXT_WIDTH = 56;

const quoted = (text: string): string => `"${excerpt(text, TEXT_WIDTH)}"`;
const adapterName = (digest: string | null): string => (digest === null ? 'base' : shortId(digest));

function metricsText(metrics: Readonly<Record<string, number>>): string {
  return Object.entries(metrics)
    .slice(0, 4)
    .map(([name, value]) => `${onOneLine(name)}=${Number.isInteger(value) ? value : Number(value.toPrecision(4))}`)
    .join(' ');
}

type RunEvent = EventOf<
  | 'TrainingRunPlanned'
  | 'TrainingRunStarted'
  | 'TrainingRunCheckpointed'
  | 'TrainingRunCompleted'
  | 'TrainingRunFailed'
  | 'TrainingRunRejected'
  | 'TrainingRunCancelled'
>;

function isOfRun(event: SeamEvent): event is RunEvent {
  return event.type.startsWith('TrainingRun');
}

/** What an event of a training run says. */
function runSummary(event: RunEvent): string {
  switch (event.type) {
    case 'TrainingRunPlanned':
      return `${shortId(event.runId)} ${onOneLine(event.algorithm)} for ${event.queue === '' ? 'who asked' : onOneLine(event.queue)} from ${adapterName(event.parentAdapter)} on ${plural(recordsIn(event.inputs), 'record')}`;
    case 'TrainingRunStarted':
      return `${shortId(event.runId)} ${onOneLine(event.algorithm)} from ${adapterName(event.parentAdapter)} on ${plural(recordsIn(event.inputs), 'record')}`;
    case 'TrainingRunCheckpointed':
      return `${shortId(event.runId)} step ${count(event.step)} ${metricsText(event.metrics)}`;
    case 'TrainingRunCompleted':
      return `${shortId(event.runId)} made ${shortId(event.adapterDigest)} in ${plural(event.steps, 'step')}, ${(event.durationMs / 1000).toFixed(1)} s ${metricsText(event.metrics)}`;
    case 'TrainingRunFailed':
      return `${shortId(event.runId)} ${onOneLine(event.code)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'TrainingRunRejected':
      return `${shortId(event.runId)} ${event.adapterDigest === null ? '' : `${shortId(event.adapterDigest)} `}${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'TrainingRunCancelled':
      return `${shortId(event.runId)} by ${onOneLine(event.cancelledBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
  }
}

type TeamEvent = EventOf<
  | 'TeamTurnTaken'
  | 'TeamRolloutJudged'
  | 'TeamBatchSampled'
  | 'AgentUpdateTried'
  | 'AgentUpdated'
  | 'AgentSwapped'
  | 'AgentWarmedUp'
  | 'TeamPreferencePublished'
  | 'TeamEvaluated'
>;

function isOfTeam(event: SeamEvent): event is TeamEvent {
  return event.type.startsWith('Team') || event.type.startsWith('Agent');
}

/** What an event of a team says. */
function teamSummary(event: TeamEvent): string {
  switch (event.type) {
    case 'TeamTurnTaken':
      return `${shortId(event.problemId)} ${onOneLine(event.agent)} turn ${event.turn + 1} of rollout ${event.candidate + 1} by ${adapterName(event.adapterDigest)} ${excerpt(event.text, TEXT_WIDTH)}`;
    case 'TeamRolloutJudged':
      return `${shortId(event.problemId)} rollout ${event.candidate + 1}/${event.groupSize} ${event.success ? 'solved' : 'not solved'}: ${excerpt(event.outcome ?? 'no outcome', TEXT_WIDTH)}`;
    case 'TeamBatchSampled':
      return `${shortId(event.runId)} batch ${event.batch + 1}: ${event.successes} of ${plural(event.rollouts, 'rollout')} solved${event.isResampled ? ', resampled' : ''}, for ${onOneLine(event.agents.join(', '))}`;
    case 'AgentUpdateTried':
      return `${shortId(event.runId)} ${onOneLine(event.agent)} pass ${event.pass + 1} ${onOneLine(event.decision)}: distance ${Number(event.distance.toPrecision(3))} nats (at most ${event.target ?? 'any'})`;
    case 'AgentUpdated':
      return `${shortId(event.runId)} ${onOneLine(event.agent)}: ${shortId(event.adapterDigest)} follows ${adapterName(event.parent)}`;
    case 'AgentSwapped':
      return `${shortId(event.runId)} ${onOneLine(event.agent)}: ${shortId(event.adapterDigest)} takes the place of ${adapterName(event.replacedAdapterDigest)}, ${Number(event.distance.toPrecision(3))} nats from it (at most ${event.target})`;
    case 'AgentWarmedUp':
      return `${shortId(event.runId)} ${onOneLine(event.agent)}: ${shortId(event.adapterDigest)} follows ${adapterName(event.parent)} after ${plural(event.steps, 'step')} on ${plural(event.pairs, 'pair')} of ${shortId(event.setDigest)}`;
    case 'TeamEvaluated':
      return `${onOneLine(event.slot)} ${adapterName(event.teamDigest)} on ${onOneLine(event.problemSet)} by ${onOneLine(event.evaluatedBy)}: avg@${event.answers} ${percent(event.meanAt)}, majority@${event.answers} ${percent(event.majorityAt)}`;
    case 'TeamPreferencePublished':
      return `${shortId(event.setDigest)} pair ${event.index + 1} of ${event.pairs} by ${onOneLine(event.publishedBy)}: ${excerpt(event.prompt, TEXT_WIDTH)}`;
  }
}

type ReleaseEvent = EventOf<'ReleasePlanned' | 'ReleaseDecided' | 'GuardPlanned' | 'DomainMuted' | 'DomainUnmuted'>;

function isOfRelease(event: SeamEvent): event is ReleaseEvent {
  return /^(Release|Guard|Domain)/.test(event.type);
}

/** What an event of a release or a guard says. */
function releaseSummary(event: ReleaseEvent): string {
  switch (event.type) {
    case 'ReleasePlanned':
      return `${shortId(event.releaseId)}: ${adapterName(event.candidate)} over ${adapterName(event.parent)} by ${onOneLine(event.plannedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'ReleaseDecided':
      return `${shortId(event.releaseId)} stage ${event.stage + 1} ${onOneLine(event.decision)} by ${onOneLine(event.decidedBy ?? 'its plan')}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'GuardPlanned':
      return `${shortId(event.guardId)} ${event.plan === null ? 'off' : 'on'} by ${onOneLine(event.plannedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'DomainMuted':
      return `${onOneLine(event.domain)} of ${adapterName(event.adapterDigest)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'DomainUnmuted':
      return `${onOneLine(event.domain)} of ${adapterName(event.adapterDigest)} by ${onOneLine(event.unmutedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
  }
}

/** What the event says, without time, place and name; words in the order of importance. */
export function eventSummary(event: SeamEvent): string {
  if (isOfTeam(event)) return teamSummary(event);
  if (isOfRun(event)) return runSummary(event);
  if (isOfRelease(event)) return releaseSummary(event);
  switch (event.type) {
    case 'ProblemPublished':
      return `${shortId(event.problem.problemId)} ${onOneLine(event.problem.domain)} ${event.mode} ${quoted(event.problem.prompt)}`;
    case 'ExperienceGenerated':
      return `${shortId(event.problem.problemId)} ${event.arm} ${event.candidateIndex + 1}/${event.groupSize} by ${adapterName(event.adapterDigest)} ${excerpt(event.entry, TEXT_WIDTH)}`;
    case 'ExperienceWithheld':
      return `${shortId(event.problem.problemId)} control arm (${percent(event.share)} of problems)`;
    case 'OutcomeRecorded':
      return `${shortId(event.problem.problemId)} ${event.arm} ${event.candidateIndex + 1}/${event.groupSize} ${event.success ? 'solved' : 'not solved'}: answered ${event.extractedAnswer === null ? 'nothing' : quoted(event.extractedAnswer)} (${excerpt(event.verifierDetail, TEXT_WIDTH)})`;
    case 'ExecutionFailed':
      return `${shortId(event.problem.problemId)} ${event.arm} ${event.candidateIndex + 1}/${event.groupSize} ${onOneLine(event.code)} after ${plural(event.attempts, 'attempt')}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'AttemptUngraded':
      return `${shortId(event.problem.problemId)} ${event.arm} ${event.candidateIndex + 1}/${event.groupSize} ungraded: not judged in time`;
    case 'AnswerRecorded':
      return `${shortId(event.problem.problemId)} ${event.arm} ${event.candidateIndex + 1}/${event.groupSize} waits for feedback: answered ${event.extractedAnswer === null ? quoted(event.response) : quoted(event.extractedAnswer)}`;
    case 'AnswerSettled':
      return `${shortId(event.problemId)} attempt ${shortId(event.attemptId)} ${event.feedbackId === null ? 'ungraded at its deadline' : `judged by feedback ${shortId(event.feedbackId)}`}`;
    case 'FeedbackGiven':
      return `${shortId(event.problemId)} attempt ${shortId(event.attemptId)} score ${Number(event.score.toPrecision(4))} by ${onOneLine(event.by)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'FeedbackRefused':
      return `${shortId(event.problemId)} attempt ${shortId(event.attemptId)} by ${onOneLine(event.by)}: ${event.reason}, ${excerpt(event.detail, TEXT_WIDTH)}`;
    case 'ProblemExpired':
      return `${shortId(event.problem.problemId)} ${onOneLine(event.problem.domain)} ${quoted(promptOrName(event.problem))}`;
    case 'SuccessAdmitted':
      return `${shortId(event.problemId)} into ${onOneLine(event.stratum)} (helpfulness ${event.helpfulness.toFixed(2)})`;
    case 'SuccessRejected':
      return `${shortId(event.problemId)} from ${onOneLine(event.stratum)}: ${event.reason}, ${excerpt(event.detail, TEXT_WIDTH)}`;
    case 'ResultRefused':
      return `${shortId(event.problemId)} by ${onOneLine(event.source)} at ${onOneLine(event.topic)}/${event.partition}/${event.offset}: ${event.reason}, ${excerpt(event.detail, TEXT_WIDTH)}`;
    case 'BufferCommitted':
      return `version ${event.sequence}${event.shards === 1 ? '' : ` of shard ${shardNameOf(event)}`}: ${plural(event.rows, 'row')} in ${plural(Object.keys(event.rowsPerStratum).length, 'stratum', 'strata')}, digest ${shortId(event.bufferDigest)}`;
    case 'SelfTrainingStarted':
    case 'SelfTrainingStopped':
    case 'SelfTrainingResumed':
    case 'SelfTrainingPaused':
      return selfTrainingSummary(event);
    case 'LibraryReplyRecorded':
      return `${shortId(event.runId)} ${event.stage} by ${onOneLine(event.model)}: ${excerpt(event.content ?? '(refused)', TEXT_WIDTH)}`;
    case 'AdapterPublished':
      return `${shortId(event.adapterDigest)} ${onOneLine(event.algorithm)} (${event.kind}, ${bytes(event.sizeBytes)}) from ${adapterName(event.parent)} ${metricsText(event.metrics)}`;
    case 'AdapterPromoted':
      return `${shortId(event.adapterDigest)} follows ${adapterName(event.parent)}${event.evaluation === null ? '' : `: ${percent(event.evaluation.success)} of ${event.evaluation.problems} (parent ${percent(event.evaluation.parentSuccess)})`}`;
    case 'AdapterRolledBack':
      return `${shortId(event.adapterDigest)} back to ${adapterName(event.to)} by ${onOneLine(event.rolledBackBy ?? 'nobody')}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'AdapterEvaluated':
      return `${shortId(event.adapterDigest)}: ${percent(event.evaluation.success)} of ${event.evaluation.problems} by ${onOneLine(event.evaluatedBy)}`;
    case 'AdapterPinned':
      return `${adapterName(event.adapterDigest)} by ${onOneLine(event.pinnedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'AdapterUnpinned':
      return `${adapterName(event.adapterDigest)} by ${onOneLine(event.unpinnedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'ApiKeyIssued':
    case 'ApiKeyRevoked':
    case 'AccessRefused':
    case 'DeadLettersRedriven':
    case 'SessionStarted':
    case 'SessionEnded':
      return accessSummary(event);
    case 'QuotaDeclared':
    case 'PriceDeclared':
    case 'UsageReserved':
    case 'UsageSettled':
      return usageSummary(event);
    case 'DeadLettered':
      return `${onOneLine(event.topic)} ${event.partition}/${event.offset} by ${onOneLine(event.group)} ${onOneLine(event.code)}: ${excerpt(event.reason, TEXT_WIDTH)} (${event.value === null ? 'no value' : bytes(event.value.length)})`;
  }
}

function recordsIn(ranges: readonly { readonly from: number; readonly to: number }[]): number {
  return ranges.reduce((sum, range) => sum + range.to - range.from, 0);
}

/** First bytes of a value as hexadecimal pairs: a poison record cannot spoil the screen. */
export function hexExcerpt(value: Uint8Array | null, length = 16): string {
  if (value === null) return 'no value';
  const pairs = [...value.subarray(0, length)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
  return `${bytes(value.length)}: ${pairs}${value.length > length ? ' …' : ''}`;
}

/** The whole record as plain data; bytes become base64 where it is written. */
export function recordAsJson(decoded: DecodedRecord): Readonly<Record<string, unknown>> {
  const { record } = decoded;
  const { topic, partition, offset, key, headers } = record;
  const place = { topic, partition, offset, timestamp: new Date(record.timestampMs).toISOString(), key };
  if ('fault' in decoded) {
    return { ...place, headers, error: decoded.fault, value: record.value };
  }
  const { type, ...facts } = decoded.event;
  return { ...place, type, event: facts };
}

/** Of who may ask, who was refused, and of what people did to dead letters. */
function accessSummary(
  event: EventOf<
    'ApiKeyIssued' | 'ApiKeyRevoked' | 'AccessRefused' | 'DeadLettersRedriven' | 'SessionStarted' | 'SessionEnded'
  >,
): string {
  switch (event.type) {
    case 'ApiKeyIssued':
      return `${onOneLine(event.keyId)} ${event.role} for ${excerpt(event.name, TEXT_WIDTH)} by ${onOneLine(event.issuedBy)}`;
    case 'ApiKeyRevoked':
      return `${onOneLine(event.keyId)} by ${onOneLine(event.revokedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'AccessRefused':
      return `${plural(event.requests, 'request')} ${onOneLine(event.route ?? 'of several routes')} of ${onOneLine(event.keyId ?? 'unknown')} from ${event.origin}: ${onOneLine(event.reason)}`;
    case 'DeadLettersRedriven':
      return `${plural(event.records, 'record')} by ${onOneLine(event.redrivenBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'SessionStarted':
      return `${onOneLine(event.userId)} as ${onOneLine(event.role)}`;
    case 'SessionEnded':
      return `${event.sessionId === null ? 'all' : 'one'} of ${onOneLine(event.userId)} by ${onOneLine(event.endedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
  }
}

/** Of limits, prices and what is used of them. */
function usageSummary(event: EventOf<'QuotaDeclared' | 'PriceDeclared' | 'UsageReserved' | 'UsageSettled'>): string {
  switch (event.type) {
    case 'QuotaDeclared': {
      const { keyId, measure, per, limit, mode, declaredBy, reason } = event;
      const most = limit === null ? 'no limit' : `${amountOf(measure, limit)} (${mode})`;
      return `${onOneLine(keyId)} ${most} of ${measure} per ${per} by ${onOneLine(declaredBy)}: ${excerpt(reason, TEXT_WIDTH)}`;
    }
    case 'PriceDeclared': {
      const { model, currency, promptPerMillion, completionPerMillion, declaredBy, reason } = event;
      return `${onOneLine(model)} ${amountOf('money', promptPerMillion)} read, ${amountOf('money', completionPerMillion)} written, ${onOneLine(currency)} a million tokens, by ${onOneLine(declaredBy)}: ${excerpt(reason, TEXT_WIDTH)}`;
    }
    case 'UsageReserved':
      return `${onOneLine(event.keyId)} ${count(event.tokens)} tokens`;
    case 'UsageSettled':
      return `${onOneLine(event.keyId)} ${event.outcome}${event.tokens === null ? '' : ` ${count(event.tokens)} tokens`}`;
  }
}

/** Money is counted in millionths. */
function amountOf(measure: QuotaMeasure, amount: number): string {
  return measure === 'money' ? String(amount / 1_000_000) : count(amount);
}

function selfTrainingSummary(
  event: EventOf<'SelfTrainingStarted' | 'SelfTrainingStopped' | 'SelfTrainingResumed' | 'SelfTrainingPaused'>,
): string {
  switch (event.type) {
    case 'SelfTrainingStarted':
      return `${shortId(event.selfTrainingId)} ${excerpt(event.configuration, TEXT_WIDTH)}`;
    case 'SelfTrainingStopped':
      return `${shortId(event.selfTrainingId)} by ${onOneLine(event.stoppedBy)}: ${excerpt(event.reason, TEXT_WIDTH)}`;
    case 'SelfTrainingResumed':
      return `${shortId(event.selfTrainingId)} works`;
    case 'SelfTrainingPaused':
      return `${shortId(event.selfTrainingId)} for ${excerpt(event.reason, TEXT_WIDTH)}: ${plural(event.waiting, 'problem')} of others, spent ${plural(event.attempts, 'attempt')}, ${event.seconds.toFixed(0)} s and ${plural(event.tokens, 'token')}`;
  }
}
