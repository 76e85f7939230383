import type { IncomingMessage } from 'node:http';

/** What the server asks of the door: see access/access.ts. */
export interface Door {
  /** @throws ApiError for a request that is not let in */
  admit(request: IncomingMessage, route: string | undefined): Promise<void>;
  /** Learns how a request failed that was let in: the door counts those of its errors that are refusals. */
  failed(error: unknown, request: IncomingMessage, route: string | undefined): void;
}
