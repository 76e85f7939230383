/** Checks a file of problems and publishes them, each once. It returns what became of every row. */
import { type Duplicate, QuestionIndex, type ReadingSettings, readProblems } from '@seamstream/datasets';
import type { Claim, EventLog, NewRecord } from '@seamstream/event-log';
import { clientIn } from '@seamstream/events';
import { type Clock, count, isSeamError, plural, SeamError } from '@seamstream/kernel';
import type { ReadingProgress } from '@seamstream/log-reader';
import { checkTenant } from '../access/index.js';
import { type ChosenRows, chooseRows, type RowCounts, type RowsKnown, stoppedAfter } from './choose-rows.decide.js';
import { checkFile, type DatasetFile, type InputDoor, openDataset, problemIdOf, renderFaults } from './dataset-file.js';
import { addFiles, countDuplicates, type DuplicatePolicy, OWN_FILE, renderDuplicates } from './duplicates.js';
import { type ExpiredPolicy, type ExpiredRow, tellExpired } from './expired.js';
import { assertNewEnough, type KnownQuestion, knownQuestions, questionKey, renderKnown } from './known-questions.js';
import {
  APPEND_RECORDS,
  ownIdIn,
  type PublishableRow,
  type PublishMode,
  planPublication,
  problemRecord,
  publishedAmong,
} from './publication.js';

/** What is requested, apart from the file. */
export interface PublishRequest {
  readonly mode: PublishMode;
  /** Files that are kept for testing. */
  readonly against: readonly string[];
  readonly duplicates?: DuplicatePolicy;
  readonly expired: ExpiredPolicy;
  /** Share of common three-word runs from which questions are near duplicates. */
  readonly similarity: number;
  /** Most problems to publish. */
  readonly limit?: number;
  /** Once more, under new ids. */
  readonly again?: true;
  /** Checks only: the log is not opened. */
  readonly dryRun?: true;
  /** The person who publishes; recorded. */
  readonly by: string;
  /** Whose problems they become. */
  readonly tenant: string;
}

interface PublishWorld extends InputDoor {
  readonly clock: Clock;
  /** Ends the appending between two steps. */
  readonly signal: AbortSignal;
  openLog(): Promise<EventLog>;
  /** Is called with each remark for a person, as soon as it is known. */
  readonly tell: (remark: string) => void;
  readonly progress: (total: number) => ReadingProgress;
}

export interface Published {
  readonly file: DatasetFile;
  /** Name of the form that the file was read as. */
  readonly form: string;
  /** 0: the file's first publication; n: its n-th repetition. */
  readonly pass: number;
  /** Problems that were to be published; more than were published if a person stopped it. */
  readonly wanted: number;
  readonly counts: RowCounts;
  /** Reached rows whose time is up, regardless of what became of them. */
  readonly expired: readonly ExpiredRow[];
  /** Null where it was not requested. */
  readonly duplicates: Pick<NonNullable<Checked['duplicates']>, 'within' | 'across'> | null;
  /** Questions that the log holds from elsewhere. */
  readonly known: readonly KnownQuestion[];
}

/** What the first reading of a file leaves: its good rows, none of them recorded. */
interface Checked {
  readonly rows: readonly PublishableRow[];
  /** Null where it was not requested. */
  readonly duplicates: {
    readonly within: readonly Duplicate[];
    readonly across: readonly Duplicate[];
    /** Rows that are not published for it. */
    readonly skipped: ReadonlySet<number>;
  } | null;
  /** Of bad rows that a limit may stop short of: refuses the file where one of them comes before the given row. */
  readonly refuseBadBefore: (row: number) => void;
}

/**
 * Checks every row of the file, then reads it again and publishes its problems.
 * @param settingsFor how the file is read
 * @throws INVALID_INPUT listing the bad rows or the duplicates; CONFLICT where the log holds what may not be there. Nothing is recorded then.
 */
