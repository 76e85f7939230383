import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { outcomeOf, trainerDoor } from './train-on-demand.js';

const { signal } = new AbortController();
const VERIFIED = { comparison: { by: 'digest' }, engines: { recorded: null, here: null } } as const;

describe('the result of a run', () => {
  it.each([
    [EXAMPLE_EVENTS.AdapterPromoted, 'promoted', EXAMPLE_EVENTS.AdapterPromoted.adapterDigest],
    [EXAMPLE_EVENTS.TrainingRunRejected, 'refused', EXAMPLE_EVENTS.TrainingRunRejected.adapterDigest],
    [EXAMPLE_EVENTS.TrainingRunFailed, 'failed', null],
  ] as const)('follows from the event that ended it: $0.type', (event, status, adapterDigest) => {
    expect(outcomeOf('r', [event], null)).toMatchObject({ runId: 'r', status, adapterDigest });
  });

  it('is a refusal where another promotion was ahead', () => {
    expect(outcomeOf('r', [EXAMPLE_EVENTS.AdapterPromoted], 'overtaken: …')).toMatchObject({
      status: 'refused',
      adapterDigest: EXAMPLE_EVENTS.AdapterPromoted.adapterDigest,
      reason: 'overtaken: …',
    });
  });

  it('is nothing new when the run had ended before', () => {
    expect(outcomeOf('r', [], null)).toMatchObject({ status: 'unchanged' });
  });

  it('is never guessed from an event that ends no run', () => {
    expect(() => outcomeOf('r', [EXAMPLE_EVENTS.ProblemPublished], null)).toThrow(
      'expected an end, got ProblemPublished',
    );
  });
});

describe("the trainer's door", () => {
  it('passes request and signal on, and reports steps and digests', async () => {
    const asked: unknown[] = [];
    const steps: unknown[] = [];
    const door = trainerDoor(async ({ onProgress, validation, evaluates }) => ({
      onDemand: {
        handle: async (request, given) => {
          asked.push(request, given === signal, validation);
          onProgress({ runId: 'r', algorithm: 'sft', phase: 'training', done: 3, total: 10, metrics: { loss: 1 } });
          return { runId: 'r', ending: [EXAMPLE_EVENTS.AdapterPromoted], overtaken: null };
        },
        trials: async (algorithm) => {
          asked.push(algorithm, validation);
          return {
            basis: 'b',
            before: async () => [],
            measure: async () => ({ status: 'refused', reason: '', metrics: {} }),
          };
        },
        verify: async (expected) => {
          asked.push(validation, evaluates);
          return { runId: 'r', expected, actual: null, matches: false, ...VERIFIED };
        },
      },
    }));
    const onStep = (report: unknown) => void steps.push(report);
    const outcome = await door.train(
      { algorithm: 'sft', configuration: { batchSize: 2 }, by: 'ada' },
      { signal, onStep },
    );
    expect(outcome.status).toBe('promoted');
    expect(asked).toEqual([{ algorithm: 'sft', settings: { batchSize: 2 }, by: 'ada' }, true, undefined]);
    expect(steps).toEqual([{ phase: 'training', step: 3, steps: 10, metrics: { loss: 1 } }]);
    expect(await door.verify('d', { signal, onStep })).toEqual({
      runId: 'r',
      recordedDigest: 'd',
      replayedDigest: null,
      equal: false,
      ...VERIFIED,
    });
    const development = { name: 'development', problems: [] };
    expect(
      await door.trials({ algorithm: 'rest-em', configuration: {} }, development, { signal, onStep }),
    ).toMatchObject({ basis: 'b' });
    expect(asked.splice(-2)).toEqual([{ algorithm: 'rest-em', settings: {} }, development]);
    // Nothing is evaluated.
    expect(asked.slice(-2)).toEqual([{ name: 'none', problems: [] }, false]);
  });
});
