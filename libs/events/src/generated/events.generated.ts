// Written by `npm run schemas` from schemas/. Do not edit: change the schema and run it again.

/** explore: one of a group to learn from; deploy: the single answer to a user; control: without an experience. */
export type Arm = 'explore' | 'deploy' | 'control';

/** How the arm of a problem was drawn: whoever knows these three can draw it again. */
export interface Assignment {
  /**
   * Salt of the draw: two experiments divide the same units differently. `control arm` for the permanent one of
   * the generator.
   */
  readonly experiment: string;
  /**
   * What was drawn for: all problems of one unit are in the same arm. The problem itself, or a conversation under
   * a name that its client does not choose.
   */
  readonly unit: string;
  /** Probability of the control arm when it was drawn. */
  readonly controlShare: number;
}

/**
 * Names the content of a problem by its digest. The place says where to look first; content with this digest is
 * the right one wherever it is found.
 */
export interface ContentReference {
  /** SHA-256 of prompt and reference (contentDigest in libs/events), base64url without padding: 43 characters. */
  readonly digest: string;
  /** Partition of seam.problems that held the problem when this was written. A copied log may hold it elsewhere. */
  readonly partition: number;
  /** Offset there. */
  readonly offset: number;
}

/** Relative differences (L2 norms) of two runs of equal steps. */
export interface EngineTolerance {
  /** Of each tensor, relative to the tensor. */
  readonly weights: number;
  /** Of all tensors together, relative to how far training moved them. */
  readonly change: number;
}

/** What trained, and how far two of its runs of equal steps may be apart. */
export interface EngineIdentity {
  /** e.g. onnxruntime, torch. */
  readonly name: string;
  /** Of the packages that compute, by name. */
  readonly versions: Readonly<Record<string, string>>;
  /** e.g. cpu, cuda: NVIDIA H100. */
  readonly device: string;
  /** Of the computation, e.g. float32, bfloat16. */
  readonly precision: string;
  /** Processes that compute one step together. */
  readonly worldSize: number;
  /** Null: equal steps give equal bits. */
  readonly tolerance: EngineTolerance | null;
}

/** Success measured on a fixed set of problems with greedy decoding. */
export interface Evaluation {
  /** Name of the set. */
  readonly problemSet: string;
  /** SHA-256 of the set's problems. */
  readonly problemSetDigest: string;
  /** Problems that counted: of a paired comparison those that both could be judged on. */
  readonly problems: number;
  /** Fraction solved by the candidate. */
  readonly success: number;
  /** Fraction solved by the parent on the same set; null where there is no parent. */
  readonly parentSuccess: number | null;
  /** Fraction solved by the candidate per domain. */
  readonly perDomain: Readonly<Record<string, number>>;
  /**
   * Problems that the candidate solved and its parent did not; null where the two were not asked the same
   * problems side by side.
   */
  readonly rescued: number | null;
  /**
   * Problems that the parent solved and the candidate did not; null where the two were not asked the same
   * problems side by side.
   */
  readonly broken: number | null;
  /** Fraction solved by the parent per domain; empty where the two were not asked the same problems side by side. */
  readonly parentPerDomain: Readonly<Record<string, number>>;
  /**
   * Problems that candidate and parent were asked side by side, per domain, whether they could be judged or not:
   * where the next comparison goes on. Empty where they were not.
   */
  readonly asked: Readonly<Record<string, number>>;
  /**
   * Of the problems asked those that earlier comparisons of the log had asked already, since the set had no
   * others left.
   */
  readonly repeated: number;
}

/** Identity and causality, carried by every event; projected to CloudEvents headers on the wire. */
export interface EventMeta {
  /**
   * UUID of this event; derived events use UUIDv5 of cause, role and index, so that a redelivery yields the same
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
  /** Taint: the least trusted of the sources this event was made from. */
  readonly sourceClass: SourceClass;
  /** W3C trace context. */
  readonly traceparent: string | null;
}

/** What answered. The executor is frozen: its digest never changes within a log. */
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
  /** Milliseconds until it had failed. */
  readonly latencyMs: number;
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

