/**
 * The rendered chart's pods, run by podman on this machine. Podman is not a cluster: {@link podFor} is all that is changed for it.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Manifest, Podman } from '@seamstream/dev-servers';
import { podsOf } from '../acceptance/chart/policy.js';

/** Of a container that was killed. */
const START_TRIES = 10;
const READY_WITHIN_MS = 120_000;
/** Podman 4 runs probes as curl inside of the container, which has none: the tests ask the service itself. */
const LEFT_OUT = ['ports', 'startupProbe', 'livenessProbe', 'readinessProbe'];

interface Started {
  /** Of its only container. */
  readonly container: string;
  readonly port: number;
}

/**
 * The pod of a Deployment or a Job as podman runs it:
 * - a pod by itself with its own name, since podman knows no Jobs and no rollouts;
 * - in the host's network, where the servers of the tests listen, hence at another port and without `ports`;
 * - without probes;
 * - with volumes whose names hold the pod's, since podman gives an emptyDir of one name to all pods.
 */
function podFor(owner: Manifest, name: string, port: number): Manifest {
  const [{ spec }] = podsOf([owner]) as readonly [ReturnType<typeof podsOf>[number]];
  const containers = spec.containers.map((container) => ({
    ...Object.fromEntries(Object.entries(container).filter(([field]) => !LEFT_OUT.includes(field))),
    env: container.env.map((each) => (each.name === 'SEAM_HTTP_PORT' ? { ...each, value: String(port) } : each)),
  }));
  const own = JSON.parse(JSON.stringify({ ...spec, containers, hostNetwork: true }), (field, value: unknown) =>
    (field === 'volumeMounts' || field === 'volumes') && Array.isArray(value)
      ? value.map((each: { readonly name: string }) => ({ ...each, name: `${name}-${each.name}` }))
      : value,
  ) as Manifest['spec'];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: own! };
}

export class Pods {
  private readonly started = new Map<string, Started>();
  private readonly secrets: string[] = [];

  /** @param configMaps what the pods name and the chart does not make */
  constructor(
    private readonly engine: Podman,
    private readonly configMaps: readonly Manifest[],
  ) {}

  /** Makes a Secret: podman reads those of a pod's environment as JSON, and keeps what it makes of a manifest as YAML. */
  async makeSecret(name: string, data: Readonly<Record<string, string>>): Promise<void> {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
    const folder = await mkdtemp(join(tmpdir(), 'seam-secret-'));
    try {
      // Podman takes a secret from a named pipe or a file, and Node gives its children sockets.
      const file = join(folder, 'secret.json');
      await writeFile(file, JSON.stringify(Object.fromEntries(encoded)));
      await this.engine.must(['secret', 'create', name, file]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    this.secrets.push(name);
  }

  /** Starts the pod of a Deployment or a Job under a name. */
  async start(owner: Manifest, name: string, port: number): Promise<void> {
    const input = [...this.configMaps, podFor(owner, name, port)].map((each) => JSON.stringify(each)).join('\n---\n');
    await this.engine.must(['kube', 'play', '--network', 'host', '-'], { input });
    const [{ spec }] = podsOf([owner]) as readonly [ReturnType<typeof podsOf>[number]];
    this.started.set(name, { container: `${name}-${spec.containers[0]!.name}`, port });
  }

  /** Resolves when the pod's service is ready. */
  async ready(name: string): Promise<void> {
    const { port } = this.started.get(name)!;
    const giveUp = performance.now() + READY_WITHIN_MS;
    while (!(await isReady(port))) {
      if (performance.now() > giveUp) throw new Error(`${name} is not ready.\n${await this.logs(name)}`);
      await pause(100);
    }
  }

  /** Runs a Job's pod to its end. Returns its exit status and what it said. */
  async run(owner: Manifest, name: string): Promise<{ readonly status: number; readonly said: string }> {
    await this.start(owner, name, 0);
    const status = Number(await this.engine.must(['wait', this.started.get(name)!.container]));
    const said = await this.logs(name);
    await this.remove(name);
    return { status, said };
  }

  /** kill -9 of the pod's container, and the same container again, as the kubelet starts it. */
  async killAndRestart(name: string): Promise<void> {
    const { container } = this.started.get(name)!;
    await this.engine.must(['kill', '--signal', 'KILL', container]);
    await this.engine.must(['wait', container]);
    // Podman stops a pod whose last container has ended, a moment later: a start within that moment fails, and the next one does not.
    for (let tries = 1; ; tries++) {
      const { status, stderr } = await this.engine.run(['start', container]);
      if (status === 0) return;
      if (tries === START_TRIES) throw new Error(`${name} does not start again.\n${stderr}`);
      await pause(200);
    }
  }

  /** SIGTERM, and SIGKILL after the pod's grace. Returns the exit status. */
  async end(name: string, graceSeconds: number): Promise<number> {
    const { container } = this.started.get(name)!;
    await this.engine.must(['stop', '--time', String(graceSeconds), container]);
    const status = Number(await this.engine.must(['inspect', '--format', '{{.State.ExitCode}}', container]));
    await this.remove(name);
    return status;
  }

  async logs(name: string): Promise<string> {
    const { stdout, stderr } = await this.engine.run(['logs', this.started.get(name)!.container]);
    return `${stdout}${stderr}`;
  }

  names(): readonly string[] {
    return [...this.started.keys()];
  }

  /** Removes what is left. */
  async close(): Promise<void> {
    for (const name of this.names()) await this.remove(name);
    for (const name of this.secrets) await this.engine.must(['secret', 'rm', name]);
    // Podman keeps a ConfigMap as a volume.
    for (const { metadata } of this.configMaps) await this.engine.must(['volume', 'rm', '--force', metadata.name]);
  }

  private async remove(name: string): Promise<void> {
    await this.engine.must(['pod', 'rm', '--force', '--time', '0', name]);
    this.started.delete(name);
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    return response.ok;
  } catch {
    return false;
  }
}
