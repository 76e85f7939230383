/**
 * Shows others that a run is being worked on: an object next to the run's checkpoints that its holder renews. A lease that is not
 * renewed for a while belongs to a holder that died. It saves work and proves nothing: who holds a run is decided by its claim on the
 * log, where the latest claim fences all earlier ones.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Clock, isSeamError, SeamError, sleep } from '@seamstream/kernel';
import type { ObjectInfo, ObjectStore } from '@seamstream/object-store';
import { z } from 'zod';
import { runFolder } from './checkpoints.js';

/** What a lease says of its holder. An older release, or a stranger, may have written it. */
const leaseSchema = z.object({
  holder: z.string().catch(''),
  /** The person who asked for the work. */
  by: z.string().nullable().catch(null),
  host: z.string().catch(''),
  /** By which a process id means one process: of the machine's start, and of what its processes see of one another. */
  machine: z.string().catch(''),
  pid: z.int().positive().catch(0),
});

type Lease = z.infer<typeof leaseSchema>;

export class RunLeases {
  /** By run: another's lease as it was last found, and since when it has been so by the own clock. */
  private readonly seen = new Map<string, { readonly text: string; readonly sinceMs: number }>();

  /** @param leaseMs a lease that is not renewed for so long has no holder; 0: no other process takes runs, and no lease is kept */
  constructor(
    private readonly objects: ObjectStore,
    private readonly clock: Clock,
    private readonly leaseMs: number,
  ) {}

  /** Whether no worker holds the run, as far as its lease shows. */
  async isFree(runId: string): Promise<boolean> {
    if (this.leaseMs === 0) return true;
    const text = await this.textOf(runId);
    if (text === undefined) {
      this.seen.delete(runId);
      return true;
    }
    const seen = this.seen.get(runId);
    if (seen?.text === text) return this.clock.now() - seen.sinceMs >= this.leaseMs;
    this.seen.set(runId, { text, sinceMs: this.clock.now() });
    return false;
  }

  /** Holds the lease until the work has settled. @param holder a name that no other holder has */
  during<T>(runId: string, holder: string, work: () => Promise<T>): Promise<T> {
    return this.leaseMs === 0 ? work() : this.renewing(runId, { ...OWN_PROCESS, holder, by: null }, work);
  }

  /**
   * Holds the lease until the work has settled, where no other holds it. Of several that ask at once one gets it. The lease of a process
   * that ended on this machine is taken at once, another's after it was not renewed for its time.
   * @param asked a name that no other holder has, and the person who asks
   * @throws CONFLICT naming the holder, before any work; ABORTED by the signal
   */
  async alone<T>(
    runId: string,
    asked: { readonly holder: string; readonly by: string | null },
    signal: AbortSignal,
    work: () => Promise<T>,
  ): Promise<T> {
    if (this.leaseMs === 0) return work();
    const lease = { ...OWN_PROCESS, ...asked };
    while (!(await this.acquired(runId, lease, signal))) signal.throwIfAborted();
    return this.renewing(runId, lease, work);
  }

  /** @returns false where another was quicker: then its lease is to be looked at */
  private async acquired(runId: string, lease: Lease, signal: AbortSignal): Promise<boolean> {
    const key = keyOf(runId);
    const found = await this.objects.head(key);
    if (found !== undefined) {
      const other = leaseIn(await this.textOf(runId));
      if (!hasEnded(other) && !(await this.isLeft(found, signal))) throw taken(runId, other);
    }
    try {
      await this.objects.put(key, bodyOf(lease, 0), { ifMatch: found === undefined ? 'absent' : { etag: found.etag } });
      return true;
    } catch (error) {
      if (isSeamError(error, 'PRECONDITION_FAILED')) return false;
      throw error;
    }
  }

  /** Whether the lease stays as it is for its time, or is gone. */
  private async isLeft({ key, etag }: ObjectInfo, signal: AbortSignal): Promise<boolean> {
    for (let look = 0; look < LOOKS; look++) {
      await sleep(this.leaseMs / LOOKS, signal);
      const now = await this.objects.head(key);
      if (now === undefined) return true;
      if (now.etag !== etag) return false;
    }
    return true;
  }

  private async renewing<T>(runId: string, lease: Lease, work: () => Promise<T>): Promise<T> {
    let beat = 0;
    // A renewal that fails is made up by the next one; others may take the run meanwhile, which its claim settles.
    const renew = (): Promise<unknown> => this.objects.put(keyOf(runId), bodyOf(lease, ++beat)).catch(() => undefined);
    let renewing = renew();
    await renewing;
    const timer = setInterval(() => {
      renewing = renewing.then(renew);
    }, this.leaseMs / 3);
    timer.unref(); // work that was left behind must not hold the process
    let isFenced = false;
    try {
      return await work();
    } catch (error) {
      isFenced = isSeamError(error, 'FENCED');
      throw error;
    } finally {
      clearInterval(timer);
      await renewing;
      // A lost run's lease stays: it may name the loser by now, but it still shows that the run is held.
      if (!isFenced) await this.release(runId, lease.holder);
    }
  }

  /** So that the next worker need not wait. */
  private async release(runId: string, holder: string): Promise<void> {
    try {
      const text = await this.textOf(runId);
      if (text !== undefined && leaseIn(text).holder === holder) await this.objects.delete(keyOf(runId));
    } catch {
      // Then it runs out.
    }
  }

  private async textOf(runId: string): Promise<string | undefined> {
    try {
      return Buffer.from(await this.objects.get(keyOf(runId))).toString();
    } catch (error) {
      if (isSeamError(error, 'OBJECT_NOT_FOUND')) return undefined;
      throw error;
    }
  }
}

/** While a lease runs out: a holder renews it three times in its time. */
const LOOKS = 6;

const OWN_PROCESS = { host: hostname(), machine: ownMachine(), pid: process.pid };

/** Two containers may have one host name, and not one process in common. Empty where the system does not say. */
function ownMachine(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return '';
  }
}

function keyOf(runId: string): string {
  return `${runFolder(runId)}lease.json`;
}

function bodyOf(lease: Lease, beat: number): Uint8Array {
  return Buffer.from(JSON.stringify({ ...lease, beat }));
}

function leaseIn(text: string | undefined): Lease {
  try {
    return leaseSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return leaseSchema.parse({});
  }
}

/** Whether the holder was a process of this machine that is no more. */
function hasEnded({ machine, pid }: Lease): boolean {
  if (machine === '' || machine !== OWN_PROCESS.machine || pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function taken(runId: string, { by, host, pid }: Lease): SeamError {
  const where = host === '' ? 'another process' : `process ${pid} on ${host}`;
  return new SeamError(
    'CONFLICT',
    `Cannot carry out run ${runId}: expected one that no process works on, got one that ${by === null ? where : `${by} works on (${where})`}. Wait for its end, or stop that process and ask again.`,
    { details: { runId, by, host, pid } },
  );
}