/** A problem as published: the only place where its whole content always is. */
export interface Problem {
  /** Key of the record on problems, experiences and outcomes. */
  readonly problemId: string;
  /** The kind of problem, e.g. arithmetic; strata and rates are counted per domain. */
  readonly domain: string;
  /** The statement, as the generator and the executor read it. */
  readonly prompt: string;
  /**
   * The reference answer or the tests, in the form the verifier expects. Only the verifier may read it. Null
   * together with the verifier: nobody knows yet what is right.
   */
  readonly reference: string | null;
  /**
   * Who judges the answer. The verifier that runs must be of exactly this kind. Null: answers are judged by
   * feedback until their deadline, and are ungraded after it.
   */
  readonly verifier: VerifierSpec | null;
  /** Free text pairs of the publisher; no code decides by them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * A published problem, as the events that follow from it carry it. Its content (prompt and reference) is either
 * in the copy or, by reference, in seam.problems only.
 */
export interface ProblemCopy {
  /** Key of the record on problems, experiences and outcomes. */
  readonly problemId: string;
  /** The kind of problem, e.g. arithmetic; strata and rates are counted per domain. */
  readonly domain: string;
  /**
   * The statement, or where it is: then the reference is null here, and the statement and the reference are in
   * seam.problems.
   */
  readonly prompt: string | ContentReference;
  /**
   * The reference answer or the tests, in the form the verifier expects. Only the verifier may read it. Null
   * where the prompt is a reference, and where the verifier is null.
   */
  readonly reference: string | null;
  /**
   * Who judges the answer. The verifier that runs must be of exactly this kind. Null: answers are judged by
   * feedback until their deadline, and are ungraded after it.
   */
  readonly verifier: VerifierSpec | null;
  /** Free text pairs of the publisher; no code decides by them. */
  readonly metadata: Readonly<Record<string, string>>;
}

/** Which adapter a problem was to be served with while a release is tried. */
export interface ReleaseDraw {
  /** The release, which is the salt of the draw. */
  readonly releaseId: string;
  /** Of its plan, from 0. */
  readonly stage: number;
  /** What was drawn for: all problems of one unit are in the same arm. */
  readonly unit: string;
  /** Probability of the candidate when it was drawn; null where both adapters wrote for the problem. */
  readonly share: number | null;
  /**
   * Whether the candidate was to write, regardless of who wrote in the end. Where both wrote, whether this entry
   * is the candidate's.
   */
  readonly isCandidate: boolean;
}

/** How a reward was computed: the same figures give the same reward, without a model or an endpoint. */
export interface RewardMeasurement {
  /** Kind and version, e.g. accuracy-gain@1. */
  readonly reward: string;
  /** binary or continuous. */
  readonly form: string;
  /** What the value was compared with, in the value's unit; null for an experience that could not act. */
  readonly threshold: number | null;
  /** The reward's own figure, e.g. a gain or nats; null for an experience that could not act. */
  readonly value: number | null;
  /** 0 … 1: what the value is worth. The outcome's reward is this, or 0 where the entry earns nothing. */
  readonly earned: number;
  /** Share of the questions that the frozen model has right; null where the reward does not need it. */
  readonly accuracyBefore: number | null;
  /** Share that is right with the experience. */
  readonly accuracyAfter: number | null;
  /** Mean −ln p of a gold answer's token by the frozen model, in nats; null where the reward does not need it. */
  readonly lossBefore: number | null;
  /** The same with the experience. */
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

/** Where the content of an event comes from; the least trusted of its causes taints what is derived. */
export type SourceClass = 'trusted' | 'user' | 'web' | 'model';

export type TaskKind = 'passage' | 'few_shot' | 'turns';

/** What a problem's prompt was rendered from. */
export interface TaskContent {
  /** passage: a text with questions; few_shot: examples and a query; turns: a dialogue that goes on. */
  readonly kind: TaskKind;
  /** The text of a passage; null for the other kinds. */
  readonly passage: string | null;
  /** What a passage is about, in a few words; null where nobody said. */
  readonly title: string | null;
  /** In their order. */
  readonly parts: readonly TaskPart[];
}

/** One question, example or turn of a task. */
export interface TaskPart {
  /** question; input, output or query; system, user or assistant. */
  readonly role: string;
  /** What is asked, shown or said. */
  readonly text: string;
  /** Of a question: its reference answer, which only the verifier may read. */
  readonly reference: string | null;
  /** Of a question: further answers that are as right as its reference. */
  readonly alternatives: readonly string[];
}

/** Which verifier judges, in which version, with which options. */
export interface VerifierSpec {
  /** e.g. exact, numeric */
  readonly kind: string;
  /** Version that the publisher wrote the reference for. */
  readonly version: string;
  /** Options in the form the verifier documents, e.g. a tolerance. */
  readonly options: Readonly<Record<string, string>>;
}

export type PublishMode = 'explore' | 'deploy';

/** Somebody published a problem. */
export interface ProblemPublished {
  readonly meta: EventMeta;
  /** The problem. */
  readonly problem: Problem;
  /** explore: spend a group of candidates to learn from; deploy: answer once. */
  readonly mode: PublishMode;
  /** After this moment nobody needs the answer. */
  readonly expiresAt: number | null;
  /**
   * Of a problem without a verifier: milliseconds from an answer to the end of the time in which feedback on it
   * counts. Null: as the executor is configured.
   */
  readonly feedbackWithinMs: number | null;
  /** The typed content that the prompt was rendered from; null where the publisher wrote the prompt. */
  readonly task: TaskContent | null;
  /** How the arm is to be drawn; null: by the problem's id, under the generator's share. */
  readonly assignment?: Assignment | null | undefined;
  /**
   * The service that answers the problem itself, with the experience that is written for it: seam/gateway. Null:
   * the executor's service answers.
   */
  readonly answeredBy?: string | null | undefined;
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
  /** The entry, JSON text valid under its schema. */
  readonly entry: string;
  /** Digest of the entry's JSON Schema. */
  readonly entrySchema: string;
  /** The generator's prompt exactly as it was fed. */
  readonly promptTokenIds: readonly number[];
  /** The sampled ids exactly as sampled; training never re-encodes text. */
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
  /** Whether the grammar left exactly one legal token: such tokens carry no gradient. */
  readonly forced: readonly boolean[];
  /** How the entry was drawn. */
  readonly sampling: SamplingSettings;
  /** SHA-256 of the tokenizer that the ids belong to. */
  readonly tokenizerDigest: string;
  /** Digest of the base model, measured. */
  readonly baseModelDigest: string;
  /** Measured from the tensors in use, not from a name; null is the bare base model. */
  readonly adapterDigest: string | null;
  /** Time from the request to the entry; not part of any digest. */
  readonly latencyMs: number;
  /**
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
  /**
   * Copied from the problem's event: milliseconds in which feedback on an answer counts. Null: as the executor is
   * configured.
   */
  readonly feedbackWithinMs: number | null;
  /** How the arm was drawn; null in records of earlier versions. */
  readonly assignment?: Assignment | null | undefined;
  /** Copied from the problem's event: who answers. Null: the executor's service. */
  readonly answeredBy?: string | null | undefined;
  /** The draw of the release that was tried then; null where none was. */
  readonly release?: ReleaseDraw | null | undefined;
}

/** The problem belongs to the control arm: the executor shall solve it without an entry. */
export interface ExperienceWithheld {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** Stands for the missing entry, so that its outcome can name it. */
  readonly experienceId: string;
  /** A group of one. */
  readonly groupId: string;
  /** Fraction of problems in the control arm. */
  readonly share: number;
  /**
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
  /**
   * Copied from the problem's event: milliseconds in which feedback on an answer counts. Null: as the executor is
   * configured.
   */
  readonly feedbackWithinMs: number | null;
  /** How the arm was drawn; null in records of earlier versions. */
  readonly assignment?: Assignment | null | undefined;
  /** Copied from the problem's event: who answers. Null: the executor's service. */
  readonly answeredBy?: string | null | undefined;
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
  /** Of the generator, copied from the experience. */
  readonly promptTokenIds: readonly number[];
  /** Of the entry, copied from the experience; empty in the control arm. */
  readonly tokenIds: readonly number[];
  /** Copied from the experience. */
  readonly forced: readonly boolean[];
  /** Copied from the experience; null in the control arm, where no generator was asked. */
  readonly baseModelDigest: string | null;
  /** Copied from the experience; null is the bare base model or, in the control arm, no generator. */
  readonly adapterDigest: string | null;
  /** What answered. */
  readonly executor: ExecutorIdentity;
  /** The executor's whole answer. */
  readonly response: string;
  /** Null when the response holds no answer. */
  readonly extractedAnswer: string | null;
  /** The verifier's verdict; of feedback, a score of at least 0.5. */
  readonly success: boolean;
  /**
   * 0 … 1: verdict (or the score of feedback) × validity of the entry; 0 for one that gives the answer away or
   * misquotes its problem.
   */
  readonly reward: number;
  /**
   * Whether everything that the entry quotes stands in the problem; null where its schema names no quotes, in the
   * control arm and in records of earlier versions.
   */
  readonly faithful: boolean | null;
  /**
   * Version of the verifier that judged, as it names itself; its kind is problem.verifier.kind. `feedback` where
   * the problem has no verifier and somebody judged.
   */
  readonly verifierVersion: string;
  /** Why, in the verifier's words. */
  readonly verifierDetail: string;
  /** Tokens that the executor read; null where the server did not say. */
  readonly promptTokens: number | null;
  /** Tokens that the executor wrote; null where the server did not say. */
  readonly responseTokens: number | null;
  /** Time of execution and verification; not part of any digest. */
  readonly latencyMs: number;
  /**
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
  /** messageId of the FeedbackGiven that judged; null where a verifier did. */
  readonly feedbackId: string | null;
  /** What the reward was computed from, where the configuration names a reward; null: it is the verdict's. */
  readonly measurement: RewardMeasurement | null;
  /**
   * Why the executor was asked without an entry although the problem is not of the control arm: `late` (none came
   * within the time that the request had), `refused` (the generator wrote none). Null: it was asked as the arm
   * says. Such an answer belongs to its arm in every comparison, and says nothing about an entry.
   */
  readonly withoutEntry?: string | null | undefined;
}

/** The infrastructure failed: no verdict, and never a reward of 0. */
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
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
}

/** The problem's time was over before an answer; nothing was executed. */
export interface ProblemExpired {
  readonly meta: EventMeta;
  /** The problem, copied. */
  readonly problem: ProblemCopy;
  /** When the service noticed, in milliseconds since the Unix epoch. */
  readonly expiredAt: number;
}

/** Nobody judged the answer in its time: no verdict, never a reward of 0 and never a success. */
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
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
  /** The deadline that passed, in milliseconds since the Unix epoch. */
  readonly feedbackUntil: number;
}

