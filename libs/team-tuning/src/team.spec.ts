import type { GradedProblem } from '@seamstream/events';
import fc from 'fast-check';
import { askedOf, parseTeam, teamOf } from './team.js';
import { majorityOf, outcomeOf } from './team-rollout.js';

const SEED = 'agents:\n  - {name: agent_1, path: path/to/model_1}\n  - {name: agent_2, path: path/to/model_2}\n';

interface TeamNames {
  readonly slot?: string;
  /** Of the agents, in their order. */
  readonly slots?: readonly string[];
  readonly names?: readonly string[];
}

const turns = (...texts: string[]) => texts.map((text) => ({ text }));

describe('a team file', () => {
  it('names agents with their models; slots and roles follow where nothing is said', () => {
    const team = parseTeam(SEED, 'team.yaml');
    expect(team).toMatchObject({ topology: 'vote', slot: 'team' });
    expect(team.agents[1]).toEqual({
      ...{
        name: 'agent_2',
        path: 'path/to/model_2',
        replaces: null,
        slot: 'team/agent_2',
        role: '{problem}',
        field: null,
      },
    });
    expect(
      parseTeam(JSON.stringify({ topology: 'chain', agents: [{ name: 'a', path: 'm' }] }), 't').agents[0]!.role,
    ).toBe('{problem}\n{before}');
  });

  it('is refused with all of its faults', () => {
    const refused = (given: object) => () => teamOf(given, 'team.yaml');
    const agent = { name: 'a', path: 'm' };
    expect(refused({ agents: [] })).toThrow(/Cannot read team team.yaml: expected topology and agents/);
    expect(refused({ agents: [agent, agent], extra: 1 })).toThrow(/extra/);
    expect(refused({ agents: [agent, agent] })).toThrow(/a is there twice/);
    expect(refused({ agents: [{ ...agent, role: 'solve it' }] })).toThrow(/expected \{problem\} exactly once/);
    expect(refused({ agents: [{ ...agent, role: '{problem} {before}' }] })).toThrow(/no agent comes before in a vote/);
    const chain = {
      topology: 'chain',
      agents: [
        { ...agent, field: 'concepts' },
        { name: 'b', path: 'm' },
      ],
    };
    expect(refused(chain)).toThrow(/a field of the entry for every agent of a chain, or for none/);
    expect(() => parseTeam('agents: [', 'team.yaml')).toThrow(/Cannot read team team.yaml/);
  });

  it.each<[string, object, RegExp]>([
    ['the slot of the generators for the team', { slot: 'generator' }, /slot of the generators/],
    ['the slot of the generators in capitals', { slot: 'Generator' }, /slot of the generators/],
    ['the slot of the generators for an agent', { slots: ['generator'] }, /slot of the generators[\s\S]*agents\[0\]/],
    ['a slot that leaves its folder', { slot: '../other' }, /expected letters, digits/],
    ['a slot with a line break', { slot: 'team\n' }, /expected letters, digits/],
    ['a slot without end', { slot: 'a'.repeat(101) }, /<=100/],
    ['one slot for two agents', { slots: ['both', 'both'] }, /both is the slot of a already/],
    ['two slots that differ by case', { slots: ['both', 'Both'] }, /Both is the slot of a already/],
    ['a slot that is the default of another agent', { slots: ['team/b'] }, /team\/b is the slot of a already/],
    ['two names that differ by case', { names: ['a', 'A'] }, /A differs from a by case only/],
  ])('is refused with %s', (_, { slots = [], names = ['a', 'b'], ...team }: TeamNames, message) => {
    const agents = names.map((name, at) => ({ name, path: 'm', ...(slots[at] && { slot: slots[at] }) }));
    expect(() => teamOf({ agents, ...team }, 'team.yaml')).toThrow(message);
  });

  it('takes slots of several parts', () => {
    const agents = [{ name: 'a', path: 'm', slot: 'teams/of-Mine.2/a_1' }];
    expect(teamOf({ slot: 'teams/of-Mine.2', agents }, 't').agents[0]!.slot).toBe('teams/of-Mine.2/a_1');
  });

  it('takes braces of a problem, or of what came before, for text', () => {
    const role = 'P {problem} B {before}';
    expect(askedOf({ role }, { problem: '{before} $&', before: '{problem}' })).toBe('P {before} $& B {problem}');
  });
});

describe('what a team comes to', () => {
  const agent = (name: string, field?: string) => ({ name, path: 'm', ...(field === undefined ? {} : { field }) });

  const problem = { verifier: { kind: 'math', version: '1', options: {} } } as unknown as GradedProblem;
  const cameTo = (team: ReturnType<typeof teamOf>, ...texts: string[]) =>
    outcomeOf(team, { problem, turns: turns(...texts) });

  it('is in a chain the entry of all fields, or none where one is missing', async () => {
    const team = teamOf({ topology: 'chain', agents: [agent('a', 'concepts'), agent('b', 'strategy')] }, 't');
    expect(await cameTo(team, '{"concepts":["x"]}', '{"strategy":["y"]}')).toBe('{"concepts":["x"],"strategy":["y"]}');
    expect(await cameTo(team, '{"concepts":["x"]}', '{"strat')).toBeNull();
    expect(await cameTo(team, '[1,2]', '"strategy"')).toBeNull();
  });

  it('is in a chain of texts what the last one wrote', async () => {
    const team = teamOf({ topology: 'chain', agents: [agent('planner'), agent('critic')] }, 't');
    expect(await cameTo(team, 'think', 'Answer: 7')).toBe('Answer: 7');
  });

  it('is in a vote the answer of most, of equally many the first, and null where no agent answers', async () => {
    const team = teamOf({ topology: 'vote', agents: [agent('a'), agent('b'), agent('c')] }, 't');
    expect(await cameTo(team, 'Answer: 27', 'Answer: 28', 'Answer: 28')).toBe('28');
    expect(await majorityOf(['1', '2', null], problem)).toBe('1');
    expect(await majorityOf([null, null], problem)).toBeNull();
  });

  it('counts answers that the verifier takes for one another as one, as an evaluation does', async () => {
    expect(await majorityOf(['3', '1/2', '3', '0.5', '\\frac{1}{2}'], problem)).toBe('1/2');
  });

  it('is what counting equal texts gives where no two unequal ones mean the same', async () => {
    const answers = fc.array(fc.constantFrom('27', '28', '29', null), { maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(answers, async (given) => {
        const texts = given.filter((each) => each !== null);
        const counts = [...Map.groupBy(texts, (each) => each)].sort(([, a], [, b]) => b.length - a.length);
        expect(await majorityOf(given, problem)).toBe(counts[0]?.[0] ?? null);
      }),
    );
  });
});
