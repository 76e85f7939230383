import type { KeptLog } from '@seamstream/operations/read-models';
import { snapshotPlaceOf } from '@seamstream/service-kit';
import type { GatewayWorld } from '../gateway-world.js';

/** The gateway's log with the place of its read models' snapshots: that of the command line, so that either reads on from the other's. */
export class KeptLogOfWorld {
  constructor(private readonly world: GatewayWorld) {}

  async open(): Promise<KeptLog> {
    const { config, drivers } = this.world;
    return { log: drivers.log, snapshots: await snapshotPlaceOf(config, process.env) };
  }
}
