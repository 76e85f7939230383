/** What is measured when the rounds of the library demonstration are over: what its texts are worth on problems that decided nothing before. */
import { type LibraryStudy, studyLibrary } from '@seamstream/evaluation';
import { TOPIC } from '@seamstream/events';
import { type ExperienceLibrary, successorOf } from '@seamstream/experience-library';
import { readTopics } from '@seamstream/log-reader';
import { decodeServed, isLibrary } from '@seamstream/rollout';
import type { Host } from './host-services.js';
import { learnedRounds, type MeasureRunInput, roundsFacts } from './measure-run.js';
import { holds, type LibraryReport, type LibraryRoundRow } from './report/library-report.js';
import { exploredOf, type LoopProgress, rate } from './round-progress.js';
import { heldOutProblems } from './world-files.js';

export async function measureLibraryRun(input: MeasureRunInput): Promise<LibraryReport> {
  const { host, progress, own, run } = input;
  const { served } = progress.adapters;
  const library = await servedLibrary(host, served);
  const problems = own?.measured ?? heldOutProblems('base', input.heldOut);
  const study: LibraryStudy = await studyLibrary(problems, {
    ...{ library, generator: host.generator, environment: host.environment, prompts: host.prompts },
    ...{ maxEntryTokens: host.entryMaxTokens, seed: `held-out/${run.settings.seed}` },
    schemaFor: (domain) => host.schemaFor(domain),
    onProgress: (row, done, total) => input.say(`measuring held-out problems: ${row} ${done}/${total}`),
  });
  const facts = { study, items: library.items.length, served: served?.adapterDigest ?? null };
  const weights = { digest: host.generator.digest, recorded: [...(await baseModels(host))] };
  return {
    method: 'library',
    ...{ ...facts, weights, texts: library.items, rounds: roundsOf(progress) },
    ...(await roundsFacts(input, 'held-out problems of the demonstration')),
    converged: holds({ ...facts, weights }),
  };
}

async function servedLibrary(
  { drivers, generator }: Host,
  served: { readonly adapterDigest: string; readonly key: string } | null,
): Promise<ExperienceLibrary> {
  const { digest: baseModelDigest } = generator;
  if (served === null) return successorOf(null, { baseModelDigest });
  const { key, adapterDigest: digest } = served;
  const found = decodeServed(key, await drivers.objects.get(key), { digest, baseModelDigest });
  return isLibrary(found) ? found : successorOf(null, { baseModelDigest });
}

/** The weights that every entry of the log was written with: one digest, since they are frozen. */
async function baseModels({ drivers }: Host): Promise<ReadonlySet<string>> {
  const digests = new Set<string>();
  for await (const { events } of readTopics(drivers.log, [TOPIC.experiences], { undecodable: 'skip' }))
    for (const { event } of events) if (event.type === 'ExperienceGenerated') digests.add(event.baseModelDigest);
  return digests;
}

function roundsOf(progress: LoopProgress): readonly LibraryRoundRow[] {
  return learnedRounds(progress).map(({ row, figure, end }) => ({
    ...{ round: row.round, explored: rate(exploredOf(row)) ?? 0, items: figure('items') },
    ...{ added: figure('addItems'), modified: figure('modifyItems'), deleted: figure('deleteItems') },
    ...{ tested: figure('testedTexts'), ...end },
  }));
}
