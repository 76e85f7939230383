// Written by `npm run schemas` from schemas/. Do not edit: change the schema and run it again.

/** explore: one of a group to learn from; deploy: the single answer to a user; control: without an experience. */
export type Arm = 'explore' | 'deploy' | 'control';

/** How the arm of a problem was drawn. From these three values the draw can be repeated. */
export interface Assignment {
  /**
   * Salt of the draw. Two experiments divide the same units differently. `control arm` names the generator's
   * permanent experiment.
   */
  readonly experiment: string;
  /**
   * The unit of the draw. All problems of one unit are in the same arm. It is the problem itself, or a
   * conversation under a name that its client does not choose.
   */
  readonly unit: string;
  /** Probability of the control arm when it was drawn. */
  readonly controlShare: number;
}

/**
 * Names the content of a problem by its digest. Partition and offset say where to look first. Content with this
 * digest is the right content, regardless of where it is found.
 */
export interface ContentReference {
  /** SHA-256 of prompt and reference (contentDigest in libs/events), base64url without padding: 43 characters. */
  readonly digest: string;
  /** Partition of seam.problems that held the problem when this was written. A copied log may hold it elsewhere. */
  readonly partition: number;
  /** Offset in that partition. */
  readonly offset: number;
}

/** Why a self-edit could not act, its own fault. */
export interface EditRefusal {
  /**
   * The name of the fault: of a filter `too_short`, `too_long`, `malformed`, `gibberish` or `copy`; `untrainable`
   * where its documents make a training impossible.
   */
  readonly reason: string;
  /** What was measured, in words. */
  readonly detail: string;
}

/** Relative differences (L2 norms) of two runs of equal steps. */
export interface EngineTolerance {
  /** Difference of each tensor, relative to the tensor. */
  readonly weights: number;
  /** Difference of all tensors together, relative to how far training moved them. */
  readonly change: number;
}

/** The engine that trained, and how far the results of two runs with equal steps may differ. */
export interface EngineIdentity {
  /** e.g. onnxruntime, torch. */
  readonly name: string;
  /** Versions of the packages that compute, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** e.g. cpu, cuda: NVIDIA H100. */
  readonly device: string;
  /** Precision of the computation, e.g. float32, bfloat16. */
  readonly precision: string;
  /** Processes that compute one step together. */
  readonly worldSize: number;
  /** Tolerance of a comparison. Null: equal steps give equal bits. */
  readonly tolerance: EngineTolerance | null;
}

/** Success measured on a fixed set of problems with greedy decoding. */
export interface Evaluation {
  /** Name of the set. */
  readonly problemSet: string;
  /** SHA-256 of the set's problems. */
  readonly problemSetDigest: string;
  /** Problems that counted. In a paired comparison: those on which both could be judged. */
  readonly problems: number;
  /** Fraction solved by the candidate. */
  readonly success: number;
  /** Fraction solved by the parent on the same set; null where there is no parent. */
  readonly parentSuccess: number | null;
  /** Fraction solved by the candidate per domain. */
  readonly perDomain: Readonly<Record<string, number>>;
  /**
   * Problems that the candidate solved and its parent did not. Null where the two were not asked the same
   * problems side by side.
   */
  readonly rescued: number | null;
  /**
   * Problems that the parent solved and the candidate did not. Null where the two were not asked the same
   * problems side by side.
   */
  readonly broken: number | null;
  /** Fraction solved by the parent per domain; empty where the two were not asked the same problems side by side. */
  readonly parentPerDomain: Readonly<Record<string, number>>;
  /**
   * Problems that candidate and parent were asked side by side, per domain, including those that could not be
   * judged. The next comparison continues after them. Empty where they were not asked side by side.
   */
  readonly asked: Readonly<Record<string, number>>;
  /**
   * Problems that earlier comparisons of the log had already asked. They are asked again where the set has no
   * others.
   */
  readonly repeated: number;
  /**
   * What is kept of old problems, where that decides too. Null: it does not, or the comparison before it had
   * decided.
   */
  readonly retained?: Retained | null | undefined;
  /**
   * Models whose opinions the verdicts are, candidate and parent together. Empty where no model judged. Several
   * revisions of one model: its server changed it meanwhile.
   */
  readonly judges?: readonly JudgeTally[] | undefined;
  /** Problems whose two answers were judged by different models or revisions. They count nowhere. */
  readonly judgedApart?: number | undefined;
  /**
   * Problems that one of the two solved and the other did not: of each kind those that were asked first, some at
   * most. rescued and broken count all. Empty where the two were not asked side by side, and in records of
   * earlier versions.
   */
  readonly differences?: readonly ProblemDifference[] | undefined;
  /**
   * What both had right of each problem, where that decides. Null: whole problems decide, or the record is of an
   * earlier version.
   */
  readonly shares?: ShareComparison | null | undefined;
  /**
   * Attempts of the executor that candidate and parent took together, side by side: one for an entry that both
   * wrote for a problem. Null: not counted, or the record is of an earlier version, where each had its own.
   */
  readonly attempts?: number | null | undefined;
}

/** Identity and causality. Every event has it. On the wire it is also in CloudEvents headers. */
export interface EventMeta {
  /**
   * UUID of this event. A derived event has the UUIDv5 of cause, role and index, so a redelivery gives the same
   * id.
   */
  readonly messageId: string;
  /** The problem's id (for training and adapter events: the run's id). */
  readonly correlationId: string;
  /** messageId of the event that caused this one. */
  readonly causationId: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly occurredAt: number;
  /** The service that states the fact, e.g. seam/generator. */
  readonly source: string;
  /** Whose data it is, for erasure. */
  readonly subject: string | null;
  /** The least trusted of the sources that this event was made from. */
  readonly sourceClass: SourceClass;
  /** W3C trace context. */
  readonly traceparent: string | null;
  /** The tenant whose event this is. Null: the default tenant, to which everything without another belongs. */
  readonly tenant: string | null;
}

/** The executor that answered. It is frozen: its digest never changes within a log. */
export interface ExecutorIdentity {
  /** Name of the model. */
  readonly model: string;
  /** SHA-256 of the weights, or the server's own revision. */
  readonly revision: string;
  /** Name and digest of the prompt template. */
  readonly template: string;
  /** Canonical JSON of the decoding settings. */
  readonly decoding: string;
}

/** An executor that was asked and gave no answer, so that another one was asked. */
export interface FailedTry {
  /** Name of its model. */
  readonly model: string;
  /** Error code. */
  readonly code: string;
  /** The error in words. */
  readonly reason: string;
  /** Milliseconds until it failed. */
  readonly latencyMs: number;
}

/**
 * The guard under which the arm of a problem was drawn. Problems of both arms carry it, so that they can be
 * compared.
 */
export interface GuardMark {
  /** The guard. */
  readonly guardId: string;
  /** The adapter that was served then, whether it wrote for the problem or not. Null is the bare base model. */
  readonly adapterDigest: string | null;
}

/** The model whose opinion a verdict is. */
export interface JudgeIdentity {
  /** The model, as its server is asked for it. */
  readonly model: string;
  /** What its server reports of it. Null where it reports nothing but the name. */
  readonly revision: string | null;
}

/** Verdicts that are a model's opinion, by who gave them. */
export interface JudgeTally {
  /** The model that judged, as its server is asked for it. */
  readonly model: string;
  /** What its server reports of it. Null where it reports nothing but the name. */
  readonly revision: string | null;
  /**
   * Answers that it judged. An answer that was judged before counts again, although the model was not asked
   * again.
   */
  readonly verdicts: number;
}

/** A version of one shard of the buffer. */
export interface ManifestRef {
  /** Key in the object store. */
  readonly key: string;
  /** SHA-256 of the manifest. */
  readonly digest: string;
}

/** Records from (inclusive) … to (exclusive) of one partition. */
export interface OffsetRange {
  /** Name of the topic. */
  readonly topic: string;
  /** 0-based. */
  readonly partition: number;
  /** First offset, inclusive. */
  readonly from: number;
  /** Offset after the last, exclusive. */
  readonly to: number;
}

