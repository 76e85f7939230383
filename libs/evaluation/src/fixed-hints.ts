/** The strongest fixed hint that can be had: the control that separates a good entry for each problem from one good text for all. */
import type { Problem } from '@seamstream/events';
import { generateExperiences } from '@seamstream/rollout';
import { assertCanJudge, type EvaluationSettings } from './arm-entries.js';
import { measureEntries } from './evaluate.js';

/** Hints tried per domain, and problems each is tried on, at most. */
const HINTS_TRIED = 3;
const HINT_PROBLEMS = 12;

/**
 * Per domain the entry, out of a few that the generator writes for some of the problems, that solves most of the others as it
 * stands. Of fewer than six problems half are left to try on. A domain with one problem, or in which no entry could be written,
 * has no hint.
 * @param problems that decide nothing else: neither trained on nor measured on
 */
export async function chooseFixedHints(
  problems: readonly Problem[],
  settings: Pick<
    EvaluationSettings,
    'environment' | 'generator' | 'adapter' | 'prompts' | 'verifiers' | 'schemaFor' | 'maxEntryTokens' | 'batchSize'
  > & { onProgress?(domain: string, done: number, total: number): void },
): Promise<ReadonlyMap<string, string>> {
  assertCanJudge(problems, settings);
  const best = new Map<string, string>();
  for (const [domain, own] of Map.groupBy(problems, (problem) => problem.domain)) {
    const hints = Math.min(HINTS_TRIED, Math.floor(own.length / 2));
    if (hints === 0) continue;
    // None that a hint was written for: an entry that gives its own problem's answer away would count for it.
    const tried = own.slice(hints).slice(-HINT_PROBLEMS);
    const written = await generateExperiences(
      own.slice(0, hints).map((problem) => ({ eventId: problem.problemId, problem })),
      {
        model: settings.generator,
        adapter: settings.adapter,
        prompts: settings.prompts,
        groupSize: 1,
        sampling: { temperature: 0, topK: 0, topP: 1, maxTokens: settings.maxEntryTokens },
        schemaFor: (name) => settings.schemaFor(name),
      },
    );
    let most = -1;
    for (const exploration of written) {
      const hint = exploration.status === 'explored' ? exploration.candidates[0]?.entry : undefined;
      if (hint === undefined) continue;
      const { solved } = await measureEntries(
        domain,
        tried,
        tried.map(() => hint),
        settings,
      );
      const successes = solved.filter((each) => each === true).length;
      if (successes > most) {
        most = successes;
        best.set(domain, hint);
      }
    }
  }
  return best;
}
