/** Which sessions are open, for any order in which they begin and end. */
import type { EventOf } from '@seamstream/events';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import fc from 'fast-check';
import { KnownSessions, LONGEST_SESSION_MS } from './known-sessions.js';

describe('The sessions of a log', () => {
  it('that were ended never open again, and no user has more than 16', () => {
    const step = fc.record({
      kind: fc.constantFrom('start', 'start', 'start', 'again', 'end', 'end all', 'end of another'),
      user: fc.constantFrom('ada', 'bob'),
      number: fc.nat(40),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200, size: 'max' }), (steps) => {
        const known = new KnownSessions();
        /** Without a fold: by user, what is open, the oldest first. */
        const open: Record<string, string[]> = { ada: [], bob: [] };
        const begun = new Set<string>();
        for (const { kind, user, number } of steps) {
          const id = `${user}-${number}`;
          if (kind === 'start' || kind === 'again') {
            known.apply(started(user, id));
            if (!begun.has(id)) open[user] = [...open[user]!, id].slice(-16);
            begun.add(id);
          } else if (kind === 'end of another') known.apply(ended('eve', id));
          else if (kind === 'end') {
            known.apply(ended(user, id));
            open[user] = open[user]!.filter((each) => each !== id);
          } else {
            known.apply(ended(user, null));
            open[user] = [];
          }
        }
        const openNow = [...begun].filter((id) => known.openOf(id) !== undefined);
        expect(openNow.toSorted()).toEqual(Object.values(open).flat().toSorted());
      }),
      { numRuns: 300 },
    );
  });

  it('are forgotten when they have expired, are no longer than a day, and have a role that exists', () => {
    const known = new KnownSessions();
    known.apply({ ...started('ada', 'long'), expiresAt: AT + 10 * LONGEST_SESSION_MS });
    known.apply({ ...started('ada', 'king'), role: 'king' });
    known.apply({ ...started('ada', 'constructor'), role: 'constructor' });
    expect(known.openOf('long')).toEqual(expect.objectContaining({ expiresAt: AT + LONGEST_SESSION_MS }));
    expect([known.openOf('king'), known.openOf('constructor')]).toEqual([undefined, undefined]);
    known.forgetBefore(AT + LONGEST_SESSION_MS + 1);
    expect(known.knows('long')).toBe(true);
    known.forgetBefore(AT + 2 * LONGEST_SESSION_MS);
    expect(known.knows('long')).toBe(false);
  });
});

const AT = EXAMPLE_EVENTS.SessionStarted.meta.occurredAt;

function started(userId: string, sessionId: string): EventOf<'SessionStarted'> {
  return { ...EXAMPLE_EVENTS.SessionStarted, userId, sessionId };
}

function ended(userId: string, sessionId: string | null): EventOf<'SessionEnded'> {
  return { ...EXAMPLE_EVENTS.SessionEnded, userId, sessionId };
}
