/**
 * Jobs of Kubernetes (batch/v1), by its API and the token of this pod's service account. What a pod of a cluster looks like, its operator says
 * in a manifest; the name, the command and how often it is tried are ours.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { type ClusterJob, ClusterJobs } from './cluster-jobs.js';
import { jsonRequest } from './json-request.js';

interface KubernetesSettings {
  /** Of the API, e.g. https://kubernetes.default.svc. */
  readonly server: string;
  /** With `token`, `ca.crt` and `namespace`, as a pod has it of its service account. */
  readonly accountFolder: string;
  /** What pods look like. */
  readonly template: JobTemplate;
  /** Program and arguments; the job's folder is appended. */
  readonly command: readonly string[];
}

/** The container of the template that the program runs in. */
const CONTAINER = 'torch';

const containerSchema = z.looseObject({ name: z.string() });
const templateSchema = z.looseObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata: z
    .looseObject({
      labels: z.record(z.string(), z.string()).optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    })
    .prefault({}),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.array(containerSchema).refine((containers) => containers.some(({ name }) => name === CONTAINER), {
          error: `expected a container named ${CONTAINER}`,
        }),
      }),
    }),
  }),
});

export type JobTemplate = z.infer<typeof templateSchema>;

/** @throws INVALID_CONFIGURATION where the text is no manifest (JSON) of a Job with a container for the program */
export function jobTemplate(text: string): JobTemplate {
  try {
    return templateSchema.parse(JSON.parse(text));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : 'no JSON';
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read the manifest of training jobs: expected a Job of batch/v1 as JSON with a container named ${CONTAINER}, got: ${why}. See docs/how-to/gpu-training.md.`,
    );
  }
}

const FOLDER = 'seamstream/job-folder';

const jobSchema = z.object({
  metadata: z.object({
    deletionTimestamp: z.string().nullish(),
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  status: z
    .object({
      /** Pods whose containers all run. */
      ready: z.int().nullish(),
      conditions: z.array(z.object({ type: z.string(), status: z.string(), message: z.string().nullish() })).nullish(),
    })
    .nullish(),
});

const saidSchema = z.object({ reason: z.string().nullish(), message: z.string().nullish() });
const containerStatusesSchema = z
  .array(
    z.object({
      state: z.object({
        waiting: saidSchema.nullish(),
        terminated: z.object({ exitCode: z.int(), message: z.string().nullish() }).nullish(),
      }),
    }),
  )
  .nullish();
const podSchema = z.object({
  status: saidSchema.extend({
    phase: z.string().nullish(),
    /** PodScheduled says why no node takes a pod. */
    conditions: z.array(saidSchema.extend({ status: z.string() })).nullish(),
    initContainerStatuses: containerStatusesSchema,
    containerStatuses: containerStatusesSchema,
  }),
});
const podsSchema = z.object({ items: z.array(podSchema) });

export class KubernetesJobs extends ClusterJobs {
  constructor(private readonly settings: KubernetesSettings) {
    super();
  }

  /** Fails where this pod may not look at jobs. */
  async check(): Promise<void> {
    await this.ask('GET', '?limit=1');
  }

  override async find(name: string): Promise<ClusterJob | undefined> {
    const answer = await this.ask('GET', `/${name}`);
    if (answer === undefined) return undefined;
    const { metadata, status } = jobSchema.parse(answer);
    const folder = metadata.annotations?.[FOLDER] ?? '';
    // One that is being deleted is there until its pods are gone.
    if (metadata.deletionTimestamp) return { folder, state: 'running' };
    const isSo = (type: string): boolean =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
    if (isSo('Complete') || isSo('Failed')) return { folder, state: isSo('Complete') ? 'succeeded' : 'failed' };
    const runs = (status?.ready ?? 0) > 0 || (await this.podsOf(name)).some(hasStarted);
    return { folder, state: runs ? 'running' : 'waiting' };
  }

  override async submit(name: string, folder: string): Promise<void> {
    await this.ask('POST', '', this.manifestOf(name, folder));
  }

  override async stop(name: string): Promise<void> {
    await this.remove(name);
  }

  override async remove(name: string): Promise<void> {
    // Foreground: the job is there until its pods have ended.
    await this.ask('DELETE', `/${name}?propagationPolicy=Foreground`);
  }

  override async reportOf(name: string): Promise<string> {
    const { status } = jobSchema.parse(await this.ask('GET', `/${name}`));
    const pods = await this.podsOf(name);
    const said =
      pods.length === 0 ? ['It has no pod: look at its events (kubectl describe job).'] : pods.flatMap(saidBy);
    return [...said, ...(status?.conditions ?? []).map(({ message }) => message)].filter(Boolean).join('\n');
  }

  private async podsOf(name: string): Promise<readonly z.infer<typeof podSchema>[]> {
    const labels = encodeURIComponent(`batch.kubernetes.io/job-name=${name}`);
    return podsSchema.parse(await this.request('GET', 'api/v1', `pods?labelSelector=${labels}`)).items;
  }

  /** The Job that is submitted. */
  manifestOf(name: string, folder: string): JobTemplate {
    const { template, command } = this.settings;
    const { metadata, spec } = template;
    const pod = spec.template.spec;
    const containers = pod.containers.map((container) => {
      if (container.name !== CONTAINER) return container;
      // What it says last is in the pod's state: reading logs needs another right.
      return {
        ...container,
        command: [...command, folder],
        args: [],
        terminationMessagePolicy: 'FallbackToLogsOnError',
      };
    });
    return {
      ...template,
      metadata: { ...metadata, name, annotations: { ...metadata.annotations, [FOLDER]: folder } },
      spec: {
        ...spec,
        // Whether it is tried again, the trainer decides: with what the run has recorded.
        backoffLimit: 0,
        template: { ...spec.template, spec: { ...pod, restartPolicy: 'Never', containers } },
      },
    };
  }

  private ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
    return this.request(method, 'apis/batch/v1', `jobs${path}`, body);
  }

  private async request(
    method: 'GET' | 'POST' | 'DELETE',
    group: string,
    path: string,
    body?: unknown,
  ): Promise<unknown> {
    const { server, accountFolder } = this.settings;
    // Read each time: a token is valid for an hour, and its file is replaced.
    const [token, namespace, authorities] = await Promise.all(
      ['token', 'namespace', 'ca.crt'].map((name) => readFile(join(accountFolder, name), 'utf8')),
    );
    return jsonRequest({
      method,
      url: `${server.replace(/\/$/, '')}/${group}/namespaces/${namespace!.trim()}/${path}`,
      body,
      headers: { authorization: `Bearer ${token!.trim()}` },
      authorities: authorities!,
    });
  }
}

/** Its containers have been made, also where they have ended. */
function hasStarted({ status: { phase } }: z.infer<typeof podSchema>): boolean {
  return phase !== 'Pending' && phase !== 'Unknown' && typeof phase === 'string';
}

/** What a pod says of itself: that no node takes it, that its image is not there, how its program ended, that it was evicted. */
function saidBy({ status }: z.infer<typeof podSchema>): string[] {
  const containers = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  const ended = containers.flatMap(({ state: { terminated } }) =>
    terminated ? [`status ${terminated.exitCode}: ${terminated.message ?? ''}`] : [],
  );
  const waits = containers.flatMap(({ state: { waiting } }) => (waiting ? [waiting] : []));
  const refused = status.conditions?.filter((condition) => condition.status === 'False' && condition.message) ?? [];
  const facts = [status, ...waits, ...refused];
  return [...ended, ...facts.map(({ reason, message }) => [reason, message].filter(Boolean).join(': '))];
}
