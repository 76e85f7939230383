/** Teams of the shipped models, which answer for themselves. */
import { fileURLToPath } from 'node:url';
import { worldProblems } from '@seamstream/embedded-world';
import { encodeEvent, TOPIC } from '@seamstream/events';
import { canonicalJson, sha256 } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';
import { readTopics } from '@seamstream/log-reader';
import { encodePrompt } from '@seamstream/rollout';
import { type JudgeServer, judgeServer, partsOf } from '@seamstream/testing/judge-server';
import { chatCompletion } from '@seamstream/testing/model-server';
import { promotedByRun } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const models = new Map<string, LanguageModel>();
beforeAll(async () => {
  for (const name of ['executor', 'generator-base'])
    models.set(
      name,
      await LanguageModel.load(fileURLToPath(new URL(`../../../../models/${name}`, import.meta.url)), { threads: 1 }),
    );
});
afterAll(async () => {
  for (const model of models.values()) await model.close();
});

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
  for (const [name, model] of models) world.checkpoints.set(name, model);
  world.files.set('team.json', Buffer.from(JSON.stringify(VOTE)));
  world.files.set('chain.json', Buffer.from(JSON.stringify(CHAIN)));
  // As AIME's: answers are whole numbers up to 999.
  world.files.set('aime.jsonl', linesOf(whole));
});

describe('seam eval --team --vote', () => {
  it('asks every agent about every problem and writes what the authors’ readers read', async () => {
    const result = await evaluated<{ problems: number; answers: number; agents: { name: string }[] }>(
      ...['aime.jsonl', '--team', 'team.json', '--vote', '--temperature', '0.8', '--predictions', 'predictions.jsonl'],
    );
    expect(result).toMatchObject({ problems: whole.length, answers: 3, samples: 1, topology: 'vote' });
    expect(result.agents.map(({ name }) => name)).toEqual(['agent_1', 'agent_2', 'agent_3']);
    const lines = predictions();
    expect(lines.map((line) => line.problem_id)).toEqual([...whole.keys()]);
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(['problem_id', 'predicted_answer', 'individual_answers']);
      expect(line.individual_answers).toHaveLength(3);
    }
  });

  it('predicts what most answers agree on, and its figures are those of the answers in the file', async () => {
    const result = await evaluated<{
      meanAt: { value: number };
      passAt: Record<number, { value: number }>;
      majorityAt: { value: number };
    }>('aime.jsonl', '--team', 'team.json', '--vote', '--samples', '4', '--predictions', 'predictions.jsonl');
    const lines = predictions();
    const rights = lines.map(({ individual_answers: all, problem_id: at }) =>
      all.map((answer) => answer !== null && Number(answer) === Number(whole[at]!.answer)),
    );
    const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
    const shares = rights.map((right) => right.filter(Boolean).length / 12);
    expect(result.meanAt.value).toBeCloseTo(mean(shares), 12);
    expect(result.passAt[12]!.value).toBeCloseTo(mean(shares.map((share) => (share > 0 ? 1 : 0))), 12);
    // 1 − C(12 − c, 2) / C(12, 2)
    const passAt2 = shares.map((share) => 1 - ((12 - 12 * share) * (11 - 12 * share)) / (12 * 11));
    expect(result.passAt[2]!.value).toBeCloseTo(mean(passAt2), 12);
    for (const { predicted_answer: predicted, individual_answers: all } of lines) {
      const votes = Map.groupBy(
        all.filter((answer) => answer !== null),
        (answer) => answer,
      );
      const most = Math.max(0, ...[...votes.values()].map((own) => own.length));
      expect(predicted === null ? 0 : votes.get(predicted)!.length).toBe(most);
    }
    expect(new Set(lines.flatMap((line) => line.individual_answers)).size).toBeGreaterThan(3);
  });

  it('says the same again with the same seed, and other things with another', async () => {
    const asked = ['aime.jsonl', '--team', 'team.json', '--temperature', '1', '--limit', '6'];
    await evaluated(...asked, '--predictions', 'a.jsonl');
    await evaluated(...asked, '--predictions', 'b.jsonl');
    await evaluated(...asked, '--predictions', 'c.jsonl', '--seed', 'other');
    expect(predictions('b.jsonl')).toEqual(predictions('a.jsonl'));
    expect(predictions('c.jsonl')).not.toEqual(predictions('a.jsonl'));
  });

  it('judges problems of MATH’s form by the mathematics of their answers', async () => {
    world.files.set('math.jsonl', linesOf(own.slice(0, 8)));
    const result = await evaluated<{ problems: number }>('math.jsonl', '--dataset', 'math', '--team', 'team.json');
    expect(result.problems).toBe(8);
  });

  it('takes no answer from a text that its most tokens cut off', async () => {
    const model = models.get('executor')!;
    const promptTokenIds = encodePrompt(model, `${whole[0]!.problem}\nSolution:`);
    const asked = ['aime.jsonl', '--team', 'team.json', '--limit', '1', '--json'];
    const reasons = new Set<string>();
    for (let maxTokens = 4; maxTokens <= 40; maxTokens++) {
      const sampling = { temperature: 0, topK: 0, topP: 1, maxTokens };
      const [written] = await model.generate([{ promptTokenIds, seeds: ['any'], sampling }]);
      const { finishReason } = written![0]!;
      reasons.add(finishReason);
      const file = `${maxTokens}.jsonl`;
      await world.seam('eval', ...asked, '--max-tokens', String(maxTokens), '--predictions', file);
      const [answer] = predictions(file)[0]!.individual_answers;
      expect([maxTokens, answer !== null]).toEqual([maxTokens, finishReason === 'completed']);
    }
    expect(reasons.size).toBe(2);
  });

  it('asks the others where one problem is too long for the models, and says so', async () => {
    world.files.set('long.jsonl', linesOf([whole[0], { problem: 'gold '.repeat(600), answer: '1' }, whole[1]]));
    const result = await evaluated<{ problems: number; failed: number; unjudged: { code: string }[] }>(
      ...['long.jsonl', '--team', 'team.json', '--predictions', 'predictions.jsonl'],
    );
    expect(result).toMatchObject({ problems: 2, failed: 1, unjudged: [{ code: 'PROMPT_TOO_LONG', problems: 1 }] });
    expect(predictions()[1]).toEqual({ problem_id: 1, predicted_answer: null, individual_answers: [] });
  });

  it('shows a table of avg, pass and majority', async () => {
    await world.seam('eval', 'aime.jsonl', '--team', 'team.json', '--limit', '3', '--max-tokens', '16');
    expect(world.takeOutput()).toMatch(
      /avg@1 of agent_1[\s\S]*avg@3 [\s\S]*pass@2 [\s\S]*pass@3 [\s\S]*majority@3 [\s\S]*3 problems .*3 agents \(agent_1, agent_2, agent_3; each answers/,
    );
  });
});

