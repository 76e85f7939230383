/** What a process sets for the runs that it plans and carries out. */
import type { curriculumChangesSchema } from '@seamstream/learning';
import type { z } from 'zod';

/** Facts and a sentence, as a service's logger takes them. */
type Line = (facts: object, sentence: string) => void;

/** Where a run's progress is logged. A service's logger is one. */
export interface RunLogger {
  readonly info: Line;
  readonly warn: Line;
  readonly error: Line;
}

/** Logs what a record can cause repeatedly. An implementation bounds the lines of each reason. */
export interface RunLines {
  /** @param reason a code or another word of few */
  warn(reason: string, facts: Readonly<Record<string, unknown>>, sentence: string): void;
}

/** By what candidates are judged. */
export interface PromotionSettings {
  readonly rule: 'better' | 'tolerance';
  /** Of better: whether whole problems are compared, or the share of each that is right. Default: whole problems. */
  readonly measure?: 'success' | 'share';
  readonly risk: number;
  readonly portion: number;
  readonly most: number;
  readonly tolerance: number;
  readonly minProblems: number;
  readonly floor: number;
}

/** From what plans follow besides the log. */
export interface PlanningSettings {
  /** `curriculum`, or the name of an algorithm. */
  readonly algorithm: string;
  readonly preset: string;
  /** What differs from the preset; by algorithm for the algorithms. */
  readonly curriculum: z.infer<typeof curriculumChangesSchema>;
  readonly algorithms: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly seed: string;
  readonly promotion: PromotionSettings;
  /** Most tokens of an executor's response, and of an entry, in evaluations. */
  readonly responseMaxTokens: number;
  readonly entryMaxTokens: number;
}

/** How often a run is tried in one process when its engine fails, and the waits between, in milliseconds. */
export interface RetrySettings {
  readonly maxAttempts: number;
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
}
