/** The checker of Prometheus' rules and metrics: the machine's, else Debian's in the cache. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, runTool, type ToolResult } from './host-tools.js';
import { cached } from './server-cache.js';

const INSTALLED = '/usr/bin/promtool';

/** Runs it to its end, regardless of its exit status. @param input for its standard input */
export type Promtool = (args: readonly string[], input?: string) => Promise<ToolResult>;

/** Nothing is installed. @throws INVALID_CONFIGURATION where neither it nor Debian's package can be had */
export async function promtool(): Promise<Promtool> {
  const program = existsSync(INSTALLED) ? INSTALLED : join(await fetched(), 'usr/bin/promtool');
  return (args, input) =>
    runTool(program, args, 'run promtool', { timeoutMs: 60_000, ...(input === undefined ? {} : { input }) });
}

function fetched(): Promise<string> {
  const purpose = 'fetch promtool';
  const advice = 'Install it (Debian: prometheus).';
  return cached('promtool', async (target) => {
    await mustRun('apt-get', ['download', '--quiet', 'prometheus'], purpose, advice, { cwd: target });
    // The package has a server and its pages too.
    const script =
      'dpkg-deb --fsys-tarfile prometheus_*.deb | tar -x ./usr/bin/promtool && rm prometheus_*.deb && ./usr/bin/promtool --version';
    await mustRun('sh', ['-c', script], purpose, advice, { cwd: target });
  });
}
