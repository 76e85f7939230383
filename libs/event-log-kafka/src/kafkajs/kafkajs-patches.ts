/**
 * What has to be mended in kafkajs 2.2.4 itself, when this file is loaded.
 *
 * **Timers.** Its queue of requests arms a timer for the end of a throttling after every answer, also when nothing is throttled
 * and nothing waits: a timer of one millisecond for ever per connection, and Node's warning about a negative time-out.
 * Reported as https://github.com/tulios/kafkajs/issues/1751.
 *
 * **Connections that come back.** A connection of kafkajs opens one socket after the other, and several at once for callers who
 * come while it is down. What one socket left of an answer is put before what the next one brings
 * (https://github.com/tulios/kafkajs/issues/715), the end of an old socket closes the new one, and requests that were sent on a
 * connection while it was being closed are never answered. Here a connection has one socket in its life; the pool puts
 * another connection in the place of one that is down or going down, once for all who ask.
 */
import { Connection, ConnectionPool, clientErrors, RequestQueue } from './kafkajs-internals.js';

/* eslint-disable @typescript-eslint/unbound-method -- called with their objects below */
const { scheduleCheckPendingRequests } = RequestQueue.prototype;
const { disconnect } = Connection.prototype;
/* eslint-enable @typescript-eslint/unbound-method */

RequestQueue.prototype.scheduleCheckPendingRequests = function scheduleWhatWaits(): void {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this);
};

/** Connections that are being opened. */
const openings = new WeakMap<Connection, Promise<Connection>>();

ConnectionPool.prototype.getConnection = async function connected(index = 0): Promise<Connection> {
  const found = this.pool[index]!;
  // kafkajs takes one that is being closed for connected, too.
  if (found.connectionStatus === 'connected') return found;
  const underWay = openings.get(found);
  if (underWay) return underWay;
  const connection = found.socket === undefined ? found : successorOf(found);
  this.pool[index] = connection;
  const opening = connection
    .connect()
    .then(() => connection)
    .finally(() => openings.delete(connection));
  openings.set(connection, opening);
  return opening;
};

/** A connection to the same broker by the same settings that knows what was learned about the broker. */
function successorOf(connection: Connection): Connection {
  const { maxInFlightRequests, enforceRequestTimeout, instrumentationEmitter } = connection.requestQueue;
  const settings: Record<string, unknown> = { maxInFlightRequests, enforceRequestTimeout, instrumentationEmitter };
  const successor = new Connection(Object.assign(settings, connection));
  successor.setVersions(connection.versions);
  successor.setSupportAuthenticationProtocol(connection.getSupportAuthenticationProtocol());
  return successor;
}

Connection.prototype.disconnect = async function disconnectWholly(): Promise<unknown> {
  const broker = `${this.host}:${this.port}`;
  // A caller that waits for it would get one that is closed.
  if (openings.has(this)) this.socket?.destroy(new Error('closed while it was opened'));
  try {
    return await disconnect.call(this);
  } finally {
    // Requests that were sent after the last answer and before the end. (After a KafkaJSConnectionClosedError kafkajs closes
    // all connections to the broker.)
    this.rejectRequests(new clientErrors.KafkaJSConnectionError('Closed connection', { broker }));
  }
};
