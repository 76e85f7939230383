/** One pass over the whole log for what the report needs: the ledger, and whether every entry is valid. */
import type { EventLog } from '@seamstream/event-log';
import { TOPIC } from '@seamstream/events';
import { checkEntry, type EntrySchemas } from '@seamstream/experience';
import { isSeamError } from '@seamstream/kernel';
import { type Ledger, ledgerProjection } from '@seamstream/read-models';
import { readableEvents } from './readable-event.js';

export interface LogAccount {
  readonly ledger: Ledger;
  readonly entries: { readonly valid: number; readonly generated: number };
  /** Revisions of the executor that outcomes name: one, since it is frozen. */
  readonly executorRevisions: ReadonlySet<string>;
}

export async function readLogAccount(log: EventLog, schemaFor: EntrySchemas): Promise<LogAccount> {
  const state = ledgerProjection.initialState();
  const entries = { valid: 0, generated: 0 };
  const executorRevisions = new Set<string>();
  const topics = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters];
  for await (const { event, record } of readableEvents(log, topics)) {
    ledgerProjection.evolve(state, event, record);
    if (event.type === 'ExperienceGenerated') {
      entries.generated++;
      if (isValid(event.entry, schemaFor, event.problem.domain)) entries.valid++;
    } else if (event.type === 'OutcomeRecorded') {
      executorRevisions.add(event.executor.revision);
    }
  }
  return { ledger: ledgerProjection.read(state), entries, executorRevisions };
}

function isValid(entry: string, schemaFor: EntrySchemas, domain: string): boolean {
  try {
    checkEntry(entry, schemaFor(domain));
    return true;
  } catch (error) {
    if (isSeamError(error, 'ENTRY_INVALID')) return false;
    throw error;
  }
}