/** A problem as published. Only this record always has the complete content. */
export interface Problem {
  /** Key of the record on problems, experiences and outcomes. */
  readonly problemId: string;
  /** The kind of problem, e.g. arithmetic; strata and rates are counted per domain. */
  readonly domain: string;
  /** The statement, as the generator and the executor read it. */
  readonly prompt: string;
  /**
   * The reference answer or the tests, in the form that the verifier expects. Only the verifier may read it. Null
   * where the verifier is null: the right answer is not known.
   */
  readonly reference: string | null;
  /**
   * The verifier that judges the answer. The verifier that runs must be of exactly this kind. Null: answers are
   * judged by feedback until their deadline. After it they are ungraded.
   */
  readonly verifier: VerifierSpec | null;
  /** Free pairs of text from the publisher. No code decides by them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * The copy of a published problem in the events that follow from it. The content (prompt and reference) is
 * either in the copy or only in seam.problems, which the copy then refers to.
 */
export interface ProblemCopy {
  /** Key of the record on problems, experiences and outcomes. */
  readonly problemId: string;
  /** The kind of problem, e.g. arithmetic; strata and rates are counted per domain. */
  readonly domain: string;
  /**
   * The statement, or where it is. Where it is a ContentReference, the statement and the reference are in
   * seam.problems.
   */
  readonly prompt: string | ContentReference;
  /**
   * The reference answer or the tests, in the form the verifier expects. Only the verifier may read it. Null
   * where the prompt is a reference, and where the verifier is null.
   */
  readonly reference: string | null;
  /**
   * The verifier that judges the answer. The verifier that runs must be of exactly this kind. Null: answers are
   * judged by feedback until their deadline. After it they are ungraded.
   */
  readonly verifier: VerifierSpec | null;
  /** Free pairs of text from the publisher. No code decides by them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * A problem that an adapter solved and its parent did not, or the other way round, with what both said. Long
 * texts are cut.
 */
export interface ProblemDifference {
  /** Its id in the set. */
  readonly problemId: string;
  /** Its domain. */
  readonly domain: string;
  /** The beginning of its prompt. */
  readonly question: string;
  /** Whether the adapter solved it. Otherwise its parent did. */
  readonly rescued: boolean;
  /** The parent's entry. Null where it wrote none. */
  readonly parentEntry: string | null;
  /** The answer that the executor gave with the parent's entry. Null where its response holds none. */
  readonly parentAnswer: string | null;
  /** The adapter's entry. Null where it wrote none. */
  readonly entry: string | null;
  /** The answer that the executor gave with the adapter's entry. Null where its response holds none. */
  readonly answer: string | null;
}

/**
 * What a limit counts. requests: requests to the executor, and those that publish problems; tokens: those that
 * the executor reads and writes; money: millionths of the currency of the price list; problems: those that are
 * published, by a chat request one.
 */
export type QuotaMeasure = 'requests' | 'tokens' | 'money' | 'problems';

/** enforced: requests above the limit are refused; shadow: they are answered, and the gateway says so. */
export type QuotaMode = 'enforced' | 'shadow';

/** The windows of a limit, one after the other. All begin and end by UTC. */
export type QuotaWindow = 'minute' | 'hour' | 'day' | 'month';

/** The adapter that a release on trial assigned to a problem. */
export interface ReleaseDraw {
  /** The release, which is the salt of the draw. */
  readonly releaseId: string;
  /** Stage of its plan, from 0. */
  readonly stage: number;
  /** The unit of the draw. All problems of one unit are in the same arm. */
  readonly unit: string;
  /** Probability of the candidate when it was drawn. Null where both adapters wrote for the problem. */
  readonly share: number | null;
  /**
   * Whether the candidate was drawn, regardless of which adapter wrote. Where both wrote: whether this entry is
   * the candidate's.
   */
  readonly isCandidate: boolean;
}

/** What an adapter keeps of problems that adapters before it learned from. */
export interface Retained {
  /** Problems that both could be judged on. 0: none was learned from before. */
  readonly problems: number;
  /** Fraction solved by the candidate. */
  readonly success: number;
  /** Fraction solved by the parent. */
  readonly parentSuccess: number;
  /** The most by which the fraction may fall. */
  readonly mostCost: number;
}

/** How a reward was computed. The same figures give the same reward, without a model or an endpoint. */
export interface RewardMeasurement {
  /** Kind and version, e.g. accuracy-gain@1. */
  readonly reward: string;
  /** binary or continuous. */
  readonly form: string;
  /** What the value was compared with, in the value's unit. Null for an experience that could not act. */
  readonly threshold: number | null;
  /** The measured figure, e.g. a gain or nats. Null for an experience that could not act. */
  readonly value: number | null;
  /** From 0 to 1: the reward of the value. The outcome's reward is this, or 0 where the entry earns nothing. */
  readonly earned: number;
  /** Share of the questions that the frozen model answers correctly. Null where the reward does not need it. */
  readonly accuracyBefore: number | null;
  /** The same share with the experience. */
  readonly accuracyAfter: number | null;
  /**
   * Mean −ln p of a token of a reference answer under the frozen model, in nats. Null where the reward does not
   * need it.
   */
  readonly lossBefore: number | null;
  /** The same mean with the experience. */
  readonly lossAfter: number | null;
}

/** How the entry was sampled. */
export interface SamplingSettings {
  /** 0: greedy. */
  readonly temperature: number;
  /** 0: no limit */
  readonly topK: number;
  /** 1: no limit. */
  readonly topP: number;
  /** Most tokens of the entry. */
  readonly maxTokens: number;
  /** Derived from the problem event's id and the candidate's index. */
  readonly seed: string;
}

/** What a candidate and its parent had right of each problem, of several questions say, side by side. */
export interface ShareComparison {
  /** Mean share that the candidate has right, over the problems. */
  readonly candidate: number;
  /** Mean share that the parent has right, over the same problems. */
  readonly parent: number;
  /** All problems by their difference, ascending, each difference once. */
  readonly differences: readonly ShareDifference[];
}

/** How many problems have one difference between the candidate's and the parent's share of what is right. */
export interface ShareDifference {
  /** The candidate's share less the parent's, rounded down to thousandths: -1000 to 1000. */
  readonly thousandths: number;
  /** Problems with this difference. */
  readonly problems: number;
}

/** Where the content of an event comes from. A derived event has the class of its least trusted cause. */
export type SourceClass = 'trusted' | 'user' | 'web' | 'model';

export type TaskKind = 'passage' | 'few_shot' | 'turns';

/** What a problem's prompt was rendered from. */
export interface TaskContent {
  /** passage: a text with questions. few_shot: examples and a query. turns: a dialogue to continue. */
  readonly kind: TaskKind;
  /** The text of a passage; null for the other kinds. */
  readonly passage: string | null;
  /** The topic of a passage, in a few words. Null where it is not given. */
  readonly title: string | null;
  /** The parts in order. */
  readonly parts: readonly TaskPart[];
}

/** One question, example or turn of a task. */
export interface TaskPart {
  /** question; input, output or query; system, user or assistant. */
  readonly role: string;
  /** What is asked, shown or said. */
  readonly text: string;
  /** The reference answer of a question. Only the verifier may read it. */
  readonly reference: string | null;
  /** Further correct answers to a question. */
  readonly alternatives: readonly string[];
}

/** A call of a tool that the executor made, or was refused, before it answered. */
export interface ToolCall {
  /** The answer of the model that held the call, from 1. */
  readonly turn: number;
  /**
   * What the model wrote next to its calls, cut to 1 KiB. At the first call of a turn only. Null where it wrote
   * nothing.
   */
  readonly said: string | null;
  /** Name of the tool, as the model wrote it, cut to 64 bytes. */
  readonly tool: string;
  /** JSON, as the model wrote it, cut to 1 KiB. */
  readonly arguments: string;
  /** SHA-256 of the whole arguments. */
  readonly argumentsDigest: string;
  /**
   * answered; error (the tool said that it failed); refused (the call was not made, and the model got the
   * reason).
   */
  readonly outcome: string;
  /** The result that the model read, cut to 2 KiB. */
  readonly result: string;
  /** SHA-256 of the whole result that the model read. */
  readonly resultDigest: string;
}

/** Why no self-edit was written for a passage. That is a failure of the writing, and no finding about an edit. */
export interface Unaugmented {
  /** Code of the last failure: `DEADLINE_EXCEEDED`, `SESSION_FAILED` or `NON_FINITE`. */
  readonly code: string;
  /** The last failure, in words. */
  readonly reason: string;
  /** How many times the edit was tried. */
  readonly tries: number;
}

/** A limit as it was known when a request reserved its use. */
export interface UsageLimit {
  readonly measure: QuotaMeasure;
  readonly per: QuotaWindow;
  /** The most in one window. Money is in millionths of the currency. */
  readonly limit: number;
  readonly mode: QuotaMode;
}

/** Kind, version and options of the verifier that judges. */
export interface VerifierSpec {
  /** e.g. exact, numeric */
  readonly kind: string;
  /** Version that the publisher wrote the reference for. */
  readonly version: string;
  /** Options in the form that the verifier documents, e.g. a tolerance. */
  readonly options: Readonly<Record<string, string>>;
}

export type PublishMode = 'explore' | 'deploy';

/** A problem was published. */
export interface ProblemPublished {
  readonly meta: EventMeta;
  /** The problem. */
  readonly problem: Problem;
  /** explore: write a group of candidates to learn from. deploy: write one. */
  readonly mode: PublishMode;
  /** After this moment the answer is not needed. */
  readonly expiresAt: number | null;
  /**
   * For a problem without a verifier: how many milliseconds after an answer feedback on it still counts. Null:
   * the executor's setting applies.
   */
  readonly feedbackWithinMs: number | null;
  /** The typed content that the prompt was rendered from; null where the publisher wrote the prompt. */
  readonly task: TaskContent | null;
  /** How to draw the arm. Null: by the problem's id, with the generator's share. */
  readonly assignment?: Assignment | null | undefined;
  /**
   * The service that answers the problem, with the experience that is written for it: seam/gateway. Null: the
   * executor's service answers.
   */
  readonly answeredBy?: string | null | undefined;
  /**
   * The person who published it by a command, as they stated. Null: the event does not say; what a gateway took
   * names its client as the subject.
   */
  readonly publishedBy?: string | null | undefined;
}

/** The generator wrote one candidate entry for a problem. */
export interface ExperienceGenerated {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** This candidate. */
  readonly experienceId: string;
  /** All candidates for one problem event. */
  readonly groupId: string;
  /** 0 … groupSize − 1. */
  readonly candidateIndex: number;
  /** Number of candidates; 1 in the deploy arm. */
  readonly groupSize: number;
  /** explore or deploy. */
  readonly arm: Arm;
  /** The entry, JSON text valid under its schema; empty where there is none (`unaugmented`). */
  readonly entry: string;
  /** Digest of the entry's JSON Schema. */
  readonly entrySchema: string;
  /** The generator's prompt exactly as it was fed. */
  readonly promptTokenIds: readonly number[];
  /** The sampled ids exactly as sampled. Training never encodes the text again. */
  readonly tokenIds: readonly number[];
  /**
   * ln of each token's probability under the grammar-masked distribution it was drawn from, in nats; 0 for forced
   * tokens.
   */
  readonly logProbs: readonly number[];
  /**
   * Probability mass of the legal tokens before masking, so that the unmasked log-probability is logProb +
   * ln(legalMass).
   */
  readonly legalMass: readonly number[];
  /** Whether the grammar left exactly one legal token. Such tokens have no gradient. */
  readonly forced: readonly boolean[];
  /** How the entry was drawn. */
  readonly sampling: SamplingSettings;
  /** SHA-256 of the tokenizer that the ids belong to. */
  readonly tokenizerDigest: string;
  /** Digest of the base model, measured. */
  readonly baseModelDigest: string;
  /** Digest measured from the tensors in use, not taken from a name. Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** Time from the request to the entry. Not part of any digest. */
  readonly latencyMs: number;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
  /**
   * Copied from the problem's event: how many milliseconds after an answer feedback on it still counts. Null: the
   * executor's setting applies.
   */
  readonly feedbackWithinMs: number | null;
  /** How the arm was drawn; null in records of earlier versions. */
  readonly assignment?: Assignment | null | undefined;
  /** Copied from the problem's event: who answers. Null: the executor's service. */
  readonly answeredBy?: string | null | undefined;
  /** The draw of the release that was being tried. Null: none was. */
  readonly release?: ReleaseDraw | null | undefined;
  /** The guard that counts the problem. Null: none does. */
  readonly guard?: GuardMark | null | undefined;
  /**
   * Why the self-edit could not be written: the passage is without one, and the entry is empty. Null: it was
   * written, or the entry is no self-edit.
   */
  readonly unaugmented?: Unaugmented | null | undefined;
}

/** The problem is in the control arm. The executor solves it without an entry. */
export interface ExperienceWithheld {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** An id for the missing entry, so that the outcome can name it. */
  readonly experienceId: string;
  /** A group of one. */
  readonly groupId: string;
  /** Fraction of problems in the control arm. */
  readonly share: number;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
  /**
   * Copied from the problem's event: how many milliseconds after an answer feedback on it still counts. Null: the
   * executor's setting applies.
   */
  readonly feedbackWithinMs: number | null;
  /** How the arm was drawn; null in records of earlier versions. */
  readonly assignment?: Assignment | null | undefined;
  /** Copied from the problem's event: who answers. Null: the executor's service. */
  readonly answeredBy?: string | null | undefined;
  /** The guard that counts the problem. Null: none does. */
  readonly guard?: GuardMark | null | undefined;
}

/** The frozen executor answered and the verifier judged. */
export interface OutcomeRecorded {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** The candidate that the executor was given. */
  readonly experienceId: string;
  /** Copied from the experience. */
  readonly groupId: string;
  /** 0 … groupSize − 1. */
  readonly candidateIndex: number;
  /** Number of candidates in the group. */
  readonly groupSize: number;
  /** Copied from the experience. */
  readonly arm: Arm;
  /** Null in the control arm. */
  readonly entry: string | null;
  /** The generator's prompt, copied from the experience. */
  readonly promptTokenIds: readonly number[];
  /** Tokens of the entry, copied from the experience. Empty in the control arm. */
  readonly tokenIds: readonly number[];
  /** Copied from the experience. */
  readonly forced: readonly boolean[];
  /** Copied from the experience. Null in the control arm, where no generator was asked. */
  readonly baseModelDigest: string | null;
  /** Copied from the experience. Null: the base model without an adapter or, in the control arm, no generator. */
  readonly adapterDigest: string | null;
  /** The executor that answered. */
  readonly executor: ExecutorIdentity;
  /** The executor's whole answer. */
  readonly response: string;
  /** Null when the response holds no answer. */
  readonly extractedAnswer: string | null;
  /** The verifier's verdict. For feedback: whether the score is at least 0.5. */
  readonly success: boolean;
  /**
   * From 0 to 1: the verdict (or the score of the feedback) times the validity of the entry. It is 0 for an entry
   * that contains the answer or misquotes its problem.
   */
  readonly reward: number;
  /**
   * Whether everything that the entry quotes is in the problem. Null where its schema names no quotes, in the
   * control arm and in records of earlier versions.
   */
  readonly faithful: boolean | null;
  /**
   * Version of the verifier that judged. Its kind is problem.verifier.kind. `feedback` where the problem has no
   * verifier and a person or a program judged.
   */
  readonly verifierVersion: string;
  /** The reason for the verdict, as the verifier states it. */
  readonly verifierDetail: string;
  /** Tokens that the executor read; null where the server did not say. */
  readonly promptTokens: number | null;
  /** Tokens that the executor wrote; null where the server did not say. */
  readonly responseTokens: number | null;
  /** Time of execution and verification; not part of any digest. */
  readonly latencyMs: number;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
  /** messageId of the FeedbackGiven that judged. Null where a verifier judged. */
  readonly feedbackId: string | null;
  /**
   * What the reward was computed from, where the configuration names a reward. Null: the reward follows from the
   * verdict.
   */
  readonly measurement: RewardMeasurement | null;
  /**
   * Why the executor was asked without an entry although the problem is not in the control arm: `late` (no entry
   * arrived within the time of the request), `refused` (the generator wrote none). Null: it was asked as the arm
   * requires. Such an answer counts for its arm in every comparison. It says nothing about an entry.
   */
  readonly withoutEntry?: string | null | undefined;
  /** Calls of tools that the executor made before it answered, in order. Null: it has no tools. */
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
  /**
   * The model whose opinion the verdict is. Null: none was asked, or the record is of an earlier version. The
   * revision of a verdict that several revisions gave has the names of all of them.
   */
  readonly judge?: JudgeIdentity | null | undefined;
  /**
   * Why the self-edit could not act. It earns nothing and is not imitated. Null: it acted, or the experience is
   * no self-edit, or the record is of an earlier version.
   */
  readonly editRefusal?: EditRefusal | null | undefined;
}

/** The infrastructure failed. The attempt has no verdict and no reward, not a reward of 0. */
export interface ExecutionFailed {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** The candidate that could not be tried. */
  readonly experienceId: string;
  /** Copied from the experience. */
  readonly groupId: string;
  /** 0 … groupSize − 1. */
  readonly candidateIndex: number;
  /** Number of candidates in the group. */
  readonly groupSize: number;
  /** Copied from the experience. */
  readonly arm: Arm;
  /** Copied from the experience. */
  readonly adapterDigest: string | null;
  /** Error code. */
  readonly code: string;
  /** The error in words. */
  readonly reason: string;
  /** Times it was tried before giving up. */
  readonly attempts: number;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
}

/** The problem expired before it was answered. Nothing was executed. */
export interface ProblemExpired {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** When the service noticed it, in milliseconds since the Unix epoch. */
  readonly expiredAt: number;
}

/**
 * No feedback arrived before the deadline, or none could count since the adapter of a session answered. The
 * attempt has no verdict and no reward, and it is not a success.
 */
export interface AttemptUngraded {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** The candidate that could not be tried. */
  readonly experienceId: string;
  /** Copied from the experience. */
  readonly groupId: string;
  /** 0 … groupSize − 1. */
  readonly candidateIndex: number;
  /** Number of candidates in the group. */
  readonly groupSize: number;
  /** Copied from the experience. */
  readonly arm: Arm;
  /** Copied from the experience. */
  readonly adapterDigest: string | null;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
  /** The deadline that passed, in milliseconds since the Unix epoch. */
  readonly feedbackUntil: number;
}

/**
 * The frozen executor answered a problem that has no verifier. The answer waits for feedback until its
 * deadline. Then it is ungraded.
 */
export interface AnswerRecorded {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** The candidate that the executor was given. */
  readonly experienceId: string;
  /** Copied from the experience. */
  readonly groupId: string;
  /** 0 … groupSize − 1. */
  readonly candidateIndex: number;
  /** Number of candidates in the group. */
  readonly groupSize: number;
  /** Copied from the experience. */
  readonly arm: Arm;
  /** Null in the control arm. */
  readonly entry: string | null;
  /** The generator's prompt, copied from the experience. */
  readonly promptTokenIds: readonly number[];
  /** Tokens of the entry, copied from the experience. Empty in the control arm. */
  readonly tokenIds: readonly number[];
  /** Copied from the experience. */
  readonly forced: readonly boolean[];
  /** Copied from the experience. Null in the control arm, where no generator was asked. */
  readonly baseModelDigest: string | null;
  /** Copied from the experience. Null: the base model without an adapter or, in the control arm, no generator. */
  readonly adapterDigest: string | null;
  /** The executor that answered. */
  readonly executor: ExecutorIdentity;
  /** The executor's whole answer. */
  readonly response: string;
  /** Null when the response holds no answer. */
  readonly extractedAnswer: string | null;
  /**
   * Whether everything that the entry quotes is in the problem. Null where its schema names no quotes, and in the
   * control arm.
   */
  readonly faithful: boolean | null;
  /** Tokens that the executor read; null where the server did not say. */
  readonly promptTokens: number | null;
  /** Tokens that the executor wrote; null where the server did not say. */
  readonly responseTokens: number | null;
  /** Time of execution; not part of any digest. */
  readonly latencyMs: number;
  /**
   * Id of the attempt, where one experience is tried more than once: a turn of an agent, a self-edit, an episode
   * with a library. Null: the experience is tried once, and its id is the id of the attempt.
   */
  readonly attemptId: string | null;
  /** Why the entry earns no reward, regardless of the feedback. Null where it earns the score. */
  readonly unpaid: string | null;
  /**
   * The end of the time for feedback, in milliseconds since the Unix epoch. Later feedback does not count, and
   * the attempt is ungraded.
   */
  readonly feedbackUntil: number;
  /**
   * Why the executor was asked without an entry although the problem is not in the control arm: `late` (no entry
   * arrived within the time of the request), `refused` (the generator wrote none). Null: it was asked as the arm
   * requires. Such an answer counts for its arm in every comparison. It says nothing about an entry.
   */
  readonly withoutEntry?: string | null | undefined;
  /**
   * The usage that the server reported, as JSON, including fields that Seamstream does not know. Null: it
   * reported none.
   */
  readonly usage?: string | null | undefined;
  /**
   * Why the answer ended, as the server reported it. Null where it reported nothing, and for the executor's
   * service.
   */
  readonly finishReason?: string | null | undefined;
  /**
   * What cut the answer off: `client` (it closed the connection), `upstream` (the server broke off), `limit` (of
   * time or size), `shutdown` of the gateway. The response is what was sent until then. Null: the answer is
   * complete.
   */
  readonly cutBy?: string | null | undefined;
  /**
   * Executors that were asked before and did not answer, in order. Null: the first executor answered, or no
   * failure is known.
   */
  readonly failedTries?: readonly FailedTry[] | null | undefined;
  /** Calls of tools that the executor made before it answered, in order. Null: it has no tools. */
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
  /**
   * SHA-256 of the adapter that the client's session has learned, where it answered: weights in memory on top of
   * the executor's, which no one else is answered by. Such an answer waits for no feedback and becomes no
   * outcome, so no comparison and no training counts it as the frozen executor's. Null: the frozen executor
   * answered.
   */
  readonly sessionAdapter?: string | null | undefined;
  /**
   * Milliseconds that a gateway waited for the experience. Null: it waited for none, as in the control arm, or
   * the executor's service answered.
   */
  readonly entryMs?: number | null | undefined;
  /**
   * Milliseconds that the gateway itself spent until the answer could be recorded: checks, limits and the record
   * of the request. Neither the record of the answer is part of it, nor the time in which the client did not read
   * on. Null: the executor's service answered.
   */
  readonly ownMs?: number | null | undefined;
}

/**
 * An answer does not wait for feedback any longer: it was judged, or its deadline passed. Written in one
 * transaction with the result.
 */
export interface AnswerSettled {
  readonly meta: EventMeta;
  /** The problem's id. */
  readonly problemId: string;
  /** The attempt that does not wait any longer. */
  readonly attemptId: string;
  /** messageId of the OutcomeRecorded or AttemptUngraded in seam.outcomes. */
  readonly resultId: string;
  /** messageId of the feedback that settled it. Null where the deadline did. */
  readonly feedbackId: string | null;
}

export type FeedbackRefusal = 'settled' | 'late' | 'unknown_attempt' | 'score' | 'session_adapter';

/**
 * Feedback that becomes no result, and the reason. It has no other effect. A training that hears feedback may
 * count it.
 */
export interface FeedbackRefused {
  readonly meta: EventMeta;
  /** The problem that the feedback names. */
  readonly problemId: string;
  /** The attempt that the feedback names. */
  readonly attemptId: string;
  /** messageId of the feedback. */
  readonly feedbackId: string;
  /** Who gave it, as stated by the giver. */
  readonly by: string;
  /**
   * settled: the attempt was judged or ungraded before. late: the deadline had passed. unknown_attempt: no answer
   * of this attempt waits for feedback. score: it is not from 0 to 1. session_adapter: the adapter of a session
   * answered, and only what the frozen executor answers is judged.
   */
  readonly reason: FeedbackRefusal;
  /** The reason in words. */
  readonly detail: string;
}

/**
 * A person or a program rates an answer. It becomes the result of an attempt that waits for feedback. A
 * training that hears feedback counts it for an attempt that a verifier judged.
 */
export interface FeedbackGiven {
  readonly meta: EventMeta;
  /** The problem's id. */
  readonly problemId: string;
  /** The attempt that is rated. It is the experience's id where the experience is tried once. */
  readonly attemptId: string;
  /** From 0 to 1. An answer with at least 0.5 counts as a success. Any other number is refused. */
  readonly score: number;
  /** The person or program that rates, as stated by itself. */
  readonly by: string;
  /** The reason in words. May be empty. */
  readonly reason: string;
}

/** A pair of problem and entry entered the success buffer. */
export interface SuccessAdmitted {
  readonly meta: EventMeta;
  /** domain/difficulty */
  readonly stratum: string;
  /** messageId of the OutcomeRecorded. */
  readonly outcomeId: string;
  /** The entry that helped. */
  readonly experienceId: string;
  /** The problem that it helped with. */
  readonly problemId: string;
  /** SHA-256 of the normalized pair of problem and entry. */
  readonly contentDigest: string;
  /** Preference among pairs: 1 − success rate of the group, times the failure rate of the control arm. */
  readonly helpfulness: number;
}

export type RejectionReason = 'exact_duplicate' | 'near_duplicate' | 'invalid_entry' | 'length_out_of_bounds' | 'stratum_full' | 'subject_cap' | 'displaced' | 'aged_out' | 'misquote';

/** A success did not enter the buffer, or was removed from it. */
export interface SuccessRejected {
  readonly meta: EventMeta;
  /** domain/difficulty */
  readonly stratum: string;
  /** messageId of the OutcomeRecorded. */
  readonly outcomeId: string;
  /** The entry. */
  readonly experienceId: string;
  /** The problem. */
  readonly problemId: string;
  /**
   * displaced: a better pair replaced it in the buffer. subject_cap: its subject already has the allowed number
   * of pairs. aged_out: its group became too old, and it was removed. misquote: the entry quotes text that is not
   * in its problem.
   */
  readonly reason: RejectionReason;
  /** The reason, with the figures that decided. */
  readonly detail: string;
  /** outcomeId of the pair that stays instead. */
  readonly duplicateOf: string | null;
}

export type RefusalReason = 'experience_missing' | 'problem_missing' | 'problem_differs' | 'identity' | 'result_differs' | 'told_otherwise' | 'adapter_unknown';

/**
 * A result in the log does not count, because the rest of the log does not confirm it. It is forged, or a
 * service is faulty.
 */
export interface ResultRefused {
  readonly meta: EventMeta;
  /** messageId of the result. */
  readonly outcomeId: string;
  /** The experience that the result names. Null for an expiry. */
  readonly experienceId: string | null;
  /** The problem that it names. */
  readonly problemId: string;
  /** Topic of the result. */
  readonly topic: string;
  /** Partition of the result. */
  readonly partition: number;
  /** Offset of the result. */
  readonly offset: number;
  /** The writer that the result names. */
  readonly source: string;
  /**
   * experience_missing, problem_missing: what it names is not in the log. problem_differs: the problem differs
   * from the published one. identity: an id, cause, group or subject does not follow from its cause.
   * result_differs: it differs from its experience. told_otherwise: the log has an earlier, different verdict on
   * the same experience. adapter_unknown: its adapter is not in the log, or is for another base model.
   */
  readonly reason: RefusalReason;
  /** The reason in words. */
  readonly detail: string;
}

/** A complete version of the buffer, or of one shard, is readable in the object store. */
export interface BufferCommitted {
  readonly meta: EventMeta;
  /** Number of this version: 1, 2, 3, … Each shard counts separately. */
  readonly sequence: number;
  /** Key of the manifest in the object store. */
  readonly manifestKey: string;
  /** SHA-256 of the manifest. */
  readonly manifestDigest: string;
  /** SHA-256 over the rows in canonical order. Equal content has an equal digest. */
  readonly bufferDigest: string;
  /** Pairs in this version. */
  readonly rows: number;
  /** Pairs by stratum (domain/difficulty). */
  readonly rowsPerStratum: Readonly<Record<string, number>>;
  /** The offset ranges that this version was computed from. */
  readonly inputs: readonly OffsetRange[];
  /** Number of the shard, 0 … shards − 1. A hash of the domain selects its shard. */
  readonly shard: number;
  /** Number of shards. The newest versions of all shards are the buffer. */
  readonly shards: number;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

/** A training run was planned, with everything that its result depends on. A worker of its queue takes it. */
export interface TrainingRunPlanned {
  readonly meta: EventMeta;
  /** Derived from what the run learns from. Planning the same run again gives the same id. */
  readonly runId: string;
  /** How recorded attempts become a better artefact, e.g. seam: adapters for the model that writes entries. */
  readonly method: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** The queue of workers that take the run. Empty: only the process that asked for it carries it out. */
  readonly queue: string;
  /** e.g. grpo, sft. */
  readonly algorithm: string;
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
  /** The offset ranges that are replayed. */
  readonly inputs: readonly OffsetRange[];
  /** The buffer's manifests that are read, one per shard; empty for algorithms that do not read the buffer. */
  readonly manifests: readonly ManifestRef[];
  /** Digest of the base model. */
  readonly baseModelDigest: string;
  /** Digest of the adapter that training starts from; null is the bare base model. */
  readonly parentAdapter: string | null;
  /** Seed of every random choice of the run. */
  readonly seed: string;
  /** Version of the code that trains. */
  readonly codeVersion: string;
  /**
   * DSSE envelope (JSON) of the planner, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** The person who asked for the run, as they stated. Null: a service planned it by its rule. */
  readonly plannedBy?: string | null | undefined;
}

/** A version of one shard of the buffer. */
export interface BufferManifestRef {
  /** Key in the object store. */
  readonly key: string;
  /** SHA-256 of the manifest. */
  readonly digest: string;
}

/** A trainer began to learn from the log. */
export interface TrainingRunStarted {
  readonly meta: EventMeta;
  /** Derived from what the run learns from. A restarted trainer continues the same run. */
  readonly runId: string;
  /** e.g. grpo, sft. */
  readonly algorithm: string;
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
  /** The offset ranges that are replayed. */
  readonly inputs: readonly OffsetRange[];
  /**
   * Key of the buffer's manifest that is read, for algorithms that learn from the buffer. Null where several are
   * read.
   */
  readonly manifestKey: string | null;
  /** SHA-256 of that manifest. */
  readonly manifestDigest: string | null;
  /** Digest of the base model. */
  readonly baseModelDigest: string;
  /** Digest of the adapter that training starts from; null is the bare base model. */
  readonly parentAdapter: string | null;
  /** Seed of every random choice of the run. */
  readonly seed: string;
  /** Version of the code that trains. */
  readonly codeVersion: string;
  /** The buffer's manifests that are read, one per shard, where it is divided into several. */
  readonly manifests: readonly BufferManifestRef[];
  /** How recorded attempts become a better artefact, e.g. seam: adapters for the model that writes entries. */
  readonly method: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/** A checkpoint of a run. A trainer that was killed resumes from it. */
export interface TrainingRunCheckpointed {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** Optimizer steps done. */
  readonly step: number;
  /** Key in the object store. */
  readonly checkpointKey: string;
  /** SHA-256 of the checkpoint. */
  readonly checkpointDigest: string;
  /** Figures at this step by name, e.g. loss. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A run ended with an adapter. */
export interface TrainingRunCompleted {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** SHA-256 of the adapter that it made. */
  readonly adapterDigest: string;
  /** Optimizer steps done. */
  readonly steps: number;
  /** Final figures by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Wall-clock time; not part of any digest. */
  readonly durationMs: number;
}

/** A run ended by an error. */
export interface TrainingRunFailed {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** Error code, e.g. NON_FINITE. */
  readonly code: string;
  /** The error in words: what failed, what was expected and what was found. */
  readonly reason: string;
  /** The last known figures by name. May contain NaN, which is often the reason. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A run ended without a new served adapter: nothing to learn from, or the result was worse than its parent. */
export interface TrainingRunRejected {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** The adapter that was refused; null when none was made. */
  readonly adapterDigest: string | null;
  /** The reason in words, for an operator. */
  readonly reason: string;
  /** The measurement that led to the refusal. Null where none did. */
  readonly evaluation: Evaluation | null;
  /** Final figures of the run by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * A person cancelled a run. A worker that carries it out stops at its next checkpoint. Nothing of the run is
 * served.
 */
export interface TrainingRunCancelled {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** Who decided it. */
  readonly cancelledBy: string;
  /** The person's reason. */
  readonly reason: string;
}

/**
 * A person started to train a writer on its own attempts, in iterations. If it is started again, the newest
 * configuration applies and a stopped self-training continues.
 */
export interface SelfTrainingStarted {
  readonly meta: EventMeta;
  /** Derived from the problems and the settings of learning. Starting the same again continues it. */
  readonly selfTrainingId: string;
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
  /** The person who started it, as they stated. Null: an older event, which does not say. */
  readonly startedBy?: string | null | undefined;
}

/** A person stopped a self-training. It does not explore or train until it is started again. */
export interface SelfTrainingStopped {
  readonly meta: EventMeta;
  /** The self-training. */
  readonly selfTrainingId: string;
  /** Who decided it. */
  readonly stoppedBy: string;
  /** The person's reason. */
  readonly reason: string;
}

/** A self-training that works only while no other problem waits begins to work, or works again. */
export interface SelfTrainingResumed {
  readonly meta: EventMeta;
  /** The self-training. */
  readonly selfTrainingId: string;
}

/**
 * A self-training that works only while no other problem waits stops working, or cannot begin. It continues by
 * itself where problems wait, and does not where its budget is spent, it has ended or its process was stopped.
 */
export interface SelfTrainingPaused {
  readonly meta: EventMeta;
  /** The self-training. */
  readonly selfTrainingId: string;
  /**
   * `work`: other problems wait. `feedback`: people have time to judge the answers. `budget`: its budget is
   * spent. `end`: it has ended. `stop`: its process was stopped.
   */
  readonly reason: string;
  /** Other problems that wait. */
  readonly waiting: number;
  /** Attempts that it has spent so far, of all iterations. */
  readonly attempts: number;
  /** Seconds that it has worked so far. */
  readonly seconds: number;
  /**
   * Tokens that its attempts have read and written so far. Where a server did not say, the bytes of the text
   * count.
   */
  readonly tokens: number;
}

/**
 * A model's reply during the training of a library. A repeated request uses this reply. Nothing is paid twice,
 * and a replay asks no model.
 */
export interface LibraryReplyRecorded {
  readonly meta: EventMeta;
  /** The training run that asked. */
  readonly runId: string;
  /** SHA-256 of the request: stage, model, settings, messages and number of the try. */
  readonly callId: string;
  /** summary: of one attempt. advantage: what a group teaches. consolidation: how a batch changes the library. */
  readonly stage: string;
  /** The model's name at the endpoint, or the digest of the checkpoint that replied on this machine. */
  readonly model: string;
  /** The complete reply. Null where the model refused or a filter cut it off. */
  readonly content: string | null;
  /** Whether the model ended the reply. False: it was cut off. */
  readonly isWhole: boolean;
  /** Tokens that the model read, as the endpoint counts, or the tokenizer. */
  readonly promptTokens: number;
  /** Tokens that it wrote. */
  readonly responseTokens: number;
  /**
   * Milliseconds from the request to the reply, with its wait for the limits of the endpoint. Null in records of
   * earlier releases.
   */
  readonly latencyMs?: number | null | undefined;
}

/** An agent of a team took its turn in a rollout. */
export interface TeamTurnTaken {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** Id of the rollout. */
  readonly rolloutId: string;
  /** The problem; its content is in seam.problems. */
  readonly problemId: string;
  /** Number of the rollout of the problem, from 0. */
  readonly candidate: number;
  /** Number of the turn in the rollout, from 0. */
  readonly turn: number;
  /** Name of the agent. */
  readonly agent: string;
  /** The slot that its adapters are published for. */
  readonly slot: string;
  /** The text that it wrote. */
  readonly text: string;
  /** Its prompt, exactly as it was fed. */
  readonly promptTokenIds: readonly number[];
  /** The sampled ids exactly as sampled. */
  readonly tokenIds: readonly number[];
  /** ln of each token's probability under the distribution that it was drawn from, in nats; 0 for forced tokens. */
  readonly logProbs: readonly number[];
  /** Whether the grammar left exactly one legal token. */
  readonly forced: readonly boolean[];
  /** How it was drawn. */
  readonly sampling: SamplingSettings;
  /** Digest of its base model, measured. */
  readonly baseModelDigest: string;
  /** Digest measured from the tensors in use. Null is the bare base model. */
  readonly adapterDigest: string | null;
}

/** A team's rollout ended and was judged. */
export interface TeamRolloutJudged {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** The rollout. */
  readonly rolloutId: string;
  /** The problem; its content is in seam.problems. */
  readonly problemId: string;
  /** The kind of problem. */
  readonly domain: string;
  /** Number of the rollout of the problem, from 0. */
  readonly candidate: number;
  /** Rollouts of the problem. */
  readonly groupSize: number;
  /** The entry that the agents wrote together, or their answer. Null where they have none. */
  readonly outcome: string | null;
  /** The frozen executor's answer with the entry. Where agents answer, their answer. */
  readonly response: string;
  /** The verifier's verdict. */
  readonly success: boolean;
  /** What the agents learn from. */
  readonly reward: number;
  /** The executor that answered. */
  readonly executor: ExecutorIdentity;
  /** The model whose opinion the verdict is. Null: none was asked, or the record is of an earlier version. */
  readonly judge?: JudgeIdentity | null | undefined;
}

/** A batch of a team's rollouts is complete in the log. A run can learn from it without asking a model again. */
export interface TeamBatchSampled {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** The agents that are updated on it, in their order. */
  readonly agents: readonly string[];
  /** Whether the team had changed since the previous batch of the run. */
  readonly isResampled: boolean;
  /** Rollouts in it. */
  readonly rollouts: number;
  /** Rollouts that were judged a success. */
  readonly successes: number;
  /** SHA-256 of its rollouts. */
  readonly digest: string;
  /**
   * Models whose opinions the verdicts are. Empty where no model judged. Several revisions of one model: its
   * server changed it meanwhile.
   */
  readonly judges?: readonly JudgeTally[] | undefined;
}

/** A pass of an agent's update, and the decision of the trust region on it. */
export interface AgentUpdateTried {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** The slot that its adapters are published for. */
  readonly slot: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** Number of the pass over the batch, from 0. */
  readonly pass: number;
  /** Number of the attempt at the pass, from 0. It is how often the pass was taken back before. */
  readonly attempt: number;
  /**
   * accepted: the pass stays. taken back: weights and optimizer state are those before the pass, and beta grew.
   * given up: the pass was taken back and is not tried again.
   */
  readonly decision: string;
  /** Weight of the distance to the policy before the update. */
  readonly beta: number;
  /** Quantile over states of the distance to the policy before the update, in nats. */
  readonly distance: number;
  /** Upper limit of the distance, in nats. Null where there is no limit. */
  readonly target: number | null;
  /** Number of states that the quantile was taken over. */
  readonly states: number;
  /**
   * What the successful turns of the state that lost most have lost of their log-probability, in nats. Null in
   * records of versions that did not measure it.
   */
  readonly lost: number | null;
  /** Mean over the turns of the objective. */
  readonly gain: number;
  /** Optimizer steps. */
  readonly steps: number;
}

/** An agent of a team has new weights for the rest of the run. They are served only after the team is promoted. */
export interface AgentUpdated {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** The slot that its adapters are published for. */
  readonly slot: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** Place of the agent in the order of the run, from 0. */
  readonly position: number;
  /** Digest of its weights after the update. */
  readonly adapterDigest: string;
  /** Digest of its weights before the update. Null is the bare base model. */
  readonly parent: string | null;
  /**
   * Effective sample size of the rollouts' weights as a fraction of their number. It is 1 where the current team
   * sampled them.
   */
  readonly effectiveSampleRatio: number;
  /** Distance of the accepted passes, in nats. */
  readonly distance: number;
  /** Beta at the end of the update. */
  readonly beta: number;
}

/**
 * Another base model or adapter takes the place of an agent, aligned with what the other agents know. It is
 * served only after the team is promoted.
 */
export interface AgentSwapped {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** The slot that its adapters are published for. */
  readonly slot: string;
  /** Number of the batch in the run, from 0. */
  readonly batch: number;
  /** Digest of the base model that takes the agent's place. */
  readonly joinedBaseModelDigest: string;
  /** Digest of its adapter as it came. Null is the bare base model. */
  readonly joinedAdapterDigest: string | null;
  /** Digest of the base model of the agent that was replaced. */
  readonly replacedBaseModelDigest: string;
  /** Digest of the adapter of the agent that was replaced. Null is the bare base model. */
  readonly replacedAdapterDigest: string | null;
  /** Digest of its weights as it joins. */
  readonly adapterDigest: string;
  /** Upper limit of the distance, in nats. */
  readonly target: number;
  /** Mean over states of the distance to the replaced agent before any step, in nats. */
  readonly distanceBefore: number;
  /** The same of the weights that join. */
  readonly distance: number;
  /** Passes over the turns of the replaced agent. */
  readonly passes: number;
  /** Number of states that the mean was taken over. */
  readonly states: number;
}

/** An agent of a team has learned the preferred answers of a set. It is served only after the team is promoted. */
export interface AgentWarmedUp {
  readonly meta: EventMeta;
  /** The training run that learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** The slot that its adapters are published for. */
  readonly slot: string;
  /** SHA-256 of the pairs that it learned from. */
  readonly setDigest: string;
  /** Number of those pairs. */
  readonly pairs: number;
  /** Number of optimizer steps. */
  readonly steps: number;
  /** Mean negative log-likelihood per token in the last step, in nats. */
  readonly loss: number;
  /** Digest of its weights as they are now. */
  readonly adapterDigest: string;
  /** Digest of the adapter that it began with. Null is the bare base model. */
  readonly parent: string | null;
}

/**
 * A pair of answers to a prompt, of which one is preferred. An agent of a team can learn to give it. The pair
 * is not a reward.
 */
export interface TeamPreferencePublished {
  readonly meta: EventMeta;
  /** SHA-256 of all pairs of the set, in their order. */
  readonly setDigest: string;
  /** Place of the pair in its set, from 0. */
  readonly index: number;
  /** Number of pairs in the set. */
  readonly pairs: number;
  /** Line or row of the file that it was read from, from 1. */
  readonly row: number;
  /** Domain of the prompt. */
  readonly domain: string;
  /** What was asked. */
  readonly prompt: string;
  /** The preferred answer. */
  readonly chosen: string;
  /** The other answer. Nothing learns from it. */
  readonly rejected: string;
  /** The person who published it, as they stated. */
  readonly publishedBy: string;
}

export interface EvaluatedMember {
  /** Name of the agent. */
  readonly agent: string;
  /** Digest of its base model. */
  readonly baseModelDigest: string;
  /** Digest of its adapter. Null is the bare base model. */
  readonly adapterDigest: string | null;
}

/**
 * A person measured a team: several answers to each problem, pooled over its agents. Equal models, problems,
 * settings and seed give equal figures.
 */
export interface TeamEvaluated {
  readonly meta: EventMeta;
  /** The slot that the team is served as. */
  readonly slot: string;
  /** Digest of the team. Null: every agent has its base model. */
  readonly teamDigest: string | null;
  /** How the agents worked together: `vote` or `chain`. */
  readonly topology: string;
  /** The agents in their order. */
  readonly members: readonly EvaluatedMember[];
  /** Name of the file or the set. */
  readonly problemSet: string;
  /** SHA-256 of the problems that were given. */
  readonly problemSetDigest: string;
  /** Problems that counted. */
  readonly problems: number;
  /** Problems that no agent could be asked about. They count nowhere. */
  readonly unjudged: number;
  /** Answers of each agent to a problem. */
  readonly samples: number;
  /** Answers to a problem that counted: the k of avg@k and majority@k. */
  readonly answers: number;
  /** Temperature of the answers. 0 is greedy. */
  readonly temperature: number;
  /** Mass of the most probable tokens that were drawn from. */
  readonly topP: number;
  /** Most tokens of a turn. */
  readonly maxTokens: number;
  /** What the draws follow from. */
  readonly seed: string;
  /** avg@k: mean share of right answers. */
  readonly meanAt: number;
  /** pass@k by k: probability that one of k answers is right. */
  readonly passAt: Readonly<Record<string, number>>;
  /** majority@k: share of problems whose most frequent answer is right. */
  readonly majorityAt: number;
  /** Problems with a tied vote, which the answer that came first decided. */
  readonly ties: number;
  /** Of a vote: mean share of right answers of each agent. */
  readonly perAgent: Readonly<Record<string, number>>;
  /** SHA-256 of every answer, as the lines of the file of predictions. */
  readonly predictionsDigest: string;
  /** The person who measured. */
  readonly evaluatedBy: string;
  /**
   * Models whose opinions the verdicts are. Empty where no model judged. Several revisions of one model: its
   * server changed it meanwhile.
   */
  readonly judges?: readonly JudgeTally[] | undefined;
}

export type AdapterKind = 'full' | 'lora';

/** The result of a run. */
export interface Artefact {
  /** lora, full: weights; library: experiences. */
  readonly kind: string;
  /** SHA-256 of its content. */
  readonly digest: string;
  /** Key in the object store. */
  readonly address: string;
}

/** An adapter is in the object store. */
export interface AdapterPublished {
  readonly meta: EventMeta;
  /** SHA-256 of its content. Never reused. */
  readonly adapterDigest: string;
  /** Key in the object store. */
  readonly key: string;
  /** full: all weights; lora: low-rank pairs. */
  readonly kind: AdapterKind;
  /** Size in the object store. */
  readonly sizeBytes: number;
  /** Digest of the base model that it fits. */
  readonly baseModelDigest: string;
  /** The adapter it was trained from; null is the bare base model. */
  readonly parent: string | null;
  /** The run that made it. */
  readonly runId: string;
  /** e.g. grpo, sft. */
  readonly algorithm: string;
  /** The offset ranges that it learned from. */
  readonly inputs: readonly OffsetRange[];
  /**
   * SHA-256 of the buffer's manifest, for algorithms that learn from the buffer. Where there are several: SHA-256
   * of the list of their digests.
   */
  readonly manifestDigest: string | null;
  /** Fingerprint of the model's logits on fixed probe prompts with this adapter loaded. */
  readonly fingerprint: string;
  /** Final figures of the run by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** How recorded attempts become a better artefact, e.g. seam: adapters for the model that writes entries. */
  readonly method: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** What the run made. Null in older records, which have it in kind, adapterDigest and key. */
  readonly artefact: Artefact | null;
  /** The engine that trained. Null in older records, and where nothing was trained. */
  readonly engine: EngineIdentity | null;
  /** The person who brought it from elsewhere, as they stated. Null: a run made it. */
  readonly publishedBy?: string | null | undefined;
}

/** Generators serve this adapter from now on. */
export interface AdapterPromoted {
  readonly meta: EventMeta;
  /** SHA-256 of its content. */
  readonly adapterDigest: string;
  /** Key in the object store. */
  readonly key: string;
  /** The fingerprint that a model with this adapter must have. */
  readonly fingerprint: string;
  /** The adapter it was trained from; null is the bare base model. */
  readonly parent: string | null;
  /** The run that made it; null when a person promoted it. */
  readonly runId: string | null;
  /** The rule that decided, in words. */
  readonly rule: string;
  /** The measurement that the rule judged. */
  readonly evaluation: Evaluation | null;
  /**
   * Whether the promotion counts only while `parent` is served at its place in the log. After another promotion
   * or a rollback it changes nothing. True for the promotion of a run, which was compared with its parent. False
   * in older records, and where a person promotes.
   */
  readonly onlyOverParent: boolean;
  /**
   * The person who promoted it. Null where a run did. A person's promotion counts only with a name, a reason and
   * an evaluation.
   */
  readonly promotedBy: string | null;
  /** The person's reason, in words. Null where a run promoted. */
  readonly reason: string | null;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/** Generators serve an earlier adapter (null: the base model) again. */
export interface AdapterRolledBack {
  readonly meta: EventMeta;
  /** The adapter that is no longer served. */
  readonly adapterDigest: string;
  /** The adapter that is served again; null is the bare base model. */
  readonly to: string | null;
  /** Key of `to` in the object store. */
  readonly key: string | null;
  /** Fingerprint of `to`. */
  readonly fingerprint: string | null;
  /** The reason in words. */
  readonly reason: string;
  /** The person who rolled back. A rollback counts only with a name and a reason. Null in older records. */
  readonly rolledBackBy: string | null;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/** A person measured an adapter. A later promotion by a person may use the result. */
export interface AdapterEvaluated {
  readonly meta: EventMeta;
  /** The adapter that was measured. */
  readonly adapterDigest: string;
  /** The result. `parentSuccess` is that of the bare base model where the adapter has no parent. */
  readonly evaluation: Evaluation;
  /** Digest of the base model that it was measured on. */
  readonly baseModelDigest: string;
  /** The executor that answered. */
  readonly executor: ExecutorIdentity;
  /** The person who measured. */
  readonly evaluatedBy: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/**
 * A person pinned the served adapter. Until it is unpinned, no promotion and no rollback changes what is
 * served.
 */
export interface AdapterPinned {
  readonly meta: EventMeta;
  /**
   * The adapter that is served and stays served. Null is the bare base model. If another adapter is served at the
   * event's place in the log, the event pins nothing.
   */
  readonly adapterDigest: string | null;
  /** The person. */
  readonly pinnedBy: string;
  /** The reason in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/** A person unpinned the adapter. Promotions and rollbacks change what is served again. */
export interface AdapterUnpinned {
  readonly meta: EventMeta;
  /** The adapter that was pinned; null is the bare base model. */
  readonly adapterDigest: string | null;
  /** The person. */
  readonly unpinnedBy: string;
  /** The reason in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
}

/** A person declares the rule by which an adapter replaces the served one, before anything is measured. */
export interface ReleasePlanned {
  readonly meta: EventMeta;
  /** Id of the release, and the salt of its draws. Two releases divide the same problems differently. */
  readonly releaseId: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** Digest of the adapter that may replace the parent. */
  readonly candidate: string;
  /** Digest of the adapter that was served when the plan was made; null is the bare base model. */
  readonly parent: string | null;
  /**
   * Canonical JSON: version of the rule, stages with shares, margins and fewest problems, tolerance, horizon,
   * risk, guardrails. Its meaning is in docs/how-to/releases.md.
   */
  readonly plan: string;
  /** The person who planned it. Automatic decisions of the plan are made in this person's name. */
  readonly plannedBy: string;
  /** The reason in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

/** A stage of a release ended. The rule of its plan decided from counts of the log, or a person decided. */
export interface ReleaseDecided {
  readonly meta: EventMeta;
  /** The release. */
  readonly releaseId: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** The stage that ended, from 0. */
  readonly stage: number;
  /**
   * `advanced`: the next stage begins. `promoted`: the candidate replaces its parent. `rolled back`: the
   * candidate is harmful, or the comparison cannot be trusted. `undecided`: the horizon was reached first, or a
   * person did something else with the slot. The candidate is not promoted.
   */
  readonly decision: string;
  /** The rule that decided, without figures. */
  readonly rule: string;
  /** Canonical JSON: the counts of each stage, with the evidence that the rule computed from them. */
  readonly evidence: string;
  /** The records that were counted. Counting them again gives the same counts. */
  readonly offsets: readonly OffsetRange[];
  /** The person who overruled the rule. Null: the rule decided. */
  readonly decidedBy: string | null;
  /** The reason in words: the rule with its figures, or the person's reason. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

/**
 * A person declared when a domain in which entries do harm is muted, or switched that off. It replaces what was
 * declared for the slot before.
 */
export interface GuardPlanned {
  readonly meta: EventMeta;
  /** The guard. Only problems that were drawn under it count for it. */
  readonly guardId: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /**
   * Canonical JSON: risk, weights of domains, the share of problems that keeps its entries, and the version of
   * the rule. Null: the slot is not guarded any more, and no domain is muted.
   */
  readonly plan: string | null;
  /** The person. */
  readonly plannedBy: string;
  /** The reason in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

/**
 * The rule of a guard found that the entries of an adapter do harm in a domain. From then on generators
 * withhold them there, but for a small share of the problems.
 */
export interface DomainMuted {
  readonly meta: EventMeta;
  /** The guard whose plan decided so. */
  readonly guardId: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** The adapter whose entries do harm there. Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** The domain. */
  readonly domain: string;
  /** The rule that decided, without figures. */
  readonly rule: string;
  /**
   * Canonical JSON: the counts of the domain by the share that they were drawn with, its place among domains that
   * the plan does not name, the evidence that the rule computed, and the digest of the plan.
   */
  readonly evidence: string;
  /** The records that were counted. Counting them again gives the same counts. */
  readonly offsets: readonly OffsetRange[];
  /** The rule with its figures. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

/** A person ended the muting of a domain. The same guard does not mute it again for the same adapter. */
export interface DomainUnmuted {
  readonly meta: EventMeta;
  /** The guard that muted it. */
  readonly guardId: string;
  /** What the artefact is served as, e.g. generator: the model that writes the entries. */
  readonly slot: string;
  /** The adapter that it was muted for. Null is the bare base model. */
  readonly adapterDigest: string | null;
  /** The domain. */
  readonly domain: string;
  /** The person. */
  readonly unmutedBy: string;
  /** The reason in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) of the writer, around an in-toto statement that names this event's content. Null where
   * it is not signed.
   */
  readonly attestation: string | null;
}

export type AccessRole = 'viewer' | 'publisher' | 'operator' | 'admin';

/** A person issued a key for the gateway. */
export interface ApiKeyIssued {
  readonly meta: EventMeta;
  /** The public part of the key. Limits, records and revocations name it. */
  readonly keyId: string;
  /** SHA-256 of the secret part, as hexadecimal digits. The secret is shown once and not stored. */
  readonly digest: string;
  /** Whose key it is, in words. */
  readonly name: string;
  /**
   * viewer: reads; publisher: also asks, publishes and judges; operator: also promotes, rolls back and redrives;
   * admin: also issues keys.
   */
  readonly role: AccessRole;
  /** From this moment on the key is not valid. Null: it does not expire. */
  readonly expiresAt: number | null;
  /** The person who issued it, as they stated. */
  readonly issuedBy: string;
}

/** A person revoked a key. It is never valid again. */
export interface ApiKeyRevoked {
  readonly meta: EventMeta;
  /** The public part of the key. */
  readonly keyId: string;
  /** The person who revoked it, as they stated. */
  readonly revokedBy: string;
  /** The reason in words. */
  readonly reason: string;
}

/**
 * A person declared how much a client of the gateway, or a tenant as a whole, may use. It replaces what was
 * declared before for the same client, measure and window.
 */
export interface QuotaDeclared {
  readonly meta: EventMeta;
  /**
   * The public part of the key, or the name of a user. `*`: each client for which no limit of this measure and
   * window is declared. `whole`: the tenant as a whole.
   */
  readonly keyId: string;
  readonly measure: QuotaMeasure;
  readonly per: QuotaWindow;
  /** The most in one window. Money is in millionths of the currency. Null: no limit from now on. */
  readonly limit: number | null;
  readonly mode: QuotaMode;
  /** The person who declared it, as they stated. */
  readonly declaredBy: string;
  /** The reason in words. */
  readonly reason: string;
}

/**
 * A person declared what an executor's tokens cost from a moment on, until the next declaration for the same
 * model.
 */
export interface PriceDeclared {
  readonly meta: EventMeta;
  /** The executor's model, as answers record it. */
  readonly model: string;
  /** ISO 4217. A log has one currency. */
  readonly currency: string;
  /** Price of a million tokens that the executor reads, in millionths of the currency. */
  readonly promptPerMillion: number;
  /** The same for tokens that the server reports as cached. Null: they cost as much as others. */
  readonly cachedPromptPerMillion: number | null;
  /** Price of a million tokens that the executor writes, in millionths of the currency. */
  readonly completionPerMillion: number;
  /** From this moment on the price is valid, in milliseconds since the Unix epoch. */
  readonly validFrom: number;
  /** The person who declared it, as they stated. */
  readonly declaredBy: string;
  /** The reason in words. */
  readonly reason: string;
}

/** A person gave dead records to their consumers once more. Written in one transaction with the records. */
export interface DeadLettersRedriven {
  readonly meta: EventMeta;
  /** Id of the redrive. One with many records has an event for each of its steps. */
  readonly redriveId: string;
  /** Records that were appended with this event. */
  readonly records: number;
  /** The person, as they stated. */
  readonly redrivenBy: string;
  /** The reason in words. */
  readonly reason: string;
}

/**
 * A gateway asks for room for one request, of its client or of its tenant as a whole. It is admitted if, at
 * this place in the log, what was used and reserved before leaves room under each enforced limit. Otherwise it
 * counts for nothing.
 */
export interface UsageReserved {
  readonly meta: EventMeta;
  /**
   * The client: the public part of its key, or the name of a user. `whole`: its tenant as a whole, which has a
   * separate reservation.
   */
  readonly keyId: string;
  /** Names the reservation in what settles it. */
  readonly reservationId: string;
  /** Tokens that the request may use, as estimated. */
  readonly tokens: number;
  /** Their price, in millionths of the currency. Null: the price is unknown. */
  readonly money: number | null;
  /** The limits of this client or tenant, as the gateway knew them. */
  readonly limits: readonly UsageLimit[];
  /** No settlement comes after this moment. Then the reservation is charged as it is: its gateway died. */
  readonly lapsesAt: number;
  /** Problems that the request publishes. 0 also in older events, which do not say. */
  readonly problems?: number | undefined;
}

export type UsageOutcome = 'charged' | 'released';

/** A reservation ended. The first settlement counts. */
export interface UsageSettled {
  readonly meta: EventMeta;
  /** The client. `whole`: its tenant as a whole. */
  readonly keyId: string;
  /** The reservation. */
  readonly reservationId: string;
  /** charged: the executor worked; released: it did not, and the reservation counts for nothing. */
  readonly outcome: UsageOutcome;
  /** Tokens that the executor reported. Null: it reported none, and the reserved ones are charged. */
  readonly tokens: number | null;
  /** Their price, in millionths of the currency. Null: unknown, and the reserved price is charged. */
  readonly money: number | null;
}

export type RequestOrigin = 'loopback' | 'private' | 'public';

/**
 * A gateway refused requests for want of right. Those of one client, reason, route and origin are one event a
 * minute, so a flood of requests is no flood of events.
 */
export interface AccessRefused {
  readonly meta: EventMeta;
  /**
   * The client: the public part of its key, or the name of a user. Null: the requests do not prove who asks, or
   * the event is about several.
   */
  readonly keyId: string | null;
  /**
   * Why, in a word, e.g. forbidden, token_expired, key_revoked. `several`: what was more than a minute has room
   * for.
   */
  readonly reason: string;
  /** Method and route as it is declared, e.g. POST /v1/feedback. Null: several. */
  readonly route: string | null;
  /**
   * Class of the address that the connection is from. Behind a proxy it is the proxy's. loopback: this machine;
   * private: a network that is not reached from elsewhere; public: all others.
   */
  readonly origin: RequestOrigin;
  /** Requests that were refused. */
  readonly requests: number;
  /** Time of the first, in milliseconds since the Unix epoch. */
  readonly firstAt: number;
  /** Time of the last, in milliseconds since the Unix epoch. */
  readonly lastAt: number;
}

/**
 * A person signed in to the dashboard at the OpenID provider. Gateways take the cookie of the session until it
 * expires or is ended.
 */
export interface SessionStarted {
  readonly meta: EventMeta;
  /** The name of the user. */
  readonly userId: string;
  /** SHA-256 of the cookie's secret, in hexadecimal digits. The secret itself is in no record. */
  readonly sessionId: string;
  /** What the session may do: viewer, publisher, operator or admin. */
  readonly role: string;
  /** When it ends by itself, in milliseconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** A person signed out, or another person signed them out. What is ended never opens again. */
export interface SessionEnded {
  readonly meta: EventMeta;
  /** The name of the user whose session it is. */
  readonly userId: string;
  /** The session. Null: all that the user began before. */
  readonly sessionId: string | null;
  /** The user, or the person who ended it, as they stated. */
  readonly endedBy: string;
  /** The reason in words. */
  readonly reason: string;
}

/** A record that a consumer could not use, with its bytes. */
export interface DeadLettered {
  readonly meta: EventMeta;
  /** Topic of the record. */
  readonly topic: string;
  /** Partition of the record. */
  readonly partition: number;
  /** Offset of the record. */
  readonly offset: number;
  /** The consumer group that gave up. */
  readonly group: string;
  /** The original key, byte for byte as text. */
  readonly key: string | null;
  /** The original bytes. Null is a tombstone. */
  readonly value: Uint8Array | null;
  /** The original headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Error code, e.g. MALFORMED_RECORD. */
  readonly code: string;
  /** The error in words. */
  readonly reason: string;
  /** Times it was tried before giving up. */
  readonly attempts: number;
}

/** Every event by its type. The type is not a field on the wire: the schema's fingerprint identifies it. */
export interface EventsByType {
  readonly ProblemPublished: ProblemPublished;
  readonly ExperienceGenerated: ExperienceGenerated;
  readonly ExperienceWithheld: ExperienceWithheld;
  readonly OutcomeRecorded: OutcomeRecorded;
  readonly ExecutionFailed: ExecutionFailed;
  readonly ProblemExpired: ProblemExpired;
  readonly AttemptUngraded: AttemptUngraded;
  readonly AnswerRecorded: AnswerRecorded;
  readonly AnswerSettled: AnswerSettled;
  readonly FeedbackRefused: FeedbackRefused;
  readonly FeedbackGiven: FeedbackGiven;
  readonly SuccessAdmitted: SuccessAdmitted;
  readonly SuccessRejected: SuccessRejected;
  readonly ResultRefused: ResultRefused;
  readonly BufferCommitted: BufferCommitted;
  readonly TrainingRunPlanned: TrainingRunPlanned;
  readonly TrainingRunStarted: TrainingRunStarted;
  readonly TrainingRunCheckpointed: TrainingRunCheckpointed;
  readonly TrainingRunCompleted: TrainingRunCompleted;
  readonly TrainingRunFailed: TrainingRunFailed;
  readonly TrainingRunRejected: TrainingRunRejected;
  readonly TrainingRunCancelled: TrainingRunCancelled;
  readonly SelfTrainingStarted: SelfTrainingStarted;
  readonly SelfTrainingStopped: SelfTrainingStopped;
  readonly SelfTrainingResumed: SelfTrainingResumed;
  readonly SelfTrainingPaused: SelfTrainingPaused;
  readonly LibraryReplyRecorded: LibraryReplyRecorded;
  readonly TeamTurnTaken: TeamTurnTaken;
  readonly TeamRolloutJudged: TeamRolloutJudged;
  readonly TeamBatchSampled: TeamBatchSampled;
  readonly AgentUpdateTried: AgentUpdateTried;
  readonly AgentUpdated: AgentUpdated;
  readonly AgentSwapped: AgentSwapped;
  readonly AgentWarmedUp: AgentWarmedUp;
  readonly TeamPreferencePublished: TeamPreferencePublished;
  readonly TeamEvaluated: TeamEvaluated;
  readonly AdapterPublished: AdapterPublished;
  readonly AdapterPromoted: AdapterPromoted;
  readonly AdapterRolledBack: AdapterRolledBack;
  readonly AdapterEvaluated: AdapterEvaluated;
  readonly AdapterPinned: AdapterPinned;
  readonly AdapterUnpinned: AdapterUnpinned;
  readonly ReleasePlanned: ReleasePlanned;
  readonly ReleaseDecided: ReleaseDecided;
  readonly GuardPlanned: GuardPlanned;
  readonly DomainMuted: DomainMuted;
  readonly DomainUnmuted: DomainUnmuted;
  readonly ApiKeyIssued: ApiKeyIssued;
  readonly ApiKeyRevoked: ApiKeyRevoked;
  readonly QuotaDeclared: QuotaDeclared;
  readonly PriceDeclared: PriceDeclared;
  readonly DeadLettersRedriven: DeadLettersRedriven;
  readonly UsageReserved: UsageReserved;
  readonly UsageSettled: UsageSettled;
  readonly AccessRefused: AccessRefused;
  readonly SessionStarted: SessionStarted;
  readonly SessionEnded: SessionEnded;
  readonly DeadLettered: DeadLettered;
}

export type EventType = keyof EventsByType;

/** An event with its type, as code passes it around. */
export type EventOf<T extends EventType> = { [K in T]: { readonly type: K } & EventsByType[K] }[T];

/** Everything that can happen. */
export type SeamEvent = EventOf<EventType>;

/** Names of the topics. */
export const TOPIC = {
  problems: 'seam.problems',
  experiences: 'seam.experiences',
  outcomes: 'seam.outcomes',
  answers: 'seam.answers',
  feedback: 'seam.feedback',
  buffer: 'seam.buffer',
  training: 'seam.training',
  teams: 'seam.teams',
  adapters: 'seam.adapters',
  access: 'seam.access',
  usage: 'seam.usage',
  deadLetters: 'seam.dead-letters',
} as const;

export type TopicName = (typeof TOPIC)[keyof typeof TOPIC];

/** Every topic with its number of partitions and the events that it may hold. */
export const TOPICS: readonly { readonly name: TopicName; readonly partitions: number; readonly events: readonly EventType[] }[] = [
  { name: 'seam.problems', partitions: 4, events: ['ProblemPublished'] },
  { name: 'seam.experiences', partitions: 4, events: ['ExperienceGenerated', 'ExperienceWithheld'] },
  { name: 'seam.outcomes', partitions: 4, events: ['OutcomeRecorded', 'ExecutionFailed', 'ProblemExpired', 'AttemptUngraded'] },
  { name: 'seam.answers', partitions: 4, events: ['AnswerRecorded', 'AnswerSettled', 'FeedbackRefused'] },
  { name: 'seam.feedback', partitions: 4, events: ['FeedbackGiven'] },
  { name: 'seam.buffer', partitions: 4, events: ['SuccessAdmitted', 'SuccessRejected', 'ResultRefused', 'BufferCommitted'] },
  { name: 'seam.training', partitions: 4, events: ['TrainingRunPlanned', 'TrainingRunStarted', 'TrainingRunCheckpointed', 'TrainingRunCompleted', 'TrainingRunFailed', 'TrainingRunRejected', 'TrainingRunCancelled', 'SelfTrainingStarted', 'SelfTrainingStopped', 'SelfTrainingResumed', 'SelfTrainingPaused', 'LibraryReplyRecorded'] },
  { name: 'seam.teams', partitions: 4, events: ['TeamTurnTaken', 'TeamRolloutJudged', 'TeamBatchSampled', 'AgentUpdateTried', 'AgentUpdated', 'AgentSwapped', 'AgentWarmedUp', 'TeamPreferencePublished', 'TeamEvaluated'] },
  { name: 'seam.adapters', partitions: 1, events: ['AdapterPublished', 'AdapterPromoted', 'AdapterRolledBack', 'AdapterEvaluated', 'AdapterPinned', 'AdapterUnpinned', 'ReleasePlanned', 'ReleaseDecided', 'GuardPlanned', 'DomainMuted', 'DomainUnmuted'] },
  { name: 'seam.access', partitions: 1, events: ['ApiKeyIssued', 'ApiKeyRevoked', 'QuotaDeclared', 'PriceDeclared', 'DeadLettersRedriven'] },
  { name: 'seam.usage', partitions: 4, events: ['UsageReserved', 'UsageSettled', 'AccessRefused', 'SessionStarted', 'SessionEnded'] },
  { name: 'seam.dead-letters', partitions: 4, events: ['DeadLettered'] },
];

/** The topic of every event. */
export const TOPIC_OF = {
  ProblemPublished: 'seam.problems',
  ExperienceGenerated: 'seam.experiences',
  ExperienceWithheld: 'seam.experiences',
  OutcomeRecorded: 'seam.outcomes',
  ExecutionFailed: 'seam.outcomes',
  ProblemExpired: 'seam.outcomes',
  AttemptUngraded: 'seam.outcomes',
  AnswerRecorded: 'seam.answers',
  AnswerSettled: 'seam.answers',
  FeedbackRefused: 'seam.answers',
  FeedbackGiven: 'seam.feedback',
  SuccessAdmitted: 'seam.buffer',
  SuccessRejected: 'seam.buffer',
  ResultRefused: 'seam.buffer',
  BufferCommitted: 'seam.buffer',
  TrainingRunPlanned: 'seam.training',
  TrainingRunStarted: 'seam.training',
  TrainingRunCheckpointed: 'seam.training',
  TrainingRunCompleted: 'seam.training',
  TrainingRunFailed: 'seam.training',
  TrainingRunRejected: 'seam.training',
  TrainingRunCancelled: 'seam.training',
  SelfTrainingStarted: 'seam.training',
  SelfTrainingStopped: 'seam.training',
  SelfTrainingResumed: 'seam.training',
  SelfTrainingPaused: 'seam.training',
  LibraryReplyRecorded: 'seam.training',
  TeamTurnTaken: 'seam.teams',
  TeamRolloutJudged: 'seam.teams',
  TeamBatchSampled: 'seam.teams',
  AgentUpdateTried: 'seam.teams',
  AgentUpdated: 'seam.teams',
  AgentSwapped: 'seam.teams',
  AgentWarmedUp: 'seam.teams',
  TeamPreferencePublished: 'seam.teams',
  TeamEvaluated: 'seam.teams',
  AdapterPublished: 'seam.adapters',
  AdapterPromoted: 'seam.adapters',
  AdapterRolledBack: 'seam.adapters',
  AdapterEvaluated: 'seam.adapters',
  AdapterPinned: 'seam.adapters',
  AdapterUnpinned: 'seam.adapters',
  ReleasePlanned: 'seam.adapters',
  ReleaseDecided: 'seam.adapters',
  GuardPlanned: 'seam.adapters',
  DomainMuted: 'seam.adapters',
  DomainUnmuted: 'seam.adapters',
  ApiKeyIssued: 'seam.access',
  ApiKeyRevoked: 'seam.access',
  QuotaDeclared: 'seam.access',
  PriceDeclared: 'seam.access',
  DeadLettersRedriven: 'seam.access',
  UsageReserved: 'seam.usage',
  UsageSettled: 'seam.usage',
  AccessRefused: 'seam.usage',
  SessionStarted: 'seam.usage',
  SessionEnded: 'seam.usage',
  DeadLettered: 'seam.dead-letters',
} as const satisfies Record<EventType, TopicName>;

/** The record's key, which decides the partition; null is spread over all. */
export function keyOf(event: SeamEvent): string | null {
  switch (event.type) {
    case 'ProblemPublished':
      return event.problem.problemId;
    case 'ExperienceGenerated':
      return event.problem.problemId;
    case 'ExperienceWithheld':
      return event.problem.problemId;
    case 'OutcomeRecorded':
      return event.problem.problemId;
    case 'ExecutionFailed':
      return event.problem.problemId;
    case 'ProblemExpired':
      return event.problem.problemId;
    case 'AttemptUngraded':
      return event.problem.problemId;
    case 'AnswerRecorded':
      return event.problem.problemId;
    case 'AnswerSettled':
      return event.problemId;
    case 'FeedbackRefused':
      return event.problemId;
    case 'FeedbackGiven':
      return event.problemId;
    case 'SuccessAdmitted':
      return event.stratum;
    case 'SuccessRejected':
      return event.stratum;
    case 'ResultRefused':
      return event.problemId;
    case 'BufferCommitted':
      return 'commits';
    case 'TrainingRunPlanned':
      return event.runId;
    case 'TrainingRunStarted':
      return event.runId;
    case 'TrainingRunCheckpointed':
      return event.runId;
    case 'TrainingRunCompleted':
      return event.runId;
    case 'TrainingRunFailed':
      return event.runId;
    case 'TrainingRunRejected':
      return event.runId;
    case 'TrainingRunCancelled':
      return event.runId;
    case 'SelfTrainingStarted':
      return event.selfTrainingId;
    case 'SelfTrainingStopped':
      return event.selfTrainingId;
    case 'SelfTrainingResumed':
      return event.selfTrainingId;
    case 'SelfTrainingPaused':
      return event.selfTrainingId;
    case 'LibraryReplyRecorded':
      return event.runId;
    case 'TeamTurnTaken':
      return event.runId;
    case 'TeamRolloutJudged':
      return event.runId;
    case 'TeamBatchSampled':
      return event.runId;
    case 'AgentUpdateTried':
      return event.runId;
    case 'AgentUpdated':
      return event.runId;
    case 'AgentSwapped':
      return event.runId;
    case 'AgentWarmedUp':
      return event.runId;
    case 'TeamPreferencePublished':
      return event.setDigest;
    case 'TeamEvaluated':
      return event.slot;
    case 'AdapterPublished':
      return event.adapterDigest;
    case 'AdapterPromoted':
      return event.adapterDigest;
    case 'AdapterRolledBack':
      return event.adapterDigest;
    case 'AdapterEvaluated':
      return event.adapterDigest;
    case 'AdapterPinned':
      return 'pins';
    case 'AdapterUnpinned':
      return 'pins';
    case 'ReleasePlanned':
      return event.releaseId;
    case 'ReleaseDecided':
      return event.releaseId;
    case 'GuardPlanned':
      return event.guardId;
    case 'DomainMuted':
      return event.guardId;
    case 'DomainUnmuted':
      return event.guardId;
    case 'ApiKeyIssued':
      return event.keyId;
    case 'ApiKeyRevoked':
      return event.keyId;
    case 'QuotaDeclared':
      return event.keyId;
    case 'PriceDeclared':
      return event.model;
    case 'DeadLettersRedriven':
      return event.redriveId;
    case 'UsageReserved':
      return event.keyId;
    case 'UsageSettled':
      return event.keyId;
    case 'AccessRefused':
      return event.reason;
    case 'SessionStarted':
      return event.userId;
    case 'SessionEnded':
      return event.userId;
    case 'DeadLettered':
      return event.key;
  }
}
