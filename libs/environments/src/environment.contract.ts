/** What every environment keeps, over an executor that answers by a rule. A class and a spec that calls this suite make an environment. */
import { loadPrompts, type Prompts } from '@seamstream/experience';
import { innerUpdateSchema, type TrainingText } from '@seamstream/inner-update';
import { isSeamError, Random, SeamError, sha256 } from '@seamstream/kernel';
import type { AttemptRequest, Environment, EnvironmentChoice, ProblemStatement } from './environment.port.js';
import type { EnvironmentKind } from './environments.js';
import { adaptedTo, FakeExecutor } from './executor-model.fake.js';
import type { AnsweringProgress, ExecutorModel } from './executor-model.port.js';
import { PromptInjection } from './prompt-injection.js';

type Rule = (prompt: string, seed: string) => string;

const REFERENCE = 'SECRET-REFERENCE';
/** Everything that the prompt and the seed say decides the answer. */
const hashedAnswer: Rule = (prompt, seed) => `Answer: ${sha256(`${prompt}/${seed}`).slice(0, 8)}`;
const ENTRIES = [null, '', '{"memory_item":"count twice"}', '{"memory_item":"mind the carry"}'];
const DRAWING = { temperature: 0.7, topP: 0.9 };

/** As the executors of this system: what an ended call had answered is kept until a call for it has come to its end. */
class EndedOnce implements ExecutorModel {
  readonly identity = { model: 'ended', revision: '1', decoding: '{}' };
  readonly computed: string[] = [];
  private readonly kept = new Set<string>();
  private isEnded = false;

  constructor(
    private readonly stopAfter: number,
    private readonly rule: Rule,
  ) {}

  answer(prompts: readonly string[]): ReturnType<ExecutorModel['answer']> {
    for (const prompt of prompts) {
      if (this.kept.has(prompt)) continue;
      if (this.computed.length === this.stopAfter && !this.isEnded) {
        this.isEnded = true;
        return Promise.reject(new SeamError('ABORTED', 'Cannot finish: the test has ended it.'));
      }
      this.computed.push(prompt);
      this.kept.add(prompt);
    }
    for (const prompt of prompts) this.kept.delete(prompt);
    return new FakeExecutor(this.rule).answer(prompts);
  }
}

/** What an environment is tried with. */
interface EnvironmentScenery extends Pick<EnvironmentChoice, 'entrySchemas' | 'fewShot'> {
  /** Of prompt injection, whose identity is the executor's with its templates. */
  readonly isDefault?: boolean;
  /** A problem's prompt that asks a question. */
  readonly promptOf?: (question: string) => string;
  /** Whether an executor's prompt asks a problem's question. */
  readonly asks?: (prompt: string, question: string) => boolean;
  /** How an executor answers: everything that prompt and seed say decides. */
  readonly rule?: Rule;
  /** All different: none, an empty one, and two others. */
  readonly entries?: readonly (string | null)[];
}

/** The executor, whose training is to remember its documents: they stand before every prompt. */
function trainable(executor: ExecutorModel): ExecutorModel {
  const draws = executor.sample !== undefined;
  const after = (memory: string): Pick<ExecutorModel, 'answer' | 'sample'> => ({
    answer: (prompts, ...options) =>
      executor.answer(
        prompts.map((prompt) => memory + prompt),
        ...options,
      ),
    ...(!draws
      ? {}
      : {
          sample: (requests, ...options) =>
            executor.sample!(
              requests.map(({ prompt, seeds }) => ({ prompt: memory + prompt, seeds })),
              ...options,
            ),
        }),
  });
  return {
    identity: executor.identity,
    ...after(''),
    adapt: ({ documents, seed }) =>
      Promise.resolve(adaptedTo(after(`${[...documents.map(textOf), seed].join('\n')}\n`))),
    countTokens: (text) => text.length,
  };
}

const textOf = (document: TrainingText): string => (typeof document === 'string' ? document : document.text);

