import type { IncomingMessage } from 'node:http';

/** What the server asks of the door: see access/access.ts. */
export interface Door {
  /** @throws ApiError for a request that is not let in */
  admit(request: IncomingMessage, route: string | undefined): Promise<void>;
  /** Learns of each error that ends a request. The door counts those that are refusals and that it has not counted when it refused. */
  failed(error: unknown, request: IncomingMessage, route: string | undefined): void;
}
