/**
 * The executor opens no connection but to the configured host. The kernel counts, in a separate network namespace: connections of native
 * code are seen as well, and so are attempts that fail.
 */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bubblewrap } from '@seamstream/dev-servers';
import { executorConfigSchema } from '@seamstream/executor';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('the connections of an executor', () => {
  it('over a checkpoint do not exist, for any problems and entries', async () => {
    expect(await run('checkpoint')).toEqual({ answered: 3, begun: 0, withoutWay: 0, datagrams: 0 });
  });

  it('behind an endpoint are to its host alone, for any answer and any redirect', async () => {
    const counted = (await run('endpoint')) as { readonly answered: number };
    expect(counted).toMatchObject({ withoutWay: 0, datagrams: 0 });
    expect(counted.answered).toBeGreaterThan(0);
  });

  it('are not left to a server: requests name no tools', () => {
    const endpoint = { url: 'http://127.0.0.1:1/v1', model: 'm' };
    const choice = (extraBody: unknown) =>
      executorConfigSchema.safeParse({ executor: { driver: 'endpoint', endpoint: { ...endpoint, extraBody } } });
    for (const field of ['tools', 'tool_choice', 'functions', 'web_search_options', 'mcp_servers', 'plugins'])
      expect([field, choice({ [field]: [] }).success]).toEqual([field, false]);
    expect(choice({ top_k: 20 }).success).toBe(true);
  });

  it('would be seen', async () => {
    const { withoutWay } = (await run('nothing is held back')) as { readonly withoutWay: number };
    expect(withoutWay).toBeGreaterThan(0);
  });
});

async function run(egress: string): Promise<unknown> {
  const node = process.execPath;
  const told = execFileSync(
    await bubblewrap(),
    [
      ...[
        '--unshare-net',
        '--die-with-parent',
        '--ro-bind',
        '/',
        '/',
        '--dev',
        '/dev',
        '--proc',
        '/proc',
        '--tmpfs',
        '/tmp',
      ],
      ...['--bind', root, root, '--ro-bind', dirname(node), dirname(node), '--chdir', root, '--clearenv'],
      ...['--setenv', 'EGRESS', egress, '--', node, 'test/support/egress.child.mjs'],
    ],
    { encoding: 'utf8', timeout: 50_000 },
  );
  return JSON.parse(told.trim().split('\n').at(-1)!);
}
