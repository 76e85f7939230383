import { z } from 'zod';

const ratio = z.number().min(0).max(1);

/** Settings of the success buffer. Unknown keys are refused. The resolved values are part of every manifest. */
export const bufferConfigSchema = z.strictObject({
  /** Seed of the reservoirs: which of equally helpful pairs stay in a full stratum. */
  seed: z.string().default('success-buffer'),
  /** Arms whose successes are kept. The control arm has no entry; it only measures what success costs without one. */
  arms: z.array(z.enum(['explore', 'deploy'])).default(['explore', 'deploy']),
  /** Most rows of one stratum (domain × difficulty). 512 × 3 difficulties × a few domains: seconds to train on. */
  capacityPerStratum: z.int().positive().default(512),
  difficulty: z
    .strictObject({
      /** A group whose success rate is at most this is hard. */
      hardUpTo: ratio.default(1 / 3),
      /** A group whose success rate is at least this is easy; between the two it is medium. */
      easyFrom: ratio.default(2 / 3),
    })
    .prefault({}),
  /** Number of equal classes of the group's failure rate that the reservoirs prefer by; within a class the seed decides. */
  helpfulnessClasses: z.int().positive().default(8),
  nearDuplicates: z
    .strictObject({
      /**
       * `entry`: problem statements are compared among pairs of one domain with the same entry. `domain`: statement and
       * entry together are compared within a domain. `off`: only exact duplicates are removed. Templated problems
       * differ by few words, so the default never merges pairs that teach different entries.
       */
      scope: z.enum(['entry', 'domain', 'off']).default('entry'),
      /** Jaccard similarity of the shingle sets from which two texts are near duplicates; ≥ 0.5, where the bands find them. */
      threshold: z.number().min(0.5).max(1).default(0.8),
      /** Words per shingle. At 3, one changed word of a 45-word statement leaves 0.87, two leave 0.75. */
      shingleWords: z.int().positive().default(3),
    })
    .prefault({}),
  lengths: z
    .strictObject({
      /** An entry with fewer tokens is not kept. */
      minEntryTokens: z.int().nonnegative().default(1),
      /** SEAM (https://arxiv.org/abs/2602.02556) names length bounds without figures; entries here are short. */
      maxEntryTokens: z.int().positive().default(512),
      /** A problem whose prompt has more tokens is not kept. */
      maxPromptTokens: z.int().positive().default(2048),
    })
    .prefault({}),
  /**
   * Most rows of one subject, against poisoning; 0 is no limit. About 250 documents suffice to plant a backdoor in a
   * training set of any size (https://arxiv.org/abs/2510.07192), so a limit belongs well below that. Each shard of a
   * buffer counts by itself: a subject with problems in domains of n shards may have n times as many.
   */
  maxRowsPerSubject: z.int().nonnegative().default(0),
  // eslint-disable-next-line house/plain-words -- the value as it is configured
  /** Subjects without such a limit. `(nobody)`: problems without a subject; only those where this is absent, as in old versions. */
  uncappedSubjects: z.array(z.string()).optional(),
  /** Pairs of groups with a result more than this many records before the newest of its partition leave; 0 is never. */
  maxAgeRecords: z.int().nonnegative().default(0),
});

export type BufferConfig = z.infer<typeof bufferConfigSchema>;