describe('seam eval --team --record', () => {
  it('puts the figures of the team on record, and the same evaluation again has the same ones', async () => {
    const asked = ['aime.jsonl', '--team', 'team.json', '--samples', '2', '--limit', '6', '--record', '--by', 'ada'];
    const result = await evaluated<{ meanAt: { value: number }; passAt: Record<number, { value: number }> }>(...asked);
    const first = await recorded();
    expect(first).toMatchObject({
      ...{ slot: 'team', teamDigest: null, topology: 'vote', problemSet: 'aime.jsonl', problems: 6, unjudged: 0 },
      ...{ samples: 2, answers: 6, temperature: 1, seed: 'seam', evaluatedBy: 'ada', meanAt: result.meanAt.value },
      passAt: Object.fromEntries(Object.entries(result.passAt).map(([k, { value }]) => [k, value])),
      members: AGENTS.map(({ name }) => ({ agent: name, baseModelDigest: models.get('executor')!.digest })),
    });
    expect(Object.keys(first.perAgent)).toEqual(AGENTS.map(({ name }) => name));
    await evaluated(...asked, '--predictions', 'predictions.jsonl');
    const again = await recorded();
    expect({ ...again, meta: null }).toEqual({ ...first, meta: null });
    expect(again.meta.messageId).not.toBe(first.meta.messageId);
    expect(again.predictionsDigest).toBe(sha256(Buffer.from(world.files.get('predictions.jsonl')!)));
    expect(await world.seam('team', 'show')).toBe(0);
    expect(world.takeOutput()).toMatch(
      /measured .* base on 6 problems of aime\.jsonl by ada: avg@6 .*pass@6 .*majority@6/,
    );
  });

  it('records nothing where nothing could be judged, or without being asked to', async () => {
    world.files.set('long.jsonl', linesOf([{ problem: 'gold '.repeat(600), answer: '1' }]));
    expect(await world.seam('eval', 'long.jsonl', '--team', 'team.json', '--record', '--by', 'ada')).toBe(2);
    expect(world.takeErrors()).toContain('expected a verdict on a problem, got none');
    await evaluated('aime.jsonl', '--team', 'team.json', '--limit', '1');
    await expect(recorded()).rejects.toThrow('nothing is on record');
  });
});

