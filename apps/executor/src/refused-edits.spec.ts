/** Self-edits that filters refuse: from the setting of the service to what the log says of them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdaptationRequest } from '@seamstream/environments';
import { adaptedTo, FakeExecutor } from '@seamstream/environments/testing';
import { type EventOf, encodeEvent } from '@seamstream/events';
import { EDIT_SCHEMA, editEntry, schemaDigest } from '@seamstream/experience';
import { passagePrompt, passageReference } from '@seamstream/tasks';
import { EXAMPLE_EVENTS, eventsOf, openLog, until } from '@seamstream/testing';
import { startForTest } from '@seamstream/testing/services';
import { executorConfigSchema, executorService } from './app.module.js';

const FIT = 'Ada wrote the first program for a machine. She was born in 1815 in London, lived there, and died in 1852.';
const PASSAGE = `${FIT} Charles built the machine.`;
const TASK = { kind: 'passage', title: 'Ada', passage: PASSAGE } as const;
const QUESTION = { question: 'Who wrote?', reference: null, alternatives: [] };
const prompt = passagePrompt({ ...TASK, questions: [QUESTION] });

describe('self-edits with filters', () => {
  it('are recorded with the reason of their refusal, earn nothing under any verifier, and train nothing', async () => {
    // A verifier for which no answer is wrong.
    const lenient = createServer((_, response) =>
      response.end('{"success":true,"extractedAnswer":null,"detail":"fine"}'),
    );
    await once(lenient.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(lenient.address() as AddressInfo).port}/`;
    try {
      const [executor, log] = [new Trainable(), await openLog()];
      const config = executorConfigSchema.parse({
        ...{ logging: { level: 'silent' }, entrySchemas: 'self-edit/implications' },
        executor: { environment: 'inner-lora-update', editFilters: 'on', verifierEndpoints: { lenient: { url } } },
      });
      await startForTest(executorService({ executor }), { config, log });
      await log.append([written('fit', FIT), written('short', 'Ada wrote.')].map(encodeEvent));
      await until(async () => (await eventsOf(log, 'OutcomeRecorded')).length === 2, 'both outcomes');
      const outcomes = await eventsOf(log, 'OutcomeRecorded');
      const byId = Object.fromEntries(outcomes.map((each) => [each.experienceId, each]));
      expect(byId.fit).toMatchObject({ reward: 1, editRefusal: null });
      expect(byId.short).toMatchObject({ reward: 0, editRefusal: { reason: 'too_short', detail: 'tokens 2' } });
      expect(executor.trainings).toBe(1);
    } finally {
      lenient.close();
    }
  });
});

describe('self-edits that were not written', () => {
  it('are failures of the writing while the writer explores; where an answer is wanted, the passage is trained on alone', async () => {
    const [executor, log] = [new Trainable(), await openLog()];
    const config = executorConfigSchema.parse({
      ...{ logging: { level: 'silent' }, entrySchemas: 'self-edit/implications' },
      executor: { environment: 'inner-lora-update' },
    });
    await startForTest(executorService({ executor }), { config, log });
    await log.append([unwritten('explored', 'explore'), unwritten('served', 'deploy')].map(encodeEvent));
    await until(async () => (await eventsOf(log, 'OutcomeRecorded')).length === 1, 'the outcome');
    await until(async () => (await eventsOf(log, 'ExecutionFailed')).length === 1, 'the failure');
    expect(await eventsOf(log, 'ExecutionFailed')).toMatchObject([
      {
        ...{ experienceId: 'explored', code: 'DEADLINE_EXCEEDED' },
        reason: 'No self-edit was written in 3 tries: it was late',
      },
    ]);
    expect(await eventsOf(log, 'OutcomeRecorded')).toMatchObject([
      { experienceId: 'served', entry: '', reward: 1, editRefusal: null },
    ]);
    expect(executor.documents).toEqual([['Ada\n' + PASSAGE]]);
  });
});

/** Answers all questions alike; a token is a word. */
class Trainable extends FakeExecutor {
  trainings = 0;

  constructor() {
    super(() => 'Answer: nothing');
  }

  countTokens(text: string): number {
    return text.split(/\s+/).length;
  }

  readonly documents: string[][] = [];

  adapt({ documents }: AdaptationRequest) {
    this.trainings++;
    this.documents.push(documents.map((each) => (typeof each === 'string' ? each : JSON.stringify(each))));
    return Promise.resolve(adaptedTo(this));
  }
}

function written(id: string, edit: string): EventOf<'ExperienceGenerated'> {
  const { meta, problem, ...rest } = EXAMPLE_EVENTS.ExperienceGenerated;
  const verifier = { kind: 'http', version: '1', options: { endpoint: 'lenient' } };
  return {
    ...rest,
    ...{ meta: { ...meta, messageId: `event-${id}` }, attemptId: null, experienceId: id, entry: editEntry(edit) },
    problem: { ...problem, problemId: id, prompt, reference: 'Ada', verifier },
  };
}

/** Who answers "nothing" is right. */
function unwritten(id: string, arm: 'explore' | 'deploy'): EventOf<'ExperienceGenerated'> {
  const { problem, ...rest } = written(id, 'Ada');
  const verifier = { kind: 'passage', version: '1', options: { answers: 'exact' } };
  const reference = passageReference({ ...TASK, questions: [{ ...QUESTION, reference: 'nothing' }] });
  return {
    ...rest,
    ...{
      arm,
      entry: '',
      entrySchema: schemaDigest(EDIT_SCHEMA),
      promptTokenIds: [],
      tokenIds: [],
      forced: [],
      logProbs: [],
      legalMass: [],
    },
    problem: { ...problem, reference, verifier },
    unaugmented: { code: 'DEADLINE_EXCEEDED', reason: 'it was late', tries: 3 },
  };
}
