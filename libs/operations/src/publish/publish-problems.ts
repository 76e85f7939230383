/** Publishes problems that a program hands over: each is checked as a row of a file is, and all or none are published. */
import { bytesInMemory, type RowFault, readProblems } from '@seamstream/datasets';
import type { EventLog, NewRecord } from '@seamstream/event-log';
import { clientIn, DEFAULT_TENANT } from '@seamstream/events';
import { derivedId, newId, SeamError } from '@seamstream/kernel';
import { ownIdIn, type PublishedFrom, problemRecord } from './publication.js';
import { readingSettings } from './reading-settings.js';
import { saysTheSame } from './repeated-problems.js';

/** In the form of an id that the system makes itself: version 4 or 5 of a UUID. */
const LIKE_OURS = /^[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export interface PublishedProblem {
  readonly problemId: string;
}

/**
 * @param rows problems as lines of a file, with reference and verifier or with neither
 * @param from who publishes, and a name of the request that makes a second one publish the same problems again: null for none
 * @throws INVALID_INPUT naming the fields at fault; CONFLICT where the name was used for other problems; nothing is published then
 */
export async function publishProblems(
  log: EventLog,
  rows: readonly unknown[],
  {
    nowMs,
    subject,
    repeatKey,
    tenant = DEFAULT_TENANT,
    together = [],
    ...from
  }: {
    readonly nowMs: number;
    readonly subject: string | null;
    readonly repeatKey: string | null;
    /** Records that are in the log with the problems, or not at all. */
    readonly together?: readonly NewRecord[];
  } & PublishedFrom,
): Promise<readonly PublishedProblem[]> {
  const text = rows.map((row) => JSON.stringify(row)).join('\n');
  const settings = { ...readingSettings({ fractions: '0.9,0.05,0.05', splitSeed: '0' }), ungraded: true };
  const idOfRow = (row: number): string => derivedId(`${clientIn(tenant, subject ?? '')}/${repeatKey}`, 'problem', row);
  const records: NewRecord[] = [];
  const published: PublishedProblem[] = [];
  const faults: RowFault[] = [];
  for await (const reading of readProblems(bytesInMemory(Buffer.from(text)), settings)) {
    if (reading.status === 'faulty') faults.push(...reading.faults);
    if (reading.status !== 'problem' && reading.status !== 'ungraded') continue;
    const { problem, row } = reading;
    const problemId = chosenIdIn(tenant, problem.problemId) ?? (repeatKey === null ? newId() : idOfRow(row));
    published.push({ problemId });
    const owned = subject === null ? problem : { ...problem, subject };
    records.push(problemRecord(owned, problemId, 'explore', nowMs, { ...from, tenant }));
  }
  if (faults.length > 0 || published.length !== rows.length) {
    const [first] = faults;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish: ${faults.map(({ row, field, expected, came }) => `problem ${row} ${field}: expected ${expected}, got ${came}`).join('; ')}. Correct them.`,
      { details: first === undefined ? {} : { param: `problems.${first.row - 1}.${first.field}` } },
    );
  }
  if (repeatKey !== null && !(await saysTheSame(log, records, idOfRow(rows.length + 1))))
    throw new SeamError(
      'CONFLICT',
      'Cannot publish under this name again: expected the problems of its first request, got others. Nothing was recorded. Use a new name.',
    );
  await log.append([...records, ...together]);
  return published;
}

/** An id of a client of the default tenant that looks like one of the system's own could be that of another tenant's problem: it becomes another. */
function chosenIdIn(tenant: string, own: string | undefined): string | undefined {
  return own !== undefined && tenant === DEFAULT_TENANT && LIKE_OURS.test(own)
    ? derivedId(own, 'problem')
    : ownIdIn(tenant, own);
}
