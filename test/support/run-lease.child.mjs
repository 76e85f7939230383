// A process that wants to carry a run out alone: says "held", works until its input ends, or says why it may not.
import { isSeamError, systemClock } from '@seamstream/kernel';
import { FsObjectStore } from '@seamstream/object-store-fs';
import { RunLeases } from '@seamstream/training-runs';

const [folder, by, leaseMs] = process.argv.slice(2);
const objects = await FsObjectStore.open({ folder });
const leases = new RunLeases(objects, systemClock, Number(leaseMs));
console.log('ready');
process.stdin.once('data', async () => {
  try {
    await leases.alone('run-1', { holder: `${by}-${process.pid}`, by }, new AbortController().signal, async () => {
      console.log('held');
      await new Promise((resolve) => process.stdin.once('data', resolve));
    });
    console.log('done');
  } catch (error) {
    console.log(isSeamError(error, 'CONFLICT') ? `refused: ${error.message}` : `failed: ${error}`);
  }
  process.exit(0);
});
