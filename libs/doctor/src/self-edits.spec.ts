import type { EventOf } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import { examineSelfEdits, type FinishedGroup, remedyOf } from './index.js';

/** Groups of two self-edits, of which so many gain over a control arm of one half. */
const groupsWith = (gaining: number, attempts: number): readonly FinishedGroup[] =>
  Array.from({ length: attempts / 2 }, (_, at) =>
    group(at, [at < gaining ? 1 : 0.5, at + attempts / 2 < gaining ? 1 : 0.5]),
  );

describe('the share of self-edits that help', () => {
  it.each([
    [3, 'self-edits-too-hard', 'warning'],
    [0, 'self-edits-too-hard', 'error'],
    [13, 'self-edits-too-easy', 'warning'],
    [40, 'self-edits-too-easy', 'warning'],
  ] as const)('is a finding where %i of 40 do: %s, a %s', (gaining, code, severity) => {
    const [found, ...others] = examineSelfEdits(groupsWith(gaining, 40), controls);
    expect(found).toMatchObject({ code, severity, remedy: remedyOf(code) });
    expect(found!.evidence).toMatch(
      new RegExp(`^${gaining} of 40 self-edits .*did better than passages without an edit`),
    );
    expect(others).toEqual([]);
  });

  it.each([4, 8, 12])('is right from 10 to 30 %%: %i of 40', (gaining) => {
    expect(examineSelfEdits(groupsWith(gaining, 40), controls)).toEqual([]);
  });

  it.each([0, 38])('says nothing of fewer than 40 attempts: %i of 38', (gaining) => {
    expect(examineSelfEdits(groupsWith(gaining, 38), controls)).toEqual([]);
  });

  it('is over the mean of the group where no passage was tried without an edit: then only too few is a finding', () => {
    const alike = Array.from({ length: 20 }, (_, at) => group(at, [0.5, 0.5]));
    expect(examineSelfEdits(alike, [])).toMatchObject([{ code: 'self-edits-too-hard', severity: 'error' }]);
    const differing = Array.from({ length: 20 }, (_, at) => group(at, [1, 0]));
    expect(examineSelfEdits(differing, [])).toEqual([]);
  });

  it('counts tool configurations of tasks on grids as well', () => {
    const template = 'few-shot-lora-update@0';
    const configured = Array.from({ length: 20 }, (_, at) => group(at, [0.5, 0.5], { template }));
    expect(examineSelfEdits(configured, controls)).toMatchObject([{ code: 'self-edits-too-hard', severity: 'error' }]);
  });

  it('passes over entries that act through the prompt, and domains without a control arm', () => {
    const prompted = Array.from({ length: 20 }, (_, at) => group(at, [0, 0], { template: 'direct' }));
    const foreign = Array.from({ length: 20 }, (_, at) => group(at, [0, 0], { domain: 'another' }));
    expect(examineSelfEdits([...prompted, ...foreign], controls)).toEqual([]);
  });
});

const { OutcomeRecorded, ExperienceGenerated } = EXAMPLE_EVENTS;

function outcome(
  id: string,
  reward: number,
  { template = 'inner-lora-update@0/direct', domain = 'history' } = {},
): EventOf<'OutcomeRecorded'> {
  const executor = { ...OutcomeRecorded.executor, template };
  return { ...OutcomeRecorded, experienceId: id, problem: { ...OutcomeRecorded.problem, domain }, executor, reward };
}

function group(
  at: number,
  rewards: readonly number[],
  about: { readonly template?: string; readonly domain?: string } = {},
): FinishedGroup {
  const members = rewards.map((reward, index) => ({
    experience: { ...ExperienceGenerated, experienceId: `${at}-${index}` },
    result: outcome(`${at}-${index}`, reward, about),
  }));
  return { groupId: String(at), size: rewards.length, members };
}

const controls = [{ ...outcome('control', 0.5), arm: 'control' as const }];
