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
  /** `waiting`: for its turn, for a machine that has room, for its image. One that is being ended runs until it has ended. */
  readonly state: 'waiting' | 'running' | 'succeeded' | 'failed';
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
  /** How a job ended and what its program said last; of one that waits, what for. */
  abstract reportOf(name: string): Promise<string>;
}

export interface ClusterPatience {
  /** Between two looks at the job. */
  readonly lookEveryMs?: number;
  /** How long the cluster may not answer before the job is given up; it resumes when it is started again. */
  readonly silenceMs?: number;
  /** How long the job may wait before it is given up: for a machine that never comes, or an image that does not exist. */
  readonly startWithinMs?: number;
  /** How long a job that is asked to end may take: its machine may be lost. */
  readonly endsWithinMs?: number;
}

/** A cluster that is scaled up for a job has a machine by then. */
export const START_WITHIN_MS = 1_800_000;
/** Longer than any grace of a pod. */
const ENDS_WITHIN_MS = 600_000;
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
    const run: Run = { name: '', folder, wasSubmitted: false, isWaiting: true, cancelled: cancelling.signal };
    return { ended: this.follow(run), cancel: () => cancelling.abort(), isWaiting: () => run.isWaiting };
  }

  private async follow(run: Run): Promise<EndedJob> {
    const { lookEveryMs = 1_000, silenceMs = 60_000 } = this.patience;
    const { folder, cancelled } = run;
    const job = await readFile(join(folder, JOB_PATHS.job));
    // Two installations may have equal jobs, and each has its own folder for them.
    run.name = `seam-${sha256(Buffer.concat([Buffer.from(`${dirname(folder)}\n`), job])).slice(0, NAMED_BY)}`;
    let silentSinceMs: number | undefined;
    for (;;) {
      try {
        const ended = await this.advance(run);
        if (ended !== undefined) return ended;
        silentSinceMs = undefined;
      } catch (error) {
        silentSinceMs ??= performance.now();
        const isOver = error instanceof RequestRefused || performance.now() - silentSinceMs >= silenceMs;
        if (isOver) return failed(run, `cannot be followed: ${messageOf(error)}${await this.leave(run)}`);
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
      if (!isOver(found)) return this.awaitEnd(run, found);
      if (run.gaveUp !== undefined) return failed(run, run.gaveUp.why);
      const said = (await this.cluster.reportOf(name)).slice(-SAID_CHARACTERS).trim();
      return { hasSucceeded: found.state === 'succeeded', report: `job ${name} ${found.state}: ${said}` };
    }
    if (cancelled.aborted || run.wasSubmitted) {
      const why = cancelled.aborted ? 'was cancelled' : 'was taken away, or another start took its place';
      return failed(run, run.gaveUp?.why ?? why);
    }
    if (found === undefined) {
      await this.cluster.submit(name, folder);
      run.wasSubmitted = true;
      run.stoppingSinceMs = undefined;
    }
    // Of a starter that has died or was overtaken: the one that starts now holds the run.
    else if (!isOver(found)) return this.stopped(run);
    else await this.cluster.remove(name);
    return undefined;
  }

  /** Of a job of this start that is not over. */
  private async awaitEnd(run: Run, { state }: ClusterJob): Promise<EndedJob | undefined> {
    const { startWithinMs = START_WITHIN_MS, silenceMs = 60_000 } = this.patience;
    const nowMs = performance.now();
    run.isWaiting = state === 'waiting';
    run.waitsSinceMs = run.isWaiting ? (run.waitsSinceMs ?? nowMs) : undefined;
    if (run.waitsSinceMs !== undefined && nowMs - run.waitsSinceMs >= startWithinMs && run.gaveUp === undefined) {
      const said = (await this.cluster.reportOf(run.name)).slice(-SAID_CHARACTERS).trim();
      run.gaveUp = { why: `did not start within ${startWithinMs / 1000} s: ${said}`, atMs: nowMs };
    }
    const late = run.cancelled.aborted || run.gaveUp !== undefined ? await this.stopped(run) : undefined;
    if (late !== undefined) return late;
    // What never ran computes nothing, also where the cluster does not come to taking it away.
    return run.gaveUp !== undefined && nowMs - run.gaveUp.atMs >= silenceMs ? failed(run, run.gaveUp.why) : undefined;
  }

  /** Asks a job to end. One on a lost machine never does: what it still writes lies in the folder of its start alone. */
  private async stopped(run: Run): Promise<EndedJob | undefined> {
    const { endsWithinMs = ENDS_WITHIN_MS } = this.patience;
    run.stoppingSinceMs ??= performance.now();
    await this.cluster.stop(run.name);
    if (performance.now() - run.stoppingSinceMs < endsWithinMs) return undefined;
    return failed(run, run.gaveUp?.why ?? `did not end within ${endsWithinMs / 1000} s: look at its machine`);
  }

  /** Ends a program that no worker follows. @returns what became of it, for a person */
  private async leave({ name, wasSubmitted }: Run): Promise<string> {
    if (!wasSubmitted) return '';
    try {
      await this.cluster.stop(name);
      return '. It was asked to end';
    } catch {
      return '. It could not be ended and may still run';
    }
  }
}

function isOver({ state }: ClusterJob): boolean {
  return state === 'succeeded' || state === 'failed';
}

function failed({ name }: Run, why: string): EndedJob {
  return { hasSucceeded: false, report: `job ${name} ${why}` };
}

/** Of one start. */
interface Run {
  name: string;
  readonly folder: string;
  readonly cancelled: AbortSignal;
  wasSubmitted: boolean;
  isWaiting: boolean;
  waitsSinceMs?: number | undefined;
  stoppingSinceMs?: number | undefined;
  gaveUp?: { readonly why: string; readonly atMs: number };
}
