import { fileURLToPath } from 'node:url';
import { entrySchemaFor, goldEntry, worldProblems } from '@seamstream/embedded-world';
import { Environment, PromptInjection } from '@seamstream/environments';
import { loadPrompts } from '@seamstream/experience';
import { LanguageModel } from '@seamstream/language-model';
import { LanguageModelExecutor } from '@seamstream/model-clients';
import { type RewardAnswer, type RewardServer, Rewards, serveRewards } from './reward-server.js';

const EXECUTOR = fileURLToPath(new URL('../../../../models/executor', import.meta.url));
const problems = {
  train: worldProblems({ seed: 'rewards', split: 'train', variant: 'base', count: 8 }),
  heldOut: worldProblems({ seed: 'rewards', split: 'heldOut', variant: 'base', count: 8 }),
};
const schemaFor = (domain: string) => entrySchemaFor(domain)!;
const [problem] = problems.train;
const gold = JSON.stringify(goldEntry(problem!));
const attempt = (text: string, problemId = problem!.problemId) => ({ problemId, text });

let model: LanguageModel;
let server: RewardServer;
beforeAll(async () => {
  model = await LanguageModel.load(EXECUTOR, { threads: 1 });
});
beforeEach(async () => {
  const executor = new LanguageModelExecutor(model, { name: 'executor', maxTokens: 40 });
  const environment = new PromptInjection(executor, await loadPrompts());
  server = await serveRewards(new Rewards({ environment, problems, schemaFor }));
});
afterEach(() => server.close());
afterAll(() => model.close());

it("judges what the executor answers with an entry, and shows it no text that the loop's grammar refuses", async () => {
  const other = JSON.stringify(goldEntry(problems.train.find(({ domain }) => domain !== problem!.domain)!));
  const misquote = JSON.stringify(goldEntry(problems.train.findLast(({ domain }) => domain === problem!.domain)!));
  const texts = [gold, ` ${gold}\n`, 'for nothing', gold.slice(0, -1), other, misquote, ''];
  const { verdicts, calls } = await judged(
    'train',
    texts.map((text) => attempt(text)),
  );
  const refused = { valid: false, solved: false };
  const solved = { valid: true, solved: true };
  expect(verdicts).toEqual([solved, solved, refused, refused, refused, refused, refused]);
  expect(calls).toBe(2);
});

it('counts each entry of a training problem, and nothing that is measured', async () => {
  const ofHeldOut = problems.heldOut.map((each) => attempt(JSON.stringify(goldEntry(each)), each.problemId));
  expect((await judged('heldOut', ofHeldOut)).calls).toBe(0);
  expect((await judged('train', [attempt(gold), attempt(gold)])).calls).toBe(2);
  const { calls, verdicts } = await judged('heldOut', ofHeldOut);
  expect(calls).toBe(2);
  expect(verdicts.filter(({ solved }) => solved).length).toBeGreaterThan(6);
});

it.each([
  ['no JSON', '{'],
  ['an unknown set', JSON.stringify({ set: 'validation', attempts: [attempt(gold)] })],
  ['an unknown field', JSON.stringify({ set: 'train', attempts: [attempt(gold)], free: true })],
  ['an unknown field of an attempt', JSON.stringify({ set: 'train', attempts: [{ ...attempt(gold), reward: 1 }] })],
  ['no attempt', JSON.stringify({ set: 'train', attempts: [] })],
  [
    'an unknown problem after a known one',
    JSON.stringify({ set: 'train', attempts: [attempt(gold), attempt(gold, 'x')] }),
  ],
  ['a problem of the other set', JSON.stringify({ set: 'heldOut', attempts: [attempt(gold)] })],
  ['more than a request may hold', JSON.stringify({ set: 'train', attempts: [attempt('x'.repeat(9 * 2 ** 20))] })],
])('refuses a request with %s, and counts nothing', async (_, body) => {
  const response = await send(body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toMatch(/^Cannot judge attempts: expected .*, got /);
  expect((await judged('train', [attempt('no entry')])).calls).toBe(0);
});

it('knows one path and one method', async () => {
  expect((await send('{}', server.url.replace('judge', 'calls'))).status).toBe(400);
  expect((await fetch(server.url)).status).toBe(400);
});

it('says of an executor that fails that it failed: that is no reward of zero', async () => {
  const away = await serveRewards(new Rewards({ environment: new Away(), problems, schemaFor }));
  try {
    const response = await send(JSON.stringify({ set: 'train', attempts: [attempt(gold)] }), away.url);
    expect(response.status).toBe(500);
    expect(((await response.json()) as { error: string }).error).toContain('no server answers');
  } finally {
    await away.close();
  }
});

function send(body: string, url = server.url): Promise<Response> {
  return fetch(url, { method: 'POST', body });
}

async function judged(set: string, attempts: readonly object[]): Promise<RewardAnswer> {
  const response = await send(JSON.stringify({ set, attempts }));
  expect(response.status).toBe(200);
  return (await response.json()) as RewardAnswer;
}

/** Fails every request, as an endpoint that is away. */
class Away extends Environment {
  override get identity() {
    return { model: 'away', revision: '0', decoding: '{}', template: 'none' };
  }
  override async attempt(requests: readonly { readonly seeds: readonly string[] }[]) {
    const failure = { status: 'failed', code: 'INTERNAL', reason: 'no server answers.', retryable: true } as const;
    return requests.map(({ seeds }) => seeds.map(() => failure));
  }
  override drawn(): null {
    return null;
  }
  override givesAnswerAway(): boolean {
    return false;
  }
}
