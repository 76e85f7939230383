/**
 * One driver per data folder: two would publish every round twice, and the run would be no function of its seed any more.
 *
 * The lock is the kernel's, on an empty file, taken through SQLite. Nothing is written, so no process can read half of it. It ends with
 * the process, for any reason. It means the same in every container that shares the folder, where a process's number does not.
 * So no process has to judge whether another one is alive, and none can give back another's lock.
 */
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SeamError } from '@seamstream/kernel';
import { makeFolder } from '@seamstream/service-kit/drivers';

/** https://www.sqlite.org/rescode.html#busy */
const SQLITE_BUSY = 5;

/** Held until they are given back: one without a reference would be closed by garbage collection, and its lock released. */
const held = new Set<DatabaseSync>();

/**
 * Takes the folder's lock and returns how to give it back.
 * @throws CONFLICT while another driver has it
 */
export async function lockDriver(dataFolder: string): Promise<() => void> {
  const path = join(dataFolder, 'driving.lock');
  await makeFolder(resolve(dataFolder));
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // Takes the one lock that only writers take. EXCLUSIVE waits for readers, and those who ask at once could all be refused.
    lock.exec('BEGIN IMMEDIATE');
  } catch (error) {
    lock.close();
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new SeamError(
      'CONFLICT',
      `Cannot drive rounds in ${dataFolder}: expected no other driver, got one ("fuser ${path}" names it). Choose another --data-dir, or host more services with --no-drive.`,
      { details: { path } },
    );
  }
  held.add(lock);
  return () => {
    if (held.delete(lock)) lock.close();
  };
}