/**
 * The frozen executor answered a problem that has no verifier. It waits for feedback, and is ungraded at its
 * deadline.
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
  /** Of the generator, copied from the experience. */
  readonly promptTokenIds: readonly number[];
  /** Of the entry, copied from the experience; empty in the control arm. */
  readonly tokenIds: readonly number[];
  /** Copied from the experience. */
  readonly forced: readonly boolean[];
  /** Copied from the experience; null in the control arm, where no generator was asked. */
  readonly baseModelDigest: string | null;
  /** Copied from the experience; null is the bare base model or, in the control arm, no generator. */
  readonly adapterDigest: string | null;
  /** What answered. */
  readonly executor: ExecutorIdentity;
  /** The executor's whole answer. */
  readonly response: string;
  /** Null when the response holds no answer. */
  readonly extractedAnswer: string | null;
  /**
   * Whether everything that the entry quotes stands in the problem; null where its schema names no quotes, and in
   * the control arm.
   */
  readonly faithful: boolean | null;
  /** Tokens that the executor read; null where the server did not say. */
  readonly promptTokens: number | null;
  /** Tokens that the executor wrote; null where the server did not say. */
  readonly responseTokens: number | null;
  /** Time of execution; not part of any digest. */
  readonly latencyMs: number;
  /**
   * The attempt that this is about, where one experience is tried more than once: a turn of an agent, a
   * self-edit, an episode under a library. Null: the experience is tried once, and its id is the attempt's.
   */
  readonly attemptId: string | null;
  /** Why the entry earns no reward, whatever the feedback; null where it earns the score. */
  readonly unpaid: string | null;
  /** Feedback that comes later does not count: the attempt is ungraded then. Milliseconds since the Unix epoch. */
  readonly feedbackUntil: number;
  /**
   * Why the executor was asked without an entry although the problem is not of the control arm: `late` (none came
   * within the time that the request had), `refused` (the generator wrote none). Null: it was asked as the arm
   * says. Such an answer belongs to its arm in every comparison, and says nothing about an entry.
   */
  readonly withoutEntry?: string | null | undefined;
  /** What the server said of its use, as JSON, with the fields that nobody here knows. Null: it said nothing. */
  readonly usage?: string | null | undefined;
  /** Why the answer ended, in the server's word; null where it did not say, and for the executor's own service. */
  readonly finishReason?: string | null | undefined;
  /**
   * Who ended the answer before its end: `client` (it closed the connection), `upstream` (the server broke off),
   * `limit` (its time or its size was over), `shutdown` of the gateway. The response is what was sent until then.
   * Null: it is whole.
   */
  readonly cutBy?: string | null | undefined;
  /**
   * Executors that were asked before and gave no answer, in their order: a retry is told as one. Null: the first
   * one answered, or none is known.
   */
  readonly failedTries?: readonly FailedTry[] | null | undefined;
}

