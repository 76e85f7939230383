/** Sessions of the dashboard, ended by a person: as fast as the log. */
import type { EventLog } from '@seamstream/event-log';
import { encodeEvent, isUserId, originMeta } from '@seamstream/events';
import { type Clock, newId, SeamError } from '@seamstream/kernel';

/**
 * Ends all sessions that a user has begun. The user can sign in again as long as the provider lets them.
 * @throws INVALID_INPUT for what is no name of a user
 */
export async function signOutUser(
  log: EventLog,
  userId: string,
  { by, reason }: { readonly by: string; readonly reason: string },
  clock: Clock,
): Promise<void> {
  if (!isUserId(userId))
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot sign out ${JSON.stringify(userId)}: expected the name of a user. See "seam gateway users name".`,
    );
  await log.append([
    encodeEvent({
      type: 'SessionEnded',
      meta: originMeta({
        ...{ messageId: newId(), correlationId: userId, source: 'seam/cli' },
        ...{ occurredAt: clock.now(), sourceClass: 'trusted' },
      }),
      ...{ userId, sessionId: null, endedBy: by, reason },
    }),
  ]);
}
