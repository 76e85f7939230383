/**
 * Jobs that a cluster carries out, one at a time for each content. A job's files lie in a folder that the cluster's machines have at the same
 * path. Its name in the cluster follows from what it is to do: who submits it again gets no second program. A program whose starter has died,
 * or has lost the run, is ended by the next starter of the same job.
 */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf, sha256, sleep } from '@seamstream/kernel';
import { JOB_PATHS } from './job-files.js';
import { type EndedJob, JobLauncher, type RunningJob } from './job-launcher.port.js';
import { RequestRefused } from './json-request.js';

/** A job as the cluster has it. */
export interface ClusterJob {
  /** Of the start that submitted it. */
  readonly folder: string;
  readonly state: 'waiting or running' | 'succeeded' | 'failed';
}

/** What a cluster can be asked. Each request may fail, and may have been carried out nevertheless. */
export abstract class ClusterJobs {
  /** Undefined where there is none of this name. */
  abstract find(name: string): Promise<ClusterJob | undefined>;
  /** Fails where there is one of this name. */
  abstract submit(name: string, folder: string): Promise<void>;
  /** Asks the cluster to end a job that waits or runs. */
  abstract stop(name: string): Promise<void>;
  /** Takes a job away that is over, so that its name is free. */
  abstract remove(name: string): Promise<void>;
  /** How a job ended and what its program said last. */
  abstract reportOf(name: string): Promise<string>;
}

export interface ClusterPatience {
  /** Between two looks at the job. */
  readonly lookEveryMs?: number;
  /** How long the cluster may not answer before the job is given up; it resumes when it is started again. */
  readonly silenceMs?: number;
}

/** Enough of a job's digest to name it. */
const NAMED_BY = 32;
/** Enough for the last message of each of some processes. */
const SAID_CHARACTERS = 8_000;

export class ClusterLauncher extends JobLauncher {
  constructor(
    private readonly cluster: ClusterJobs,
    private readonly patience: ClusterPatience = {},
  ) {
    super();
  }

  override start(folder: string): RunningJob {
    const cancelling = new AbortController();
    return { ended: this.run(folder, cancelling.signal), cancel: () => cancelling.abort() };
  }

  private async run(folder: string, cancelled: AbortSignal): Promise<EndedJob> {
    const { lookEveryMs = 1_000, silenceMs = 60_000 } = this.patience;
    const job = await readFile(join(folder, JOB_PATHS.job));
    // Two installations may have equal jobs, in different folders.
    const name = `seam-${sha256(Buffer.concat([Buffer.from(`${dirname(folder)}\n`), job])).slice(0, NAMED_BY)}`;
    const run: Run = { name, folder, wasSubmitted: false, cancelled };
    let silentSinceMs: number | undefined;
    for (;;) {
      try {
        const ended = await this.advance(run);
        if (ended !== undefined) return ended;
        silentSinceMs = undefined;
      } catch (error) {
        silentSinceMs ??= performance.now();
        const isOver = error instanceof RequestRefused || performance.now() - silentSinceMs >= silenceMs;
        if (isOver) return { hasSucceeded: false, report: `job ${name} cannot be followed: ${messageOf(error)}` };
      }
      // Who cancels does not wait for the next look.
      await sleep(lookEveryMs, cancelled.aborted ? undefined : cancelled);
    }
  }

  /** Looks at the job and does the next thing. @returns how it ended, once it has */
  private async advance(run: Run): Promise<EndedJob | undefined> {
    const { name, folder, cancelled } = run;
    const found = await this.cluster.find(name);
    if (found?.folder === folder) {
      run.wasSubmitted = true;
      if (found.state === 'waiting or running') {
        if (cancelled.aborted) await this.cluster.stop(name);
        return undefined;
      }
      const said = (await this.cluster.reportOf(name)).slice(-SAID_CHARACTERS).trim();
      return { hasSucceeded: found.state === 'succeeded', report: `job ${name} ${found.state}: ${said}` };
    }
    if (cancelled.aborted || run.wasSubmitted) {
      const why = cancelled.aborted ? 'was cancelled' : 'was taken away, or another start took its place';
      return { hasSucceeded: false, report: `job ${name} ${why}` };
    }
    if (found === undefined) {
      await this.cluster.submit(name, folder);
      run.wasSubmitted = true;
    }
    // Of a starter that has died or was overtaken: the one that starts now holds the run.
    else if (found.state === 'waiting or running') await this.cluster.stop(name);
    else await this.cluster.remove(name);
    return undefined;
  }
}

interface Run {
  readonly name: string;
  readonly folder: string;
  readonly cancelled: AbortSignal;
  wasSubmitted: boolean;
}