/** What an answer waited for is over: it was judged, or its time was up. Written in one step with the result. */
export interface AnswerSettled {
  readonly meta: EventMeta;
  /** The problem's id. */
  readonly problemId: string;
  /** The attempt that waits no longer. */
  readonly attemptId: string;
  /** messageId of the OutcomeRecorded or AttemptUngraded in seam.outcomes. */
  readonly resultId: string;
  /** messageId of the feedback that settled it; null at its deadline. */
  readonly feedbackId: string | null;
}

export type FeedbackRefusal = 'settled' | 'late' | 'unknown_attempt' | 'score';

/** Feedback that does not count, and why. Nothing else follows from it. */
export interface FeedbackRefused {
  readonly meta: EventMeta;
  /** The problem that the feedback names. */
  readonly problemId: string;
  /** The attempt that the feedback names. */
  readonly attemptId: string;
  /** messageId of the feedback. */
  readonly feedbackId: string;
  /** Who gave it, by its own account. */
  readonly by: string;
  /**
   * settled: it was judged or ungraded before; late: it came after the deadline; unknown_attempt: no answer of
   * this attempt waits; score: not 0 … 1.
   */
  readonly reason: FeedbackRefusal;
  /** The reason in words. */
  readonly detail: string;
}

/** Somebody says what an answer is worth. It counts only for an attempt that waits for it. */
export interface FeedbackGiven {
  readonly meta: EventMeta;
  /** The problem's id. */
  readonly problemId: string;
  /** The attempt that was looked at; the experience's id where that is tried once. */
  readonly attemptId: string;
  /** 0 … 1; from 0.5 on the answer counts as a success. Any other number is refused. */
  readonly score: number;
  /** Who says it: a person or a program, by its own account. */
  readonly by: string;
  /** Why, in words; may be empty. */
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
  /** Preference among pairs: 1 − group success rate, scaled by the control arm's failure rate. */
  readonly helpfulness: number;
}

export type RejectionReason = 'exact_duplicate' | 'near_duplicate' | 'invalid_entry' | 'length_out_of_bounds' | 'stratum_full' | 'subject_cap' | 'displaced' | 'aged_out' | 'misquote';

