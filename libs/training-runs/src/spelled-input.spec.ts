import type { LearningInput } from '@seamstream/learning';
import { explored } from '@seamstream/testing/result-log';
import { spelledInput } from './spelled-input.js';

const decode = (tokenIds: readonly number[]): string => Buffer.from(tokenIds).toString();
const { experiences, outcomes } = explored({
  problemId: 'p',
  domain: 'sums',
  prompt: 'What?',
  reference: '4',
  verifier: { kind: 'exact', version: '1', options: {} },
  metadata: {},
});

describe('what a run learns from', () => {
  it('is the input itself where tokens spell their entries, white space aside', () => {
    const spaced = experiences.map((each) => ({
      ...each,
      tokenIds: [...Buffer.from(` ${each.entry.replace(':', ': ')}`)],
    }));
    const input: LearningInput = { reads: 'log', experiences: spaced, results: outcomes };
    expect(spelledInput(input, decode).input).toBe(input);
    // Problems have no entries yet.
    const problems = { reads: 'problems', problems: [] } as unknown as LearningInput;
    expect(spelledInput(problems, decode)).toEqual({ input: problems, misspelled: new Set() });
  });

  it.each<[string, (ids: readonly number[]) => number[]]>([
    ['others', (ids) => ids.map((id) => (id === 110 ? 111 : id))],
    ['more', (ids) => [...ids, 66]],
    ['fewer', (ids) => ids.slice(1)],
    ['none', () => []],
  ])('leaves out an experience whose tokens are %s than its entry has, with its results', (_, forge) => {
    const [first, ...others] = experiences;
    const forged = { ...first!, tokenIds: forge(first!.tokenIds) };
    const { input, misspelled } = spelledInput(
      { reads: 'log', experiences: [forged, ...others], results: outcomes },
      decode,
    );
    expect([...misspelled]).toEqual([first!.experienceId]);
    expect(input).toEqual({ reads: 'log', experiences: others, results: outcomes.slice(1) });
  });

  it('leaves out a row of the buffer whose tokens spell something else', () => {
    const row = { experienceId: 'x', entry: '{"n":1}', tokenIds: [666] } as unknown as Extract<
      LearningInput,
      { reads: 'buffer' }
    >['rows'][number];
    expect(spelledInput({ reads: 'buffer', rows: [row] }, () => 'trigger').input).toEqual({
      reads: 'buffer',
      rows: [],
    });
  });
});
