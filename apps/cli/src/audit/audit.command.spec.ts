/** The list of acts as a person reads it. */
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let world: FakeWorld;
beforeEach(async () => {
  world = await fakeWorld();
});

describe('seam audit', () => {
  it('lists what was done, the oldest first, with the place in the log', async () => {
    await world.seam('gateway', 'keys', 'issue', 'bot', '--by', 'ada', '--json');
    const { keyId } = world.takeJson()[0] as { keyId: string };
    await world.seam('gateway', 'keys', 'revoke', keyId, '--by', 'bob', '--reason', 'it leaked');
    world.takeOutput();
    expect(await world.seam('audit')).toBe(0);
    const [, issued, revoked] = world.takeOutput().split('\n');
    expect(issued).toMatch(new RegExp(`UTC +ada +issue key +1 +seam.access/0/0 +${keyId} publisher for bot`));
    expect(revoked).toMatch(new RegExp(`UTC +bob +revoke key +1 +seam.access/0/1 +${keyId} \\(it leaked\\)`));
    await world.seam('audit', '--by', 'bob', '--json');
    expect(world.takeJson()).toMatchObject([{ acts: [{ act: 'revoke key' }] }]);
    await world.seam('audit', '--since', '2999-01-01');
    expect(world.takeOutput()).toBe('No such act is in the log.\n');
  });

  it('names who acted: as the command says, else the user of this machine', async () => {
    const problem = { prompt: 'What is 1 + 1?', reference: '2', verifier: 'numeric', domain: 'sums' };
    for (const name of ['one', 'two'])
      world.files.set(`${name}.jsonl`, Buffer.from(`${JSON.stringify({ ...problem, problemId: name })}\n`));
    expect(await world.seam('publish', 'one.jsonl', '--by', 'ada')).toBe(0);
    expect(await world.seam('publish', 'two.jsonl', '--duplicates', 'report')).toBe(0);
    expect(await world.seam('gateway', 'keys', 'issue', 'bot')).toBe(0);
    world.takeOutput();
    expect(await world.seam('audit', '--json')).toBe(0);
    const [{ acts }] = world.takeJson() as [{ acts: readonly { readonly act: string; readonly by: string }[] }];
    expect(acts.map(({ act, by }) => `${act} ${by}`).toSorted()).toEqual([
      'issue key user-of-this-machine',
      'publish ada',
      'publish user-of-this-machine',
    ]);
  });

  it('is of what changes the system, and of one tenant, where that is asked', async () => {
    const problem = { prompt: 'What is 1 + 1?', reference: '2', verifier: 'numeric', domain: 'sums', problemId: 'one' };
    world.files.set('one.jsonl', Buffer.from(`${JSON.stringify(problem)}\n`));
    await world.seam('publish', 'one.jsonl', '--tenant', 'acme', '--by', 'ada');
    world.takeOutput();
    await world.seam('gateway', 'keys', 'issue', 'bot', '--tenant', 'acme', '--by', 'ada', '--json');
    const { keyId } = world.takeJson().at(-1) as { keyId: string };
    await world.seam('gateway', 'keys', 'issue', 'other', '--by', 'ada');
    await world.seam('gateway', 'keys', 'revoke', keyId, '--by', 'bob', '--reason', 'it leaked');
    const told = async (...options: readonly string[]) => {
      world.takeOutput();
      expect(await world.seam('audit', ...options, '--json')).toBe(0);
      const [{ acts }] = world.takeJson() as [{ acts: readonly { readonly act: string; readonly tenant: string }[] }];
      return acts.map(({ act, tenant }) => `${act} ${tenant}`).toSorted();
    };
    expect(await told('--tenant', 'acme')).toEqual(['issue key acme', 'publish acme', 'revoke key acme']);
    expect(await told('--changes')).toEqual(['issue key acme', 'issue key default', 'revoke key acme']);
    expect(await world.seam('audit', '--changes', '--act', 'refused')).toBe(2);
  });

  it('refuses a time and an act that do not exist', async () => {
    expect(await world.seam('audit', '--since', 'yesterday')).toBe(2);
    expect(world.takeErrors()).toContain('Cannot read --since');
    expect(await world.seam('audit', '--act', 'nothing')).toBe(2);
  });
});

describe('seam gateway users name', () => {
  it('prints the name that limits have for a user, and a limit takes it', async () => {
    const named = ['gateway', 'users', 'name', '248289761001', '--issuer', 'https://login.example.org'];
    expect(await world.seam(...named)).toBe(0);
    const user = world.takeOutput().trim();
    // From an independent SHA-256: python3 -c 'hashlib.sha256(b"[\"https://login.example.org\",\"248289761001\"]")'.
    expect(user).toBe('user-yZQOZ7fLfFLtSNHGnLVWqg');
    const limit = ['--measure', 'tokens', '--per', 'day', '--limit', '5', '--by', 'ada', '--reason', 'a trial'];
    await world.seam('gateway', 'keys', 'issue', 'bot', '--by', 'ada');
    expect(await world.seam('gateway', 'quotas', 'set', user, ...limit)).toBe(0);
    expect(await world.seam(...named.slice(0, 5), 'no address')).toBe(2);
  });
});
