import { type EventOf, encodeEvent } from '@seamstream/events';
import { EDIT_SCHEMA, editEntry } from '@seamstream/experience';
import { EXAMPLE_EVENTS, openLog } from '@seamstream/testing';
import { readLogAccount } from './read-log.js';

describe('the account of a log', () => {
  it('counts entries that were written: an edit that was not is neither valid nor invalid', async () => {
    const log = await openLog();
    const unaugmented = { code: 'DEADLINE_EXCEEDED', reason: 'it was late', tries: 3 };
    await log.append(
      [
        experience('valid', { entry: editEntry('Ada wrote it.') }),
        experience('invalid', { entry: '{"text":"Ada wrote it."}' }),
        experience('unwritten', { entry: '', tokenIds: [], unaugmented }),
        experience('claimed', { entry: '{"text":"Ada wrote it."}', unaugmented }),
      ].map(encodeEvent),
    );
    expect((await readLogAccount(log, () => EDIT_SCHEMA)).entries).toEqual({ valid: 1, generated: 3 });
  });
});

function experience(id: string, changes: Partial<EventOf<'ExperienceGenerated'>>): EventOf<'ExperienceGenerated'> {
  const { meta, problem, ...rest } = EXAMPLE_EVENTS.ExperienceGenerated;
  const own = { meta: { ...meta, messageId: id }, problem: { ...problem, problemId: id }, experienceId: id };
  return { ...rest, ...own, ...changes };
}
