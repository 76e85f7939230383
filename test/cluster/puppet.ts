/** Says how pods end that no kubelet runs: those that no node may run, and all of a cluster without nodes. */
import { sleep } from '@seamstream/kernel';
import type { Cluster } from './given-cluster.js';

interface Ended {
  readonly exitCode: number;
  readonly message?: string;
}

/** Waits for one pod with this label that has not ended, and ends it. */
export async function endPod(cluster: Cluster, selector: string, { exitCode, message = '' }: Ended): Promise<void> {
  for (let looks = 0; looks < 300; looks++) {
    const { items } = JSON.parse(
      await cluster.must(['get', 'pods', '--selector', selector, '--output', 'json']),
    ) as PodList;
    const pod = items.find(({ status }) => status.phase === 'Pending');
    if (pod === undefined) {
      await sleep(200);
      continue;
    }
    const at = new Date().toISOString();
    const containerStatuses = pod.spec.containers.map(({ name, image }) => ({
      ...{ name, image, imageID: image, ready: false, started: false, restartCount: 0 },
      state: { terminated: { exitCode, message, reason: 'Ended', startedAt: at, finishedAt: at } },
    }));
    const status = { phase: exitCode === 0 ? 'Succeeded' : 'Failed', containerStatuses };
    const patch = ['patch', 'pod', pod.metadata.name, '--subresource=status', '--type=merge'];
    await cluster.must([...patch, '--patch', JSON.stringify({ status })]);
    return;
  }
  throw new Error(`no pod with ${selector} within 60 s`);
}

interface PodList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
    readonly status: { readonly phase: string };
  }[];
}
