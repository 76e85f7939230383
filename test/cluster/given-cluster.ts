/**
 * The cluster that SEAM_TEST_KUBECONFIG names, for tests that need a real API server. They make a namespace and remove it, and CRDs where
 * the cluster has none of that name, which they also remove. Give one that is for tests.
 */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type KubernetesTools, kubernetesTools } from '@seamstream/dev-servers';
import { sleep } from '@seamstream/kernel';

export interface Cluster {
  readonly tools: KubernetesTools;
  /** With the restricted standard enforced. */
  readonly namespace: string;
  /** Address of the API, and the authorities of its certificate (PEM). */
  readonly api: { readonly server: string; readonly authorities: string };
  /** Whether it has nodes, so that pods run. */
  readonly hasNodes: boolean;
  /** kubectl in the namespace; throws with what it said where it fails. */
  readonly must: (args: readonly string[], input?: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Undefined, said aloud, where none is given. */
export async function givenCluster(): Promise<Cluster | undefined> {
  const kubeconfig = process.env.SEAM_TEST_KUBECONFIG ?? '';
  if (kubeconfig === '') {
    process.stderr.write(
      'SKIPPED: nothing was tried on a cluster. Name the kubeconfig of one that is for tests: SEAM_TEST_KUBECONFIG (docs/how-to/kubernetes.md).\n',
    );
    return undefined;
  }
  const tools = await kubernetesTools(kubeconfig);
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    const { status, stdout, stderr } = await tools.kubectl(args, input);
    if (status !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${String(status)}: ${stderr}`);
    return stdout;
  };
  const namespace = `seam-test-${randomBytes(4).toString('hex')}`;
  const made = await missingCrds(tools, run);
  const labels = ['enforce', 'warn'].map((mode) => `pod-security.kubernetes.io/${mode}=restricted`);
  await run(['create', 'namespace', namespace]);
  await run(['label', 'namespace', namespace, ...labels]);
  const { clusters } = JSON.parse(await run(['config', 'view', '--raw', '--minify', '--output', 'json'])) as {
    readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
  };
  const [{ cluster }] = clusters;
  const authorities = cluster['certificate-authority-data'];
  return {
    tools,
    namespace,
    api: {
      server: cluster.server!,
      authorities:
        authorities === undefined
          ? await readFile(cluster['certificate-authority']!, 'utf8')
          : Buffer.from(authorities, 'base64').toString(),
    },
    hasNodes: (await run(['get', 'nodes', '--output', 'name'])) !== '',
    must: (args, input) => run(['--namespace', namespace, ...args], input),
    close: async () => {
      await run(['delete', 'namespace', namespace, '--wait=false']);
      for (const name of made) await run(['delete', 'crd', name, '--wait=false']);
    },
  };
}

/** Makes the CRDs of the chart's kinds that the cluster lacks. Returns their names once their kinds are known. */
async function missingCrds(
  { crds }: KubernetesTools,
  run: (args: readonly string[]) => Promise<string>,
): Promise<readonly string[]> {
  const there = (await run(['get', 'crds', '--output', 'name'])).split('\n');
  const made: string[] = [];
  for (const file of await readdir(crds)) {
    const create = ['create', '--filename', join(crds, file), '--output', 'name'];
    const name = (await run([...create, '--dry-run=client'])).trim();
    if (there.includes(name)) continue;
    await run(create);
    made.push(name.split('/')[1]!);
  }
  for (const name of made) await run(['wait', `crd/${name}`, '--for=condition=Established', '--timeout=60s']);
  // The server knows a kind some seconds after its CRD is established.
  if (made.length > 0) await sleep(5_000);
  return made;
}