/** A success did not enter the buffer, or left it again. */
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
   * displaced: it was in the buffer and left it for a better pair. subject_cap: its subject holds as many pairs
   * as one may. aged_out: it was in the buffer and its group became too old. misquote: the entry quotes what does
   * not stand in its problem.
   */
  readonly reason: RejectionReason;
  /** Why, with the figures that decided. */
  readonly detail: string;
  /** outcomeId of the pair that stays instead. */
  readonly duplicateOf: string | null;
}

export type RefusalReason = 'experience_missing' | 'problem_missing' | 'problem_differs' | 'identity' | 'result_differs' | 'told_otherwise' | 'adapter_unknown';

/**
 * A result in the log does not count: nothing else in the log bears it out. Somebody forged it, or a service is
 * faulty.
 */
export interface ResultRefused {
  readonly meta: EventMeta;
  /** messageId that the result bears. */
  readonly outcomeId: string;
  /** The experience that it says to be about; null for an expiry. */
  readonly experienceId: string | null;
  /** The problem that it names. */
  readonly problemId: string;
  /** Where it stands. */
  readonly topic: string;
  /** Where it stands. */
  readonly partition: number;
  /** Where it stands. */
  readonly offset: number;
  /** Who it says has written it. */
  readonly source: string;
  /**
   * experience_missing, problem_missing: it is not in the log. problem_differs: the problem is not as it was
   * published. identity: an id, cause, group or subject does not follow from its cause. result_differs: it is not
   * about what its experience holds. told_otherwise: another verdict on the same experience stands before it.
   * adapter_unknown: its adapter is not in the log, or is for another base model.
   */
  readonly reason: RefusalReason;
  /** Why, in words. */
  readonly detail: string;
}

/** A whole version of the buffer, or of one of its shards, became readable in the object store. */
export interface BufferCommitted {
  readonly meta: EventMeta;
  /** Number of this version: 1, 2, 3, …; of each shard its own. */
  readonly sequence: number;
  /** Key of the manifest in the object store. */
  readonly manifestKey: string;
  /** SHA-256 of the manifest. */
  readonly manifestDigest: string;
  /** SHA-256 over the rows in canonical order: equal content, equal digest. */
  readonly bufferDigest: string;
  /** Pairs in this version. */
  readonly rows: number;
  /** Pairs by stratum (domain/difficulty). */
  readonly rowsPerStratum: Readonly<Record<string, number>>;
  /** The offsets that this version was folded from. */
  readonly inputs: readonly OffsetRange[];
  /** Which shard this is a version of, 0 … shards − 1. A shard keeps the domains that a hash gives it. */
  readonly shard: number;
  /** Number of shards that the buffer is divided into: the newest version of each is the buffer. */
  readonly shards: number;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
}

