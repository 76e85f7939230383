/** What a library is worth, compared with controls and other libraries. */
import { type LibraryStudy, studyLibrary } from '@seamstream/evaluation';
import type { EventLog } from '@seamstream/event-log';
import { type ExperienceLibrary, importLibrary } from '@seamstream/experience-library';
import { type GivenPrices, knownPrices } from '../cost/known-prices.js';
import { readLibrary } from '../library/libraries.js';
import { readDeclaredLimits } from '../quotas/index.js';
import type { AskingObserver, AskingWorld } from './asking-world.js';
import { chosenProblems, type ProblemOptions } from './evaluation-problems.js';
import { verifiersFor } from './judging.js';

export interface LibraryStudyRequest extends ProblemOptions {
  /** `served`, or the first digits of a digest. */
  readonly library: string;
  /** Further libraries: a digest's first digits, or a file as youtu-agent's practice writes one. */
  readonly against: readonly string[];
  readonly seed: string;
  readonly limit?: number;
  /** What tokens cost, by the name that outcomes record for the executor and by the digest of the generator's base model. */
  readonly prices?: GivenPrices;
}

export interface StudiedLibrary {
  readonly digest: string;
  readonly result: LibraryStudy;
  /** Of the log's prices; null where it has none. */
  readonly currency: string | null;
  /** Of each row, in millionths: what the executor read and wrote, and the generator for its entries. Null: a price is not known. */
  readonly money: readonly (number | null)[];
}

/** Problems that are asked together. */
const BATCH = 64;

/**
 * Measures every row on the problems of a file, or without one on a set of the demonstration.
 * @throws as `evaluateAdapter`; INVALID_INPUT for weights
 */
export async function studyLibraryOf(
  world: AskingWorld & {
    readInput(path: string): Promise<Uint8Array>;
    openLog(mode: 'read'): Promise<EventLog>;
  },
  path: string | undefined,
  request: LibraryStudyRequest,
  observer: AskingObserver<StudiedLibrary>,
): Promise<StudiedLibrary> {
  // Prices of the moment in which it begins: one that is declared meanwhile is of later requests.
  const declared = await readDeclaredLimits(await world.openLog('read'));
  const prices = knownPrices(declared, request.prices ?? new Map(), world.clock.now());
  const problems = await chosenProblems(world, path, request);
  const verifiers = await verifiersFor(world, problems);
  const models = await world.openModels();
  const { generator, environment, prompts, maxEntryTokens } = models;
  observer.opened(models, problems);
  const { library } = await readLibrary(world, request.library, observer.reading);
  const others = new Map<string, ExperienceLibrary>();
  for (const word of request.against)
    others.set(
      word,
      /^[0-9a-f]{4,64}$/i.test(word)
        ? (await readLibrary(world, word, observer.reading)).library
        : importLibrary(Buffer.from(await world.readInput(word)).toString(), generator.digest),
    );
  const schemaFor = await world.entrySchemas();
  const result = await studyLibrary(problems, {
    ...{ library, others, generator, environment, prompts, verifiers, maxEntryTokens },
    ...{ seed: request.seed, batchSize: BATCH },
    schemaFor: (domain) => schemaFor(domain),
    onProgress: (row, done, total) => {
      observer.progress(row, done, total);
      world.signal.throwIfAborted();
    },
  });
  const money = result.rows.map(([, { used }]) => {
    const parts = [
      prices.moneyOf(environment.identity.model, used.executor),
      prices.moneyOf(generator.digest, used.generator),
    ];
    return parts.some((part) => part === null) ? null : parts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  });
  const studied = { digest: library.digest, result, currency: prices.currency, money };
  observer.measured(studied);
  return studied;
}
