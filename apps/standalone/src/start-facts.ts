/** What a data folder was begun with, for people: settings, limits, and the commands that repeat the run. From the folder alone. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StartFacts, ToldStart } from '@seamstream/gateway';
import { isSeamError } from '@seamstream/kernel';
import { z } from 'zod';
import { commandsOf } from './report/commands-of.js';
import { readRunFile } from './run-settings.js';

/** Where a start writes its report, as figures and as a page. */
export const reportPaths = (dataDir: string): { readonly figures: string; readonly page: string } => ({
  figures: join(dataDir, 'report.json'),
  page: join(dataDir, 'report.html'),
});

const reportedSchema = z.object({ commands: z.array(z.string()) });

/** The facts, or why they cannot be read: who looks at a folder in trouble shall see the rest of it. */
export async function toldStart(dataDir: string): Promise<ToldStart> {
  try {
    return { start: await startFacts(dataDir), unread: null };
  } catch (error) {
    if (isSeamError(error)) return { start: null, unread: error.message };
    throw error;
  }
}

/**
 * Null for a folder without rounds.
 * @throws INVALID_CONFIGURATION where run.json holds something else
 */
export async function startFacts(dataDir: string): Promise<StartFacts | null> {
  const run = await readRunFile(dataDir);
  if (run === null) return null;
  const { settings, limits, version, begunAt, test } = run;
  const { method, seed, algorithm, roundSize, preset, problems, validation } = settings;
  const reported = await reportedCommands(dataDir);
  // A report that is older than the last limits does not repeat the run, and is not the run's.
  const own = reported?.length === limits.length ? reported : null;
  return {
    ...{ method, seed, algorithm, roundSize, preset, version, begunAt },
    ...{ problems: problems?.path ?? null, validation: validation?.path ?? null, test: test?.path ?? null },
    limits: limits.map(({ since, maxRounds, maxShiftedRounds }) => ({ since, maxRounds, maxShiftedRounds })),
    // A report says on how many problems it measured.
    commands: own ?? commandsOf({ run, heldOutProblems: null, testFile: test?.path ?? null }),
    hasReport: own !== null && existsSync(reportPaths(dataDir).page),
  };
}

/** The page that the last report was written to; null where there is none. */
export function reportPageIn(dataDir: string): Promise<string | null> {
  return readFile(reportPaths(dataDir).page, 'utf8').catch(() => null);
}

/** Null without a report, and where something else lies in its place. */
async function reportedCommands(dataDir: string): Promise<readonly string[] | null> {
  const text = await readFile(reportPaths(dataDir).figures, 'utf8').catch(() => null);
  if (text === null) return null;
  try {
    return reportedSchema.parse(JSON.parse(text)).commands;
  } catch {
    return null;
  }
}