describe('seam eval --team of answers in words', () => {
  let judge: JudgeServer;
  beforeEach(async () => {
    judge = await judgeServer();
    world.files.set('words.jsonl', linesOf(inWords));
  });
  afterEach(() => judge.close());

  it('asks the judge once about equal answers, and puts on record and in the predictions who judged', async () => {
    world.verifiers = judge.verifiers;
    const asked = ['words.jsonl', '--team', 'team.json', '--vote', '--temperature', '1', '--record', '--by', 'ada'];
    const { judges } = await evaluated<{ judges: readonly { readonly verdicts: number }[] }>(
      ...[...asked, '--samples', '2', '--predictions', 'predictions.jsonl'],
    );
    expect(judges).toEqual([{ model: 'judge', revision: 'tiny/fp_1', verdicts: expect.any(Number) }]);
    expect((await recorded()).judges).toEqual(judges);
    const told = predictions().flatMap((line) => (line as { judges?: typeof judges }).judges ?? []);
    expect(told.reduce((sum, { verdicts }) => sum + verdicts, 0)).toBe(judges[0]!.verdicts);
    const tasks = judge.server.seen.map((request) => JSON.stringify(partsOf(request)));
    expect(new Set(tasks).size).toBe(tasks.length);
    expect(tasks.length).toBeLessThan(judges[0]!.verdicts);
  });

  it('fails where the judge gives no verdict, and is refused before a model is loaded where there is none', async () => {
    const asked = ['eval', 'words.jsonl', '--team', 'team.json', '--json'];
    world.checkpoints.clear();
    expect(await world.seam(...asked)).not.toBe(0);
    const message = expect.stringMatching(/^Cannot verify by judge@1: expected a model that judges, got none/);
    expect(world.takeJson()).toMatchObject([{ error: { code: 'INVALID_CONFIGURATION', message } }]);
    for (const [name, model] of models) world.checkpoints.set(name, model);
    world.verifiers = judge.verifiers;
    judge.server.behave = () => ({ kind: 'answer', body: chatCompletion('Perhaps.') });
    expect(await world.seam(...asked, '--max-tokens', '24')).not.toBe(0);
    expect(world.takeJson()).toMatchObject([{ error: { code: 'VERIFIER_FAILED' } }]);
  });
});

