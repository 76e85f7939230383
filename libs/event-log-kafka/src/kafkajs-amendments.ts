/**
 * What has to be mended in kafkajs 2.2.4 itself, when this file is loaded.
 *
 * Its queue of requests arms a timer for the end of a throttling after every answer, also when nothing is throttled and
 * nothing waits: a timer of one millisecond for ever per connection, and Node's warning about a negative time-out.
 * Reported as https://github.com/tulios/kafkajs/issues/1751.
 */
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';

const { prototype } = RequestQueue;
// eslint-disable-next-line @typescript-eslint/unbound-method -- called with its queue below
const schedule = prototype.scheduleCheckPendingRequests;
prototype.scheduleCheckPendingRequests = function scheduleWhatWaits(): void {
  if (this.pending.length > 0) schedule.call(this);
};