/** A run is to be done: everything that its result depends on. A worker of its queue takes it. */
export interface TrainingRunPlanned {
  readonly meta: EventMeta;
  /** Derived from what the run learns from: who plans the same again plans it under the same id. */
  readonly runId: string;
  /** How recorded attempts become a better artefact, e.g. seam: adapters for the model that writes entries. */
  readonly method: string;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
  /** The workers that take it; empty: nobody takes it but who asked for it. */
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
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever planned; null
   * where nobody signed.
   */
  readonly attestation: string | null;
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
  /** Derived from what the run learns from, so that a restarted trainer continues the same run. */
  readonly runId: string;
  /** e.g. grpo, sft. */
  readonly algorithm: string;
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
  /** The offset ranges that are replayed. */
  readonly inputs: readonly OffsetRange[];
  /** Key of the buffer's manifest that is read, for algorithms that learn from the buffer; null when several are. */
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
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** State of a run that a killed trainer resumes from. */
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
  /** The error in words: what was done, expected and came. */
  readonly reason: string;
  /** The last known figures by name; may hold NaN, which is often the reason. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A run ended without a new served adapter: nothing to learn from, or the result was worse than its parent. */
export interface TrainingRunRejected {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** The adapter that was refused; null when none was made. */
  readonly adapterDigest: string | null;
  /** Why, in words for an operator. */
  readonly reason: string;
  /** The measurement that the refusal rests on, if it rests on one. */
  readonly evaluation: Evaluation | null;
  /** Final figures of the run by name. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** A person took a run back. A worker that carries it out stops at its next checkpoint; nothing of it is served. */
export interface TrainingRunCancelled {
  readonly meta: EventMeta;
  /** The run. */
  readonly runId: string;
  /** Who decided it. */
  readonly cancelledBy: string;
  /** Why, in that person's words. */
  readonly reason: string;
}

/**
 * A person wants a writer to be trained on its own attempts, iteration by iteration. Told again, the newest
 * configuration counts, and what was stopped goes on.
 */
export interface SelfTrainingStarted {
  readonly meta: EventMeta;
  /** Derived from the problems and the settings of learning: who starts the same again goes on with it. */
  readonly selfTrainingId: string;
  /** Canonical JSON of the whole resolved configuration. */
  readonly configuration: string;
}

/** A person stopped a self-training: nothing more is explored or trained for it, until it is started again. */
export interface SelfTrainingStopped {
  readonly meta: EventMeta;
  /** The self-training. */
  readonly selfTrainingId: string;
  /** Who decided it. */
  readonly stoppedBy: string;
  /** Why, in that person's words. */
  readonly reason: string;
}

/**
 * A model's reply while a library was brought on. What was asked again finds it here, so that nothing is paid
 * twice and a replay asks nobody.
 */
export interface LibraryReplyRecorded {
  readonly meta: EventMeta;
  /** The training run that asked. */
  readonly runId: string;
  /** SHA-256 of the request: stage, model, settings, messages and which try it is. */
  readonly callId: string;
  /** summary: what one attempt did; advantage: what a group teaches; consolidation: what becomes of a batch. */
  readonly stage: string;
  /** As the endpoint calls it. */
  readonly model: string;
  /** The whole reply; null where the model refused or was filtered. */
  readonly content: string | null;
  /** Whether the model ended it; false: it was cut off. */
  readonly isWhole: boolean;
  /** Tokens that the model read, as the endpoint counts. */
  readonly promptTokens: number;
  /** Tokens that it wrote. */
  readonly responseTokens: number;
}

/** An agent of a team took its turn in a rollout. */
export interface TeamTurnTaken {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  /** The rollout: its turns in their order, and what they came to. */
  readonly rolloutId: string;
  /** The problem; its content is in seam.problems. */
  readonly problemId: string;
  /** Which rollout of the problem, from 0. */
  readonly candidate: number;
  /** Which turn of the rollout, from 0. */
  readonly turn: number;
  /** Name of the agent. */
  readonly agent: string;
  /** What its adapters are published for. */
  readonly slot: string;
  /** What it wrote. */
  readonly text: string;
  /** What it was asked, exactly as it was fed. */
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
  /** Measured from the tensors in use; null is the bare base model. */
  readonly adapterDigest: string | null;
}

/** A team's rollout came to an end and was judged. */
export interface TeamRolloutJudged {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  /** The rollout. */
  readonly rolloutId: string;
  /** The problem; its content is in seam.problems. */
  readonly problemId: string;
  /** The kind of problem. */
  readonly domain: string;
  /** Which rollout of the problem, from 0. */
  readonly candidate: number;
  /** Rollouts of the problem. */
  readonly groupSize: number;
  /** The entry that the agents wrote together, or their answer; null where they came to none. */
  readonly outcome: string | null;
  /** What the frozen executor answered with the entry; the answer itself where agents answer. */
  readonly response: string;
  /** The verifier's verdict. */
  readonly success: boolean;
  /** What the agents learn from. */
  readonly reward: number;
  /** What answered. */
  readonly executor: ExecutorIdentity;
}

/** A batch of a team's rollouts is complete in the log: with it a run learns without asking a model again. */
export interface TeamBatchSampled {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  /** The agents that are updated on it, in their order. */
  readonly agents: readonly string[];
  /** Whether the team had changed since the run's batch before it. */
  readonly isResampled: boolean;
  /** Rollouts in it. */
  readonly rollouts: number;
  /** Of these, those that were judged a success. */
  readonly successes: number;
  /** SHA-256 of its rollouts. */
  readonly digest: string;
}

/** A pass of an agent's update, and what the trust region made of it. */
export interface AgentUpdateTried {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** What its adapters are published for. */
  readonly slot: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  /** Which pass over the batch, from 0. */
  readonly pass: number;
  /** Which attempt at the pass, from 0: how often it was taken back before. */
  readonly attempt: number;
  /**
   * accepted; taken back: weights and optimizer state are those before the pass, and beta grew; given up: taken
   * back for good.
   */
  readonly decision: string;
  /** Weight of the distance to the policy before the update. */
  readonly beta: number;
  /** Quantile over states of the distance to the policy before the update, in nats. */
  readonly distance: number;
  /** What it may be at most, in nats; null where nothing gates. */
  readonly target: number | null;
  /** States that it is a quantile of. */
  readonly states: number;
  /** Mean over the turns of what was maximised. */
  readonly gain: number;
  /** Optimizer steps. */
  readonly steps: number;
}

/**
 * An agent of a team has its new weights for the rest of the run. Nothing serves them before the team is
 * promoted.
 */
export interface AgentUpdated {
  readonly meta: EventMeta;
  /** The training run that sampled, or learned. */
  readonly runId: string;
  /** Name of the agent. */
  readonly agent: string;
  /** What its adapters are published for. */
  readonly slot: string;
  /** Which of the run's batches, from 0. */
  readonly batch: number;
  /** Which agent of the run's order, from 0. */
  readonly position: number;
  /** Its weights now. */
  readonly adapterDigest: string;
  /** Its weights before; null is the bare base model. */
  readonly parent: string | null;
  /**
   * Effective sample size of the rollouts' weights as a fraction of their number; 1 where the team that acts
   * sampled them.
   */
  readonly effectiveSampleRatio: number;
  /** Distance of the accepted passes, in nats. */
  readonly distance: number;
  /** As it ended. */
  readonly beta: number;
}

export type AdapterKind = 'full' | 'lora';

/** What a run made. */
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
  /** SHA-256 of its content; never reused. */
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
   * SHA-256 of the buffer's manifest, for algorithms that learn from the buffer; of several, SHA-256 of the list
   * of theirs.
   */
  readonly manifestDigest: string | null;
  /** Signature of the model's logits on fixed probe prompts with this adapter loaded. */
  readonly fingerprint: string;
  /** Final figures of the run by name. */
  readonly metrics: Readonly<Record<string, number>>;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** How recorded attempts become a better artefact, e.g. seam: adapters for the model that writes entries. */
  readonly method: string;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
  /** What was made; null in older records, where kind, adapterDigest and key say it. */
  readonly artefact: Artefact | null;
  /** What trained; null in older records, and where nothing was trained. */
  readonly engine: EngineIdentity | null;
}

/** Generators shall serve this adapter. */
export interface AdapterPromoted {
  readonly meta: EventMeta;
  /** SHA-256 of its content. */
  readonly adapterDigest: string;
  /** Key in the object store. */
  readonly key: string;
  /** The signature that a model serving it must answer. */
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
   * Whether it counts only where `parent` is what is served at its place in the log: after another promotion or a
   * rollback it is overtaken and changes nothing. So is every run's, which was compared with its parent; false in
   * older records, and where a person promotes.
   */
  readonly onlyOverParent: boolean;
  /**
   * The person who promoted it, where no run did: such a promotion counts only with a name, a reason and an
   * evaluation.
   */
  readonly promotedBy: string | null;
  /** Why that person did, in words; null where a run promoted. */
  readonly reason: string | null;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** Generators shall serve an earlier adapter (null: the base model) again. */
export interface AdapterRolledBack {
  readonly meta: EventMeta;
  /** The adapter that is no longer served. */
  readonly adapterDigest: string;
  /** The adapter that is served again; null is the bare base model. */
  readonly to: string | null;
  /** Key of `to` in the object store. */
  readonly key: string | null;
  /** Signature of `to`. */
  readonly fingerprint: string | null;
  /** Why, in words. */
  readonly reason: string;
  /** The person who rolled back: a rollback counts only with a name and a reason. Null in older records. */
  readonly rolledBackBy: string | null;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** Somebody measured an adapter: what a person's promotion of it may rest on. */
export interface AdapterEvaluated {
  readonly meta: EventMeta;
  /** The adapter that was measured. */
  readonly adapterDigest: string;
  /** What came of it. `parentSuccess` is that of the bare base model where the adapter has no parent. */
  readonly evaluation: Evaluation;
  /** Digest of the base model that it was measured on. */
  readonly baseModelDigest: string;
  /** What answered. */
  readonly executor: ExecutorIdentity;
  /** The person who measured. */
  readonly evaluatedBy: string;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** A person holds what is served: until it is unpinned no promotion and no rollback changes that. */
export interface AdapterPinned {
  readonly meta: EventMeta;
  /**
   * The adapter that is served and stays so; null is the bare base model. Where another one is served at the
   * event's place in the log, it comes too late and pins nothing.
   */
  readonly adapterDigest: string | null;
  /** The person. */
  readonly pinnedBy: string;
  /** Why, in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** A person lets go of what was pinned: promotions change what is served again. */
export interface AdapterUnpinned {
  readonly meta: EventMeta;
  /** The adapter that was pinned; null is the bare base model. */
  readonly adapterDigest: string | null;
  /** The person. */
  readonly unpinnedBy: string;
  /** Why, in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
}

/** A person declares, before anything is measured, by which rule an adapter replaces the one that is served. */
export interface ReleasePlanned {
  readonly meta: EventMeta;
  /** Id of the release, and the salt of its draws: two releases divide the same problems differently. */
  readonly releaseId: string;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
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
  /** The person who planned it. What the plan decides by itself is decided in this name. */
  readonly plannedBy: string;
  /** Why, in words. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
}

/** A stage of a release ended: by the rule of its plan, from counts of the log, or by a person. */
export interface ReleaseDecided {
  readonly meta: EventMeta;
  /** The release. */
  readonly releaseId: string;
  /** What the artefact is served as, e.g. generator: what writes the entries. */
  readonly slot: string;
  /** The stage that ended, from 0. */
  readonly stage: number;
  /**
   * `advanced`: the next stage begins. `promoted`: the candidate replaces its parent. `rolled back`: it is
   * harmful, or the comparison cannot be trusted. `undecided`: the horizon came first, or a person did something
   * else with the slot, so it is not promoted.
   */
  readonly decision: string;
  /** The rule that decided, without figures. */
  readonly rule: string;
  /**
   * Canonical JSON: the counts that were decided on, by stage, with the evidence that the rule computed from
   * them.
   */
  readonly evidence: string;
  /** The records that the counts are of. Who folds these again gets the same counts. */
  readonly offsets: readonly OffsetRange[];
  /** The person who decided over the rule; null: the rule did. */
  readonly decidedBy: string | null;
  /** Why, in words: the rule with its figures, or what the person said. */
  readonly reason: string;
  /**
   * DSSE envelope (JSON) around an in-toto statement that names this event's content, by whoever wrote it; null
   * where nobody signed.
   */
  readonly attestation: string | null;
}

export type AccessRole = 'viewer' | 'publisher' | 'operator' | 'admin';

/** A person issued a key for the gateway. */
export interface ApiKeyIssued {
  readonly meta: EventMeta;
  /** The public part: what limits, records and revocations name. */
  readonly keyId: string;
  /** SHA-256 of the secret part, as hexadecimal digits. The secret is shown once and is nowhere else. */
  readonly digest: string;
  /** Whose key it is, in words. */
  readonly name: string;
  /**
   * viewer: reads; publisher: also asks, publishes and judges; operator: also promotes, rolls back and redrives;
   * admin: also issues keys.
   */
  readonly role: AccessRole;
  /** From this moment on it opens nothing. Null: never. */
  readonly expiresAt: number | null;
  /** Who issued it, by their own account. */
  readonly issuedBy: string;
}

/** A person revoked a key: from now on it opens nothing, and for ever. */
export interface ApiKeyRevoked {
  readonly meta: EventMeta;
  /** The public part. */
  readonly keyId: string;
  /** Who revoked it, by their own account. */
  readonly revokedBy: string;
  /** Why, in words. */
  readonly reason: string;
}

/** A record that a consumer could not use, with its bytes. */
export interface DeadLettered {
  readonly meta: EventMeta;
  /** Where the record stands: its topic, */
  readonly topic: string;
  /** its partition, */
  readonly partition: number;
  /** and its offset. */
  readonly offset: number;
  /** The consumer group that gave up. */
  readonly group: string;
  /** The original key, byte for byte as text. */
  readonly key: string | null;
  /** The original bytes; null is a tombstone. */
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
  readonly LibraryReplyRecorded: LibraryReplyRecorded;
  readonly TeamTurnTaken: TeamTurnTaken;
  readonly TeamRolloutJudged: TeamRolloutJudged;
  readonly TeamBatchSampled: TeamBatchSampled;
  readonly AgentUpdateTried: AgentUpdateTried;
  readonly AgentUpdated: AgentUpdated;
  readonly AdapterPublished: AdapterPublished;
  readonly AdapterPromoted: AdapterPromoted;
  readonly AdapterRolledBack: AdapterRolledBack;
  readonly AdapterEvaluated: AdapterEvaluated;
  readonly AdapterPinned: AdapterPinned;
  readonly AdapterUnpinned: AdapterUnpinned;
  readonly ReleasePlanned: ReleasePlanned;
  readonly ReleaseDecided: ReleaseDecided;
  readonly ApiKeyIssued: ApiKeyIssued;
  readonly ApiKeyRevoked: ApiKeyRevoked;
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
  { name: 'seam.training', partitions: 4, events: ['TrainingRunPlanned', 'TrainingRunStarted', 'TrainingRunCheckpointed', 'TrainingRunCompleted', 'TrainingRunFailed', 'TrainingRunRejected', 'TrainingRunCancelled', 'SelfTrainingStarted', 'SelfTrainingStopped', 'LibraryReplyRecorded'] },
  { name: 'seam.teams', partitions: 4, events: ['TeamTurnTaken', 'TeamRolloutJudged', 'TeamBatchSampled', 'AgentUpdateTried', 'AgentUpdated'] },
  { name: 'seam.adapters', partitions: 1, events: ['AdapterPublished', 'AdapterPromoted', 'AdapterRolledBack', 'AdapterEvaluated', 'AdapterPinned', 'AdapterUnpinned', 'ReleasePlanned', 'ReleaseDecided'] },
  { name: 'seam.access', partitions: 1, events: ['ApiKeyIssued', 'ApiKeyRevoked'] },
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
  LibraryReplyRecorded: 'seam.training',
  TeamTurnTaken: 'seam.teams',
  TeamRolloutJudged: 'seam.teams',
  TeamBatchSampled: 'seam.teams',
  AgentUpdateTried: 'seam.teams',
  AgentUpdated: 'seam.teams',
  AdapterPublished: 'seam.adapters',
  AdapterPromoted: 'seam.adapters',
  AdapterRolledBack: 'seam.adapters',
  AdapterEvaluated: 'seam.adapters',
  AdapterPinned: 'seam.adapters',
  AdapterUnpinned: 'seam.adapters',
  ReleasePlanned: 'seam.adapters',
  ReleaseDecided: 'seam.adapters',
  ApiKeyIssued: 'seam.access',
  ApiKeyRevoked: 'seam.access',
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
    case 'ApiKeyIssued':
      return event.keyId;
    case 'ApiKeyRevoked':
      return event.keyId;
    case 'DeadLettered':
      return event.key;
  }
}