describe('seam eval --team with a chain', () => {
  it('counts what the team came to, one answer a sample', async () => {
    const result = await evaluated<{ answers: number; perAgent: object }>(
      ...['aime.jsonl', '--team', 'chain.json', '--samples', '2', '--limit', '4', '--predictions', 'predictions.jsonl'],
    );
    expect(result).toMatchObject({ topology: 'chain', answers: 2, perAgent: {} });
    for (const line of predictions()) expect(line.individual_answers).toHaveLength(2);
  });

  it('keeps a problem of which some samples do not fit the models: they are samples without an answer', async () => {
    const samples = ['--samples', '8', '--limit', '1', '--max-tokens', '24'];
    const cut: number[] = [];
    for (let words = 0; words < 400; words += 57) {
      const role = `{problem}\n${'gold '.repeat(words)}{before}\nSolution:`;
      const agents = [CHAIN.agents[0], { ...CHAIN.agents[1], role }];
      world.files.set('padded.json', Buffer.from(JSON.stringify({ topology: 'chain', agents })));
      const file = `${words}.jsonl`;
      const result = await evaluated<{ problems: number; failed: number }>(
        ...['aime.jsonl', '--team', 'padded.json', ...samples, '--predictions', file],
      );
      expect(result).toMatchObject({ problems: 1, failed: 0 });
      const { individual_answers: all } = predictions(file)[0]!;
      expect(all).toHaveLength(8);
      cut.push(all.filter((answer) => answer === null).length);
    }
    expect(cut.at(-1)).toBe(8);
  }, 120_000);

  it('measures the tuned team that serves its slot, and refuses one of other agents or models', async () => {
    const team = async (agents: readonly string[], baseModelDigest: string): Promise<void> => {
      const members = agents.map((agent) => ({ agent, slot: `team/${agent}`, adapterDigest: null }));
      const manifest = canonicalJson({ baseModelDigest, members });
      const adapterDigest = sha256(manifest);
      const key = `teams/${adapterDigest}/team.json`;
      await world.objects.put(key, Buffer.from(manifest));
      await world.log.append(promotedByRun({ adapterDigest, key, slot: 'team' }).map(encodeEvent));
    };
    const asked = ['aime.jsonl', '--team', 'team.json', '--limit', '1', '--adapter', 'served'];
    expect(await evaluated(...asked)).toMatchObject({ teamDigest: null });
    await team(
      AGENTS.map(({ name }) => name),
      models.get('executor')!.digest,
    );
    expect(await evaluated(...asked)).toMatchObject({ teamDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    await team(
      AGENTS.map(({ name }) => name),
      'f'.repeat(64),
    );
    expect(await world.seam('eval', ...asked)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected the base models ffff');
    await team(['other'], models.get('executor')!.digest);
    expect(await world.seam('eval', ...asked)).not.toBe(0);
    expect(world.takeErrors()).toContain('expected the agents agent_1, agent_2, agent_3, got other');
  });
});

describe('seam eval --team refuses, before a model is asked,', () => {
  it.each<[string, string[], RegExp]>([
    ['a field that it does not know', ['--team', 'extra.json'], /Unrecognized key.*temperature/],
    ['a vote in which an agent reads another', ['--team', 'chain.json', '--vote'], /no agent comes before in a vote/],
    ['a team without agents', ['--team', 'none.json'], /agents/],
    ['a folder that holds no model', ['--team', 'nowhere.json'], /path of agent agent_1/],
    ['arms together with a team', ['--team', 'team.json', '--arms', 'trained'], /--arms/],
    ['a name without a record', ['--team', 'team.json', '--by', 'ada'], /expected --record with --by/],
    ['a vote without a team', ['--vote'], /expected --team FILE with --vote/],
    ['a file that is there', ['--team', 'team.json', '--predictions', 'aime.jsonl'], /aime\.jsonl/],
    [
      'a team that the log does not have',
      ['--team', 'team.json', '--adapter', 'abcdef'],
      /expected one of those in the log/,
    ],
  ])('%s', async (_, args, message) => {
    world.files.set('extra.json', Buffer.from(JSON.stringify({ ...VOTE, temperature: 1 })));
    world.files.set('none.json', Buffer.from('agents: []\n'));
    world.files.set('nowhere.json', Buffer.from(JSON.stringify({ agents: [{ name: 'agent_1', path: 'nowhere' }] })));
    expect(await world.seam('eval', 'aime.jsonl', ...args)).not.toBe(0);
    expect(world.takeErrors()).toMatch(message);
    expect(world.takeOutput()).toBe('');
  });
});

interface Line {
  readonly problem_id: number;
  readonly predicted_answer: string | null;
  readonly individual_answers: readonly (string | null)[];
}
const predictions = (path = 'predictions.jsonl'): Line[] =>
  Buffer.from(world.files.get(path)!)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

async function evaluated<T>(...args: string[]): Promise<T> {
  world.takeOutput();
  expect(await world.seam('eval', ...args, '--max-tokens', '24', '--json')).toBe(0);
  return world.takeJson()[0] as T;
}

const AGENTS = ['agent_1', 'agent_2', 'agent_3'].map((name) => ({
  ...{ name, path: 'executor', role: '{problem}\nSolution:' },
}));
const VOTE = { agents: AGENTS };
const CHAIN = {
  topology: 'chain',
  agents: [
    { name: 'planner', path: 'generator-base', role: '{problem}\n{before}' },
    { name: 'solver', path: 'executor', role: '{problem}\nExperience:\n{before}\nSolution:' },
  ],
};
const own = worldProblems({ seed: 'team', split: 'heldOut', variant: 'base', count: 40 }).map(
  ({ prompt: problem, reference: answer }) => ({ problem, answer }),
);
const whole = own.filter(({ answer }) => /^\d+$/.test(answer));
const inWords = own.slice(0, 6).map(({ problem, answer }) => ({
  ...{ domain: 'words', prompt: problem, reference: `it is ${answer}` },
  verifier: { kind: 'judge', options: { question: problem } },
}));
const linesOf = (rows: readonly unknown[]): Uint8Array =>
  Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** The newest evaluation of a team in the log. */
async function recorded() {
  const found = [];
  for await (const { events } of readTopics(world.log, [TOPIC.teams], { undecodable: 'throw' }))
    for (const { event } of events) if (event.type === 'TeamEvaluated') found.push(event);
  const last = found.at(-1);
  if (last === undefined) throw new Error('nothing is on record');
  return last;
}
