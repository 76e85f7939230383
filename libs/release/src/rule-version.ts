/**
 * The rules by which problems are counted for plans. A plan names one of them, and keeps it: its decisions are made again from the log,
 * byte for byte.
 *
 * 1: a problem counts once every problem before it has ended, explored ones and those that wait for feedback among them.
 * 2: a problem counts once those deployed before it have ended that get their verdicts in the same way: from a verifier, or as feedback.
 */
export const RULE_VERSIONS = [1, 2] as const;

export type RuleVersion = (typeof RULE_VERSIONS)[number];

/** Of plans in which nothing else is said. */
export const NEWEST_RULE: RuleVersion = 2;
