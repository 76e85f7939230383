/** How a call is shared out over threads, and how far all of them have come. */
import type { GeneratedSequence, GenerationProgress, GenerationRequest, GenerationResult } from './generation.types.js';

/** Candidates of one errand: enough to fill a wave, few enough that threads finish together. */
const ERRAND_ROWS = 128;

export interface GenerationTask {
  readonly request: GenerationRequest;
  readonly index: number;
  readonly firstSeed: number;
}

/** Puts together what the errands of a call tell: a request may be divided among several. */
export class ProgressWatch {
  readonly #requests: readonly GenerationRequest[];
  readonly #results: GeneratedSequence[][];
  readonly #onProgress: (progress: GenerationProgress) => void;
  /** By errand. */
  readonly #tokens = new Map<readonly GenerationTask[], number>();
  readonly #told = new Set<number>();

  constructor(
    requests: readonly GenerationRequest[],
    results: GeneratedSequence[][],
    onProgress: (progress: GenerationProgress) => void,
  ) {
    this.#requests = requests;
    this.#results = results;
    this.#onProgress = onProgress;
  }

  errand(errands: readonly GenerationTask[]): {
    tell(progress: GenerationProgress): void;
    end(answers: readonly GenerationResult[]): void;
  } {
    return {
      tell: ({ tokens, finished }) => {
        for (const { request, candidates } of finished) {
          const { index, firstSeed } = errands[request]!;
          candidates.forEach((candidate, seed) => {
            this.#results[index]![firstSeed + seed] = candidate;
          });
        }
        this.#say(errands, tokens);
      },
      end: (answers) => {
        this.#say(
          errands,
          answers.flat().reduce((sum, { tokenIds }) => sum + tokenIds.length, 0),
        );
      },
    };
  }

  #say(errands: readonly GenerationTask[], tokens: number): void {
    this.#tokens.set(errands, tokens);
    const finished = this.#results.flatMap((candidates, request) => {
      const isWhole = candidates.filter((candidate) => candidate as GeneratedSequence | undefined).length;
      if (this.#told.has(request) || isWhole < this.#requests[request]!.seeds.length) return [];
      this.#told.add(request);
      return [{ request, candidates }];
    });
    const total = [...this.#tokens.values()].reduce((sum, each) => sum + each, 0);
    this.#onProgress({ tokens: total, finished });
  }
}

/** Requests in parts of like work. Like prompts stand together, so that they share waves. */
export function errandsOf(requests: readonly GenerationRequest[], workers: number): GenerationTask[][] {
  const total = requests.reduce((count, { seeds }) => count + seeds.length, 0);
  const target = Math.min(ERRAND_ROWS, Math.max(1, Math.ceil(total / workers)));
  const order = requests.map((_, index) => index);
  order.sort((a, b) => requests[a]!.promptTokenIds.length - requests[b]!.promptTokenIds.length || a - b);
  const parts: GenerationTask[][] = [];
  let part: GenerationTask[] = [];
  let rows = 0;
  for (const index of order) {
    const request = requests[index]!;
    // A request without seeds is sent as well: the worker refuses it by name.
    for (let at = 0; at === 0 || at < request.seeds.length; at += target) {
      const seeds = request.seeds.slice(at, at + target);
      if (part.length > 0 && rows + seeds.length > target) {
        parts.push(part);
        part = [];
        rows = 0;
      }
      part.push({ request: { ...request, seeds }, index, firstSeed: at });
      rows += seeds.length;
    }
  }
  if (part.length > 0) parts.push(part);
  return parts;
}