export async function publishFile(
  world: PublishWorld,
  path: string,
  settingsFor: (file: DatasetFile) => Promise<ReadingSettings>,
  request: PublishRequest,
): Promise<Published> {
  const { tenant } = request;
  checkTenant('publish', tenant);
  const file = await openDataset(world, path);
  const source = sourceOf(file, tenant);
  const settings = await settingsFor(file);
  const checked = await check(world, file, settings, request);
  const { rows, duplicates } = checked;
  const left = duplicates?.skipped ?? new Set<number>();
  const candidates = rows.filter(({ row }) => !left.has(row));
  const nowMs = world.clock.now();
  const choose = (known: Omit<RowsKnown, 'duplicates'>): ChosenRows => {
    const choice = { policy: request.expired, limit: request.limit, nowMs };
    const chosen = chooseRows(rows, { ...known, duplicates: left }, choice);
    const isCut = chosen.idOfRow.size === request.limit;
    checked.refuseBadBefore(isCut ? [...chosen.idOfRow.keys()].at(-1)! : Number.POSITIVE_INFINITY);
    const { expired, published } = chosen.counts;
    const told = tellExpired(chosen.expired, published + expired, file, request.expired);
    if (told !== null) world.tell(told);
    if (published === 0) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot publish ${file.name}: expected a problem that can still be solved, but all ${count(expired)} have expired. Nothing was recorded.`,
        { details: { file: file.name } },
      );
    }
    return chosen;
  };
  const about = { file, form: settings.form.name, duplicates };
  if (request.dryRun) {
    const asNew = new Map(candidates.map(({ row, ownId }) => [row, ownId ?? problemIdOf(source.digest, row, 0)]));
    const { counts, expired } = choose({ elsewhere: new Set(), idOfRow: asNew });
    return { ...about, pass: 0, wanted: counts.published, counts, expired, known: [] };
  }

  const log = await world.openLog();
  // A claim's name has no slash. Before the look: who publishes the same file has recorded what is seen then, and records no more.
  const claim = await log.claim(`publish.${source.digest.replace('/', '.')}`);
  const known = request.again === true ? [] : await questionsInLog(log, candidates, file, request);
  const isSkipped = request.duplicates === 'skip';
  const elsewhere = new Set(isSkipped ? known.map(({ row }) => row) : []);
  const fresh = candidates.filter(({ row }) => !elsewhere.has(row));
  const plan = await planPublication(fresh, source, (ids) => publishedAmong(log, ids), request.again === true);
  const chosen = choose({ elsewhere, idOfRow: plan.idOfRow });
  const toTell = known.filter(({ row }) => isSkipped || chosen.idOfRow.has(row));
  if (toTell.length > 0) world.tell(knownRemark(toTell, file, isSkipped));
  const published = await append(world, { log, claim }, file, settings, chosen, request);
  const counts = stoppedAfter(published, chosen.counts);
  return { ...about, pass: plan.pass, wanted: chosen.counts.published, counts, expired: chosen.expired, known };
}

function knownRemark(known: readonly KnownQuestion[], file: DatasetFile, isSkipped: boolean): string {
  const verb = isSkipped
    ? 'skipped: the log holds them already'
    : 'published once more: the log holds them already (--duplicates skip leaves them out)';
  return `${plural(known.length, 'question')} of ${file.name} ${verb}:\n${renderKnown(known, file)}`;
}

/** What ids of rows follow from: of one file each tenant has its own problems. */
function sourceOf({ digest, unit }: DatasetFile, tenant: string): Pick<DatasetFile, 'digest' | 'unit'> {
  return { digest: clientIn(tenant, digest), unit };
}

/** The file's questions that the log holds as others' problems. @throws CONFLICT where the policy allows none of them, or leaves nothing */
async function questionsInLog(
  log: EventLog,
  rows: readonly PublishableRow[],
  file: DatasetFile,
  { duplicates, tenant }: Pick<PublishRequest, 'duplicates' | 'tenant'>,
): Promise<readonly KnownQuestion[]> {
  const { digest } = sourceOf(file, tenant);
  const ownIds = new Set(rows.map(({ row, ownId }) => ownId ?? problemIdOf(digest, row, 0)));
  const known = await knownQuestions(log, rows, tenant, ownIds);
  assertNewEnough(known, rows, file, duplicates);
  return known;
}

/** First reading: every row is checked and encoded, so that what cannot be recorded is refused as a whole. */
async function check(
  world: PublishWorld,
  file: DatasetFile,
  settings: ReadingSettings,
  options: PublishRequest,
): Promise<Checked> {
  const { against, mode, limit = Number.POSITIVE_INFINITY, similarity, tenant } = options;
  const policy = options.duplicates;
  const index = against.length > 0 || policy !== undefined ? new QuestionIndex({ threshold: similarity }) : undefined;
  const others = index === undefined ? [] : await addFiles(world, against, settings.form, index);
  const good: PublishableRow[] = [];
  const now = world.clock.now();
  const checked = await checkFile(file, settings, (problem) => {
    const { row, expiresAt } = problem;
    const ownId = ownIdIn(tenant, problem.problemId);
    problemRecord(problem, ownId ?? problemIdOf(file.digest, row, 0), mode, now, { tenant });
    index?.add(OWN_FILE, row, problem.prompt, problem.reference ?? '');
    good.push({
      ...{ row, ownId, questionKey: questionKey(problem.prompt), expiresAt },
      ...{ mode: problem.mode ?? mode, answer: (problem.reference ?? '').trim() },
    });
  });
  const { form, split } = settings;
  const firstBad = checked.faults[0]?.row ?? Number.POSITIVE_INFINITY;
  const refuseBadBefore = (row: number): void => {
    if (firstBad >= row) return;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish ${file.name} (as ${form.name}): ${count(checked.badRows)} of ${plural(checked.rows, file.unit)} cannot be used; nothing was recorded.\n${renderFaults(file, checked)}\nCorrect these ${file.unit}s and publish again. A ${file.unit} looks like this: ${form.example}`,
      { details: { file: file.name, rows: checked.rows, badRows: checked.badRows, faults: checked.faults } },
    );
  };
  // A limit may stop short of the first bad row, unless not even as many rows stand before it.
  refuseBadBefore(good[limit - 1]?.row ?? Number.POSITIVE_INFINITY);
  if (good.length === 0) {
    const came = split === undefined || checked.rows === 0 ? 'none' : `none in the part ${split.part}`;
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish ${file.name}: expected at least one ${file.unit}, got ${came}. A ${file.unit} looks like this: ${form.example}`,
      { details: { file: file.name } },
    );
  }
  const duplicates =
    index === undefined ? null : duplicatesOf(world, good, index, [file, ...others], options.duplicates);
  return { rows: good, duplicates, refuseBadBefore };
}

/** A near question is another one within a file, and a leak between files. */
function duplicatesOf(
  { tell }: PublishWorld,
  rows: readonly PublishableRow[],
  index: QuestionIndex,
  files: readonly DatasetFile[],
  policy: DuplicatePolicy | undefined,
): Checked['duplicates'] {
  const within = index.within(OWN_FILE);
  const across = index.across(
    OWN_FILE,
    files.map((_, at) => at).filter((at) => at !== OWN_FILE),
  );
  const repeated = within.filter(({ kind }) => kind === 'exact');
  const refused = [...((policy ?? 'refuse') === 'refuse' ? across : []), ...(policy === 'refuse' ? repeated : [])];
  if (refused.length > 0) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish ${files[OWN_FILE]!.name}: expected questions that are nowhere else, got ${count(refused.length)} that are; nothing was recorded.\n${renderDuplicates(refused, files)}Publish the others with --duplicates skip, or all of them with --duplicates report.`,
      {
        details: {
          within: countDuplicates(within),
          across: countDuplicates(across),
          duplicates: refused.slice(0, 100),
        },
      },
    );
  }
  const skipped = new Set(policy === 'skip' ? [...across, ...repeated].map(({ row }) => row) : []);
  const found = [...across, ...within];
  if (found.length > 0) {
    const verb = policy === 'skip' ? `, ${count(skipped.size)} of them skipped` : '';
    tell(`${plural(found.length, 'duplicate')}${verb}:\n${renderDuplicates(found, files).trimEnd()}`);
  }
  if (skipped.size === rows.length) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot publish ${files[OWN_FILE]!.name}: expected questions that are nowhere else, but all ${count(rows.length)} are duplicates. Nothing was recorded.`,
    );
  }
  return { within, across, skipped };
}

/** Second reading: appends the planned rows in steps. Returns how many it appended before it was done or stopped. */
async function append(
  { signal, clock, progress: begin }: PublishWorld,
  { log, claim }: { readonly log: EventLog; readonly claim: Claim },
  file: DatasetFile,
  settings: ReadingSettings,
  { idOfRow }: ChosenRows,
  { mode, by, tenant }: Pick<PublishRequest, 'mode' | 'by' | 'tenant'>,
): Promise<number> {
  const progress = begin(idOfRow.size);
  let published = 0;
  let step: NewRecord[] = [];
  const flush = async (): Promise<void> => {
    await log.transact({ records: step, consumed: { claim, offsets: [] } });
    published += step.length;
    progress.advance(step.length);
    step = [];
  };
  try {
    for await (const reading of readProblems(file.bytes, settings)) {
      const problemId = idOfRow.get(reading.row);
      if (problemId === undefined) continue;
      if (reading.status !== 'problem' && reading.status !== 'ungraded') break;
      step.push(problemRecord(reading.problem, problemId, mode, clock.now(), { by, tenant }));
      if (step.length === APPEND_RECORDS) await flush();
      if (signal.aborted) return published;
      if (published + step.length === idOfRow.size) break;
    }
    if (step.length > 0) await flush();
  } catch (error) {
    if (!isSeamError(error, 'FENCED')) throw error;
    throw new SeamError(
      'CONFLICT',
      `Cannot publish ${file.name}: expected to be the only process that does, but it lost its claim after ${count(published)} of ${plural(idOfRow.size, 'problem')}: another process publishes the same file and continues there, or the log was out of reach. If anything is missing, the same command continues.`,
      { details: { published, problems: idOfRow.size, fileDigest: file.digest }, cause: error },
    );
  } finally {
    progress.stop();
  }
  if (published < idOfRow.size) {
    throw new SeamError(
      'CONFLICT',
      `Cannot publish ${file.name}: expected the file that was checked, but it changed while it was read; ${count(published)} of ${plural(idOfRow.size, 'problem')} were recorded. Publish it again when no program writes to it.`,
    );
  }
  return published;
}
