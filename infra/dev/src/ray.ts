/** Ray with its dashboard on this machine, as one node: packages from PyPI by digest, some 400 MB. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePorts } from './free-ports.js';
import { pythonLockedTo } from './python.js';
import { removeFolder, ServerProcess, temporaryFolder } from './server-process.js';

const LOCK = fileURLToPath(new URL('../requirements/ray.lock', import.meta.url));
/** It starts a dozen processes, one after the other: half a minute on two busy cores. */
const START_TIMEOUT_MS = 300_000;
/** So many that a job is never refused for want of a port. */
const WORKER_PORTS = 40;

export interface Ray {
  /** Of its dashboard, whose jobs interface is meant. */
  readonly dashboard: string;
  /** kill -9 of the head: it knows no job afterwards. Its workers, and what they have started, are left to notice. */
  killHead(): Promise<void>;
  /** A new head at the same addresses, after {@link killHead}. */
  startHead(): Promise<void>;
  /** Ends every process of it. */
  close(): Promise<void>;
}

/** Throws INVALID_CONFIGURATION when Python, pip or the network is missing, INTERNAL when it does not start. */
export async function startRay(): Promise<Ray> {
  const { command, environment } = await pythonLockedTo(LOCK);
  // The system allows 107 characters for the names of sockets, and Ray adds some 60.
  const folder = await temporaryFolder('ray', '/tmp');
  const ports = await freePorts(9 + WORKER_PORTS);
  const [gcs, dashboard, client, nodeManager, objectManager, agentGrpc, agentListen, runtimeEnv, metrics] = ports;
  const address = `http://127.0.0.1:${dashboard}`;
  const server = new ServerProcess({
    name: 'Ray',
    command,
    args: [
      ...['-m', 'ray.scripts.scripts', 'start', '--head', '--block', '--disable-usage-stats'],
      ...['--node-ip-address', '127.0.0.1', '--port', `${gcs}`, '--temp-dir', folder],
      ...['--include-dashboard', 'true', '--dashboard-host', '127.0.0.1', '--dashboard-port', `${dashboard}`],
      ...['--ray-client-server-port', `${client}`, '--node-manager-port', `${nodeManager}`],
      ...['--object-manager-port', `${objectManager}`, '--dashboard-agent-grpc-port', `${agentGrpc}`],
      ...['--dashboard-agent-listen-port', `${agentListen}`, '--runtime-env-agent-port', `${runtimeEnv}`],
      ...['--metrics-export-port', `${metrics}`, '--worker-port-list', ports.slice(9).join()],
      ...['--num-cpus', '2', '--num-gpus', '0', '--object-store-memory', '150000000'],
    ],
    env: { ...environment, RAY_DISABLE_IMPORT_WARNING: '1', RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER: '0' },
    logFile: join(folder, 'server.log'),
    isReady: () =>
      // Its jobs are asked: the dashboard answers before they can be had.
      fetch(`${address}/api/jobs/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    startTimeoutMs: START_TIMEOUT_MS,
  });
  await server.start();
  return {
    dashboard: address,
    killHead: async () => {
      await server.kill('SIGKILL');
      await endProcessesOf(folder);
    },
    startHead: () => server.start(),
    close: async () => {
      await server.kill('SIGTERM');
      await endProcessesOf(folder);
      await removeFolder(folder);
    },
  };
}

/** What leads a separate session outlives the group that the server led; all of Ray's processes name its folder. */
async function endProcessesOf(folder: string): Promise<void> {
  for (let looks = 0; looks < 100; looks++) {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const named = await Promise.all(
      pids.map(async (pid) => {
        const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        return words.includes(folder) ? [Number(pid)] : [];
      }),
    );
    const left = named.flat();
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has just ended by itself.
      }
    }
    await sleep(50);
  }
}
