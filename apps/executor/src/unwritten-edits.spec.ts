/** A client that may write experiences can say anything of an edit that was not written: only the failure of that edit follows. */
import { PromptInjection } from '@seamstream/environments';
import { FakeExecutor } from '@seamstream/environments/testing';
import { InMemoryEventLog } from '@seamstream/event-log';
import type { EventOf, SeamEvent } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { EDIT_SCHEMA, editEntry, loadPrompts, schemaDigest } from '@seamstream/experience';
import type { DeliveredBatch } from '@seamstream/service-kit';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { Verifiers } from '@seamstream/verifiers';
import { ExecuteExperiencesHandler } from './execute-experiences.handler.js';

const HOSTILE = [
  ...['ENDPOINT_UNAVAILABLE', 'BUDGET_SPENT', 'CHECKPOINT_INVALID', 'FENCED', 'ABORTED'],
  ...['', 'no code', 'toString', '__proto__', 'deadline_exceeded', 'DEADLINE_EXCEEDED '],
];

describe('an experience that names a failure of its writing', () => {
  it.each(HOSTILE)('fails alone and at once, also with the code "%s", which no generator writes', async (code) => {
    const honest = experience({ unaugmented: null, entry: editEntry('Mind the carry.') });
    for (const records of [
      [unwritten(code), honest],
      [honest, unwritten(code)],
    ]) {
      const events = await recorded(records);
      expect(events.map(({ type }) => type)).toEqual(
        records.map((each) => (each === honest ? 'OutcomeRecorded' : 'ExecutionFailed')),
      );
      expect(events.find(({ type }) => type === 'ExecutionFailed')).toMatchObject({
        ...{ code: 'INTERNAL', attempts: 1 },
        reason: 'No self-edit was written in 3 tries: it is away',
      });
    }
  });

  it.each(['DEADLINE_EXCEEDED', 'SESSION_FAILED', 'NON_FINITE'])(
    'fails by %s, which generators write',
    async (code) => {
      expect(await recorded([unwritten(code)])).toMatchObject([{ type: 'ExecutionFailed', code }]);
    },
  );

  it('is judged as any other where it has an entry or tokens: no check is left out', async () => {
    const entry = editEntry('Mind the carry.');
    const rewards = async (changes: Partial<Experience>) =>
      (await recorded([{ ...unwritten('NON_FINITE'), ...changes }])).map((event) =>
        event.type === 'OutcomeRecorded' ? event.reward : event.type,
      );
    for (const arm of ['explore', 'deploy'] as const) {
      expect(await rewards({ arm, entry })).toEqual([1]);
      expect(await rewards({ arm, entry: `${entry.slice(0, -1)},"more":1}` })).toEqual([0]);
      expect(await rewards({ arm, entry: '', tokenIds: [7] })).toEqual([0]);
    }
    expect(await rewards({ arm: 'deploy' })).toEqual([1]);
  });
});

type Experience = EventOf<'ExperienceGenerated'>;

function experience(changes: Partial<Experience>): Experience {
  const { problem, ...rest } = EXAMPLE_EVENTS.ExperienceGenerated;
  const verifier = { kind: 'exact', version: '1', options: {} };
  const asked = { ...problem, prompt: 'What is 2 + 2?', reference: '4', verifier };
  const written = { ...rest, problem: asked, attemptId: null, arm: 'explore', entrySchema: schemaDigest(EDIT_SCHEMA) };
  return { ...(written as Experience), ...changes };
}

const unwritten = (code: string): Experience =>
  experience({ entry: '', tokenIds: [], unaugmented: { code, reason: 'it is away', tries: 3 } });

/** What the executor, which knows every answer, records of a batch in its first attempt. */
async function recorded(events: readonly Experience[]): Promise<readonly SeamEvent[]> {
  const verifiers = new Verifiers();
  const handler = new ExecuteExperiencesHandler({
    environment: new PromptInjection(new FakeExecutor(() => 'Answer: 4'), await loadPrompts()),
    schemaFor: () => EDIT_SCHEMA,
    clock: { now: () => 7 },
    verifiers,
    contents: new ProblemContents(new InMemoryEventLog()),
    feedbackWithinMs: 1,
  });
  const records = events.map((event) => ({ event, attempt: 1, isLastAttempt: false }));
  const batch = { records, signal: new AbortController().signal, report: () => undefined };
  const results = await handler.handle(batch as unknown as DeliveredBatch);
  await verifiers.close();
  return results.flatMap((each) => (each.kind === 'done' ? each.events : []));
}
