/** Self-edits that a service writes while it explores: each within a time and in a few tries. */
import type { InMemoryEventLog } from '@seamstream/event-log';
import { type EventOf, encodeEvent, TOPIC } from '@seamstream/events';
import { editText } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import type { GenerationRequest, GenerationResult } from '@seamstream/language-model';
import { type GeneratorModel } from '@seamstream/rollout';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { passagePrompt } from '@seamstream/tasks';
import { EXAMPLE_EVENTS, eventsOf, openLog, untilConsumed } from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { generatorConfigSchema, generatorService } from './app.module.js';

let log: InMemoryEventLog;
beforeEach(async () => {
  log = await openLog();
});

describe('self-edits of the service', () => {
  it('have 30 seconds and three tries each; what is not written is in the log with its reason, next to what is', async () => {
    const model = new SlowAtFirst(({ number }) => number > 0);
    const service = await serve(model);
    await log.append([encodeEvent(passage('explore'))]);
    await untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });
    const group = (await eventsOf(log, 'ExperienceGenerated')).toSorted((a, b) => a.candidateIndex - b.candidateIndex);
    expect(group.map(({ groupSize, arm }) => `${groupSize} ${arm}`)).toEqual(['3 explore', '3 explore', '3 explore']);
    expect(editText(group[0]!.entry).length).toBeGreaterThan(0);
    expect(group[0]!.unaugmented).toBeNull();
    for (const unwritten of group.slice(1)) {
      expect(unwritten).toMatchObject({ entry: '', tokenIds: [], adapterDigest: null });
      expect(unwritten.unaugmented).toEqual({
        ...{ code: 'DEADLINE_EXCEEDED', tries: 3 },
        reason: 'it was not written within 30000 ms',
      });
    }
    expect(new Set(model.asked.map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([30_000]));
    expect(await eventsOf(log, 'DeadLettered')).toEqual([]);
    expect(await service.metrics.registry.getSingleMetricAsString('seam_edits_unaugmented_total')).toContain(
      'seam_edits_unaugmented_total{code="DEADLINE_EXCEEDED"} 2',
    );
  });

  it('leave a passage without an edit where an answer is wanted, rather than without an experience', async () => {
    await serve(new SlowAtFirst(() => true), { timeoutMs: 50, tries: 2 });
    await log.append([encodeEvent(passage('deploy'))]);
    await untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });
    expect(await eventsOf(log, 'ExperienceGenerated')).toMatchObject([
      { arm: 'deploy', groupSize: 1, entry: '', unaugmented: { tries: 2 } },
    ]);
  });

  it('that are written when an outage ends their batch are not written again with the others of their group', async () => {
    const model: SlowAtFirst = new SlowAtFirst(({ number }) => number === 2 && model.outages > 0, 1);
    await serve(model);
    await log.append([encodeEvent(passage('explore'))]);
    await untilConsumed(log, { group: 'seam.generator', topic: TOPIC.problems });
    const [first, , again] = model.asked.map(({ seeds }) => seeds);
    expect([first, again].map((seeds) => seeds!.length)).toEqual([3, 1]);
    expect(again).toEqual(first!.slice(2));
    const group = await eventsOf(log, 'ExperienceGenerated');
    expect(group.map(({ unaugmented }) => unaugmented)).toEqual([null, null, null]);
    expect(new Set(group.map(({ sampling }) => sampling.seed))).toEqual(new Set(first));
  });

  it('need a deadline in which all tries of a passage fit', async () => {
    const tooShort = serve(new SlowAtFirst(() => false), { timeoutMs: 100_000, tries: 3 });
    await expect(tooShort).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining(
        'above 600000 ms, for 3 tries of an edit with 100000 ms each, in 2 turns',
      ) as string,
    });
  });
});

/** Takes too long for some candidates of a group, in every try. */
class SlowAtFirst extends FakeGenerator {
  readonly asked: GenerationRequest[] = [];
  /** Number of a candidate, by what its seeds begin with. */
  private readonly numbers = new Map<string, number>();

  /** @param outages calls after the first that fail, for lack of a server */
  constructor(
    private readonly isLate: (candidate: { readonly number: number }) => boolean,
    public outages = 0,
  ) {
    super(fakeTokenizer(['Write implications of a passage.']));
  }

  override async generate(
    requests: readonly GenerationRequest[],
    options?: Parameters<GeneratorModel['generate']>[1],
  ): Promise<readonly GenerationResult[]> {
    this.asked.push(...requests);
    if (this.asked.length > requests.length && this.outages-- > 0) throw new SeamError('ENDPOINT_UNAVAILABLE', 'away');
    const results = await super.generate(requests, options);
    const ended = results.map((candidates, request) =>
      candidates.map((candidate, at) => {
        const [first] = requests[request]!.seeds[at]!.split('/');
        const number = this.numbers.get(first!) ?? at;
        this.numbers.set(first!, number);
        return this.isLate({ number }) ? { ...candidate, finishReason: 'late' as const } : candidate;
      }),
    );
    options?.onProgress?.({ tokens: 7, finished: ended.map((candidates, request) => ({ request, candidates })) });
    return ended;
  }

  async fingerprint(): Promise<string> {
    return this.digest;
  }
}

function serve(model: SlowAtFirst, edits: { readonly timeoutMs?: number; readonly tries?: number } = {}) {
  const config = generatorConfigSchema.parse({
    ...{ logging: { level: 'silent' }, entrySchemas: 'self-edit/implications' },
    generator: { groupSize: 3, controlShare: 0, edits },
  });
  return startForTest(generatorService({ model }), { config, log });
}

function passage(mode: 'explore' | 'deploy'): EventOf<'ProblemPublished'> {
  const { problem, ...rest } = EXAMPLE_EVENTS.ProblemPublished;
  const questions = [{ question: 'Who wrote?', reference: null, alternatives: [] }];
  const prompt = passagePrompt({ kind: 'passage', title: null, passage: 'Ada wrote.', questions });
  return { ...rest, mode, expiresAt: null, assignment: null, problem: { ...problem, prompt } };
}
