/** Ray's jobs, by the REST interface of its dashboard. A job's program is started by a worker of Ray, and ends with it. */
import { sleep } from '@seamstream/kernel';
import { z } from 'zod';
import { type ClusterJob, ClusterJobs } from './cluster-jobs.js';
import { jsonRequest, requestedEnd } from './json-request.js';

interface RaySettings {
  /** Of the dashboard, e.g. http://127.0.0.1:8265. */
  readonly dashboard: string;
  /** Program and arguments; the job's folder is appended. */
  readonly command: readonly string[];
  /** That Ray keeps free for the program. Without any it runs on the head node, and sees none. */
  readonly gpus: number;
}

const jobSchema = z.object({
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
const logsSchema = z.object({ logs: z.string().nullish() });
const versionSchema = z.object({ ray_version: z.string() });

/** A job is over a moment before its worker is gone. The next of its name would be given to that worker, and end with it. */
const SETTLES_MS = 5_000;
/** Of a log, which Ray sends whole: more than is reported of it. */
const LOG_BYTES = 65_536;
/** Of the metadata that Ray keeps with a job. */
const FOLDER = 'seam-job-folder';

export class RayJobs extends ClusterJobs {
  constructor(private readonly settings: RaySettings) {
    super();
  }

  /** Ray's own version. Fails where no dashboard of Ray answers. */
  async version(): Promise<string> {
    return versionSchema.parse(await this.ask('GET', '/api/version')).ray_version;
  }

  override async find(name: string): Promise<ClusterJob | undefined> {
    const job = await this.job(name);
    if (job === undefined) return undefined;
    return { folder: job.metadata?.[FOLDER] ?? '', state: STATES[job.status] };
  }

  override async submit(name: string, folder: string): Promise<void> {
    const { command, gpus } = this.settings;
    await this.ask('POST', '/api/jobs/', {
      submission_id: name,
      entrypoint: [...command, folder].map(quoted).join(' '),
      metadata: { [FOLDER]: folder },
      ...(gpus === 0 ? {} : { entrypoint_num_gpus: gpus }),
    });
  }

  override async stop(name: string): Promise<void> {
    await this.ask('POST', `/api/jobs/${name}/stop`);
  }

  override async remove(name: string): Promise<void> {
    await sleep(SETTLES_MS);
    await this.ask('DELETE', `/api/jobs/${name}`);
  }

  override async reportOf(name: string): Promise<string> {
    const job = await this.job(name);
    const log = await requestedEnd({ method: 'GET', url: this.urlOf(`/api/jobs/${name}/logs`) }, LOG_BYTES);
    return [endOfLog(log ?? ''), job?.message].filter(Boolean).join('\n');
  }

  private async job(name: string): Promise<z.infer<typeof jobSchema> | undefined> {
    const answer = await this.ask('GET', `/api/jobs/${name}`);
    return answer === undefined ? undefined : jobSchema.parse(answer);
  }

  private ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> {
    return jsonRequest({ method, url: this.urlOf(path), body });
  }

  private urlOf(path: string): string {
    return `${this.settings.dashboard.replace(/\/$/, '')}${path}`;
  }
}

const STATES = {
  PENDING: 'waiting',
  RUNNING: 'running',
  STOPPED: 'failed',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
} as const;

/** What `{"logs": "…"}` says, also where only its end was kept. */
function endOfLog(text: string): string {
  try {
    return logsSchema.parse(JSON.parse(text)).logs ?? '';
  } catch {
    // From the first line that is whole: before it an escape may be cut.
    const line = text.indexOf('\\n');
    const end = text.lastIndexOf('"');
    try {
      return JSON.parse(`"${text.slice(line === -1 ? 0 : line + 2, end === -1 ? undefined : end)}"`) as string;
    } catch {
      return text;
    }
  }
}

/** As a word of the shell that Ray starts programs with. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
