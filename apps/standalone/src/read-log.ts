/** One pass over the whole log for what the report needs: the ledger, and whether every entry is valid and faithful. */
import type { EventLog } from '@seamstream/event-log';
import { isUnwritten, isWhole, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { checkEntry, type EntrySchemas, hasQuotes, misquoteIn } from '@seamstream/experience';
import { isSeamError } from '@seamstream/kernel';
import { readTopics } from '@seamstream/log-reader';
import { type Ledger, ledgerProjection } from '@seamstream/read-models';
import type { JsonSchema } from '@seamstream/token-grammar';
import { placeInStream } from './problem-stream.js';

export interface LogAccount {
  readonly ledger: Ledger;
  readonly entries: { readonly valid: number; readonly generated: number };
  /** By round: entries that were to quote their problem, and the faithful of them. Those of no round are under null. */
  readonly quoting: ReadonlyMap<number | null, { readonly entries: number; readonly faithful: number }>;
  /** The first entry with a misquote, by id; null where there is none. */
  readonly misquote: { readonly prompt: string; readonly entry: string; readonly fault: string } | null;
  /** Revisions of the executor that outcomes name: one, since it is frozen. */
  readonly executorRevisions: ReadonlySet<string>;
}

export async function readLogAccount(log: EventLog, schemaFor: EntrySchemas): Promise<LogAccount> {
  const state = ledgerProjection.initialState();
  const entries = { valid: 0, generated: 0 };
  const quoting = new Map<number | null, { entries: number; faithful: number }>();
  let misquote: LogAccount['misquote'] = null;
  let misquoteId = '';
  const executorRevisions = new Set<string>();
  const topics = [TOPIC.problems, TOPIC.experiences, TOPIC.outcomes, TOPIC.deadLetters];
  const contents = new ProblemContents(log);
  for await (const { events } of readTopics(log, topics, { undecodable: 'skip' })) {
    const filled = await contents.fill(events.map(({ event }) => event));
    for (const [at, { record }] of events.entries()) {
      const event = filled[at]!;
      ledgerProjection.evolve(state, event, record);
      if (event.type === 'ExperienceGenerated') {
        // Nothing was written that could be valid or faithful.
        if (isUnwritten(event)) continue;
        entries.generated++;
        const { experienceId: id, problem, entry } = event;
        const schema = schemaFor(problem.domain);
        if (isValid(entry, schema)) entries.valid++;
        // Whose content is gone cannot be checked any more.
        if (!hasQuotes(schema) || !isWhole(problem)) continue;
        const found = misquoteIn(entry, schema, problem.prompt);
        const round = placeInStream(problem)?.round ?? null;
        const row = quoting.get(round) ?? { entries: 0, faithful: 0 };
        quoting.set(round, { entries: row.entries + 1, faithful: row.faithful + (found === undefined ? 1 : 0) });
        if (found !== undefined && (misquote === null || id < misquoteId)) {
          misquoteId = id;
          misquote = { prompt: problem.prompt, entry, fault: found.fault };
        }
      } else if (event.type === 'OutcomeRecorded') {
        executorRevisions.add(event.executor.revision);
      }
    }
  }
  return { ledger: ledgerProjection.read(state), entries, quoting, misquote, executorRevisions };
}

function isValid(entry: string, schema: JsonSchema): boolean {
  try {
    checkEntry(entry, schema);
    return true;
  } catch (error) {
    if (isSeamError(error, 'ENTRY_INVALID')) return false;
    throw error;
  }
}
