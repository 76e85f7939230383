/** The demonstration's world with its shipped models, which takes a minute: to try the command, and to prove how it resumes. */
import { worldProblems } from '@seamstream/embedded-world';
import type { StudyTask } from './study-task.js';

export const embeddedTask: StudyTask = {
  name: 'embedded',
  problems: (split, seed, count) =>
    // Nothing is chosen on this task.
    split === 'development'
      ? []
      : worldProblems({ seed: `study/${seed}`, split, variant: 'base', count }).map(
          ({ problemId, domain, prompt, reference, verifier }) => ({ problemId, domain, prompt, reference, verifier }),
        ),
  traitsOf: ({ prompt }) => [prompt],
  entrySchemas: undefined,
  cheatsheet: JSON.stringify({ concepts: ['the item that is asked for'], strategy: ['half of it'], pitfalls: [] }),
  environment: () => ({
    SEAM_TRAINER_ALGORITHMS: JSON.stringify({ sft: { duration: { unit: 'steps', steps: 4 }, minRows: 2 } }),
  }),
};
