import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEventLogContract } from '@seamstream/event-log/contract';
import { LmdbEventLog } from './lmdb-event-log.js';

describeEventLogContract('the log in LMDB', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'event-log-'));
  return {
    open: () => LmdbEventLog.open({ folder, clock }),
    dispose: () => rm(folder, { recursive: true }),
  };
});
