import type { ExecutorIdentity, Problem } from '@seamstream/events';
import { canonicalJson } from '@seamstream/kernel';
import { type Attempt, type AttemptOptions, type AttemptRequest, Environment } from './environment.port.js';
import type { SamplingParams } from './executor-model.port.js';

/**
 * An environment that makes equal attempts once: who asks again has the answers that there were. So two adapters that wrote the same entry
 * for a problem are told apart by nothing, and cost one attempt. An attempt that failed is made again. It keeps all answers as long as it
 * lives: one is for as many problems as are measured side by side.
 */
export class AttemptsOnce extends Environment {
  override readonly trains: boolean;
  override readonly examines: boolean;
  private readonly known = new Map<string, Attempt>();
  private count = 0;

  constructor(private readonly environment: Environment) {
    super();
    this.trains = environment.trains;
    this.examines = environment.examines;
  }

  override get identity(): ExecutorIdentity {
    return this.environment.identity;
  }

  /** Attempts that were made. */
  get made(): number {
    return this.count;
  }

  override async attempt(
    requests: readonly AttemptRequest[],
    { signal, onProgress, mostTokens }: AttemptOptions = {},
  ): Promise<readonly Attempt[]> {
    const keys = requests.map((request) => keyOf(request, mostTokens));
    const missing = new Map(keys.flatMap((key, at) => (this.known.has(key) ? [] : [[key, requests[at]!] as const])));
    const spared = requests.length - missing.size;
    const made = await this.environment.attempt([...missing.values()], {
      ...{ signal, mostTokens },
      onProgress: (told) => onProgress?.({ ...told, answered: told.answered + spared }),
    });
    this.count += made.length;
    const latest = new Map([...missing.keys()].map((key, at) => [key, made[at]!]));
    for (const [key, attempt] of latest) if (attempt.every(isAnswered)) this.known.set(key, attempt);
    return keys.map((key) => (latest.get(key) ?? this.known.get(key))!);
  }

  override drawn(drawing: SamplingParams): Environment | null {
    return this.environment.drawn(drawing);
  }

  override givesAnswerAway(entry: string, problem: Problem): boolean {
    return this.environment.givesAnswerAway(entry, problem);
  }
}

const isAnswered = ({ status }: Attempt[number]): boolean => status === 'answered';

function keyOf({ problem, entry, seeds, examination }: AttemptRequest, mostTokens: number | undefined): string {
  const { problemId, domain, prompt } = problem;
  return canonicalJson([problemId, domain, prompt, entry, [...seeds], examination?.id ?? null, mostTokens ?? null]);
}