export function describeEnvironment(name: string, kind: EnvironmentKind, scenery: EnvironmentScenery = {}): void {
  const {
    isDefault = false,
    entrySchemas,
    fewShot,
    promptOf = String,
    entries = ENTRIES,
    rule = hashedAnswer,
  } = scenery;
  const { asks = (prompt: string, question: string) => prompt.includes(question) } = scenery;
  describe(`the environment ${name}`, () => {
    let prompts: Prompts;
    const open = (executor: ExecutorModel): Environment =>
      kind.open(trainable(executor), prompts, { innerUpdate: innerUpdateSchema.parse({}), fewShot, entrySchemas });
    const problemOf = (problemId: string, question: string): ProblemStatement => ({
      problemId,
      domain: 'sums',
      prompt: promptOf(question),
    });
    const drawnRequests = (random: Random): AttemptRequest[] =>
      Array.from({ length: 1 + random.int(6) }, () => {
        const problem = problemOf(`p${random.int(4)}`, `How many are ${random.int(4)}?`);
        const seeds = Array.from({ length: 1 + random.int(3) }, () => `s${random.int(5)}`);
        return { problem: { ...problem, reference: REFERENCE }, entry: random.pick(entries), seeds };
      });
    beforeAll(async () => {
      prompts = await loadPrompts();
    });

    it('makes an attempt per request with an answer per seed, regardless of the other requests', async () => {
      for (let seed = 0; seed < 40; seed++) {
        const requests = drawnRequests(Random.of(name, seed));
        const opened = () => open(new FakeExecutor(rule));
        for (const environment of [opened(), opened().drawn(DRAWING)!]) {
          const together = await environment.attempt(requests);
          expect(together.map(({ length }) => length)).toEqual(requests.map(({ seeds }) => seeds.length));
          for (const [at, request] of requests.entries())
            expect(await environment.attempt([request])).toEqual([together[at]]);
          expect(await environment.attempt(requests.toReversed())).toEqual(together.toReversed());
        }
      }
      expect(await open(new FakeExecutor(rule)).attempt([])).toEqual([]);
    });

    it('lets entries matter, draws by the seeds, and counts the tokens of each answer', async () => {
      const problem = problemOf('p', 'How many?');
      const environment = open(new FakeExecutor(rule));
      const told = await environment.attempt(entries.map((entry) => ({ problem, entry, seeds: ['1'] })));
      const texts = told.map(([answer]) => (answer!.status === 'answered' ? answer!.text : ''));
      expect(new Set(texts).size).toBe(entries.length);
      for (const [answer] of told)
        expect(answer).toMatchObject({ promptTokens: expect.any(Number), responseTokens: expect.any(Number) });
      const [drawn] = await environment
        .drawn(DRAWING)!
        .attempt([{ problem, entry: entries.at(-1)!, seeds: ['1', '2', '1'] }]);
      expect([drawn![0], drawn![1]]).not.toEqual([drawn![2], drawn![0]]);
      expect(drawn![0]).toEqual(drawn![2]);
      expect(drawn![0]).not.toEqual(drawn![1]);
    });

    it('shows no model a reference', async () => {
      const executor = new FakeExecutor(rule);
      const environment = open(executor);
      const requests = drawnRequests(Random.of('references'));
      await environment.attempt(requests);
      await environment.drawn(DRAWING)!.attempt(requests);
      const questions = [0, 1, 2, 3].map((n) => `How many are ${n}?`);
      expect(questions.some((question) => executor.prompts.some((prompt) => asks(prompt, question)))).toBe(true);
      expect(executor.prompts.join('\n')).not.toContain(REFERENCE);
    });

    it('says a failure of one request as a value, and leaves the others alone', async () => {
      const failing = new FakeExecutor((prompt, seed) =>
        asks(prompt, 'How many are 2?')
          ? { status: 'failed', code: 'PROMPT_TOO_LONG', reason: 'too long', retryable: false }
          : rule(prompt, seed),
      );
      const of = (n: number): AttemptRequest => ({
        problem: problemOf(`p${n}`, `How many are ${n}?`),
        entry: entries.at(-1)!,
        seeds: ['1'],
      });
      const [one, two, three] = await open(failing).attempt([1, 2, 3].map(of));
      expect(two).toMatchObject([{ status: 'failed', code: 'PROMPT_TOO_LONG' }]);
      const sound = await open(new FakeExecutor(rule)).attempt([of(1), of(3)]);
      expect([one, three]).toEqual(sound);
    });

    it('ends with ABORTED when its signal aborts, and passes on how far its executor is', async () => {
      const progress: AnsweringProgress[] = [];
      const hanging: ExecutorModel = {
        identity: { model: 'hangs', revision: '1', decoding: '{}' },
        answer: (asked, signal, onProgress) => {
          onProgress?.({ answered: 0, tokens: asked.length, tokensPerPrompt: 8 });
          return new Promise((_, reject) => {
            signal?.addEventListener('abort', () =>
              reject(new SeamError('ABORTED', 'Cannot finish: the test has ended it.')),
            );
          });
        },
      };
      const abort = new AbortController();
      const attempt = open(hanging).attempt(drawnRequests(Random.of('abort')), {
        signal: abort.signal,
        onProgress: (told) => progress.push(told),
      });
      const ended = attempt.catch((error: unknown) => isSeamError(error, 'ABORTED'));
      while (progress.length === 0) await new Promise(setImmediate);
      abort.abort();
      expect(await ended).toBe(true);
      expect(progress.length).toBeGreaterThan(0);
    });

    it('computes nothing again that an ended call had finished, wherever it was ended', async () => {
      const requests = entries.map((entry, at) => ({
        problem: problemOf(`p${at}`, `How many are ${at}?`),
        entry,
        seeds: ['1'],
      }));
      const whole = new EndedOnce(Number.POSITIVE_INFINITY, rule);
      const expected = await open(whole).attempt(requests);
      for (let stopAfter = 0; stopAfter < whole.computed.length; stopAfter++) {
        const executor = new EndedOnce(stopAfter, rule);
        const environment = open(executor);
        await expect(environment.attempt(requests)).rejects.toMatchObject({ code: 'ABORTED' });
        expect(await environment.attempt(requests)).toEqual(expected);
        expect(executor.computed.toSorted()).toEqual(whole.computed.toSorted());
      }
    });

    it('has an identity that differs from prompt injection over the same executor, and keeps the executor’s own', () => {
      const executor = new FakeExecutor(rule);
      const { identity } = open(executor);
      const injection = new PromptInjection(executor, prompts).identity;
      expect([identity.model, identity.revision]).toEqual(['fake', '1']);
      expect(JSON.stringify(identity) === JSON.stringify(injection)).toBe(isDefault);
    });

    it('says that an executor cannot draw, and names its shortest prompts for the start', () => {
      const greedy: ExecutorModel = {
        identity: { model: 'greedy', revision: '1', decoding: '{}' },
        answer: () => Promise.resolve([]),
      };
      expect(open(greedy).drawn(DRAWING)).toBeNull();
      expect(kind.shortestPrompts(prompts).length).toBeGreaterThan(0);
    });
  });
}
