/** The page of self-edits in a real browser, next to `seam restem status` and `seam edits tried` on the same log, while attempts arrive. */
import { jest } from '@jest/globals';
import type { EventOf, SeamEvent } from '@seamstream/events';
import { derivedId } from '@seamstream/kernel';
import type { SelfTrainingReport } from '@seamstream/operations/restem';
import type { EditedPassage } from '@seamstream/read-models';
import { EXAMPLE_EVENTS } from '@seamstream/testing/example-events';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const HOSTILE = '<img src=x onerror="document.title=1">';
const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of self-edits', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    demonstration = await Demonstration.of([started(), published(0), published(1)]);
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });
  const visit = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${demonstration.url}${path}`);
    await settled(page);
  };

  it('shows attempts that arrive while one looks, as the commands print them', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Self-edits', exact: true }).click();
    await settled(page);
    await page.getByText('No edit was tried yet.').waitFor();
    const row = page.locator('[data-iteration="1"]');
    await row.getByText('0 of 2').waitFor();
    await demonstration.append([
      ...[control(0, 0.25), tried(0, 0, 0.25, 1), tried(0, 1, 0.25, 0.5), tried(1, 0, 0.5, 0.5)],
      { ...tried(1, 1, 0.5, 0), editRefusal: { reason: 'too_short', detail: 'tokens 3' } },
    ]);
    await row.getByText('2 of 2').waitFor();
    const { selfTrainings } = await demonstration.seam<{ selfTrainings: SelfTrainingReport[] }>('restem', 'status');
    const [figures] = selfTrainings[0]!.iterations;
    const cell = (name: string) => row.locator(`[data-value="${name}"]`).textContent();
    expect(await cell('attempts')).toBe(String(figures!.attempts));
    expect(await cell('refused')).toBe('1 (too_short 1)');
    expect(await cell('kept')).toBe(percent(figures!.gaining!));
    expect(await cell('reward')).toBe(figures!.reward!.mean.toFixed(3));
    expect(await cell('gain')).toBe(`+${(figures!.reward!.mean - figures!.control!).toFixed(3)}`);
    expect(await cell('right-before')).toBe(percent(figures!.measured!.before!));
    expect(await cell('right-after')).toBe(percent(figures!.measured!.after!));
    expect(await page.locator('[data-value="idle"]').textContent()).toContain('spent 5 of 40 attempts, 0 of 600 s');
    await page.getByText('2 passages, newest first').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows by keys an edit of a passage with the questions right before and after it', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/self-edits');
    const { passages } = await demonstration.seam<{ passages: EditedPassage[] }>('edits', 'tried');
    for (const { problemId, tried: all } of passages) {
      await page.keyboard.press('j');
      const peek = page.getByRole('complementary', { name: 'The chosen passage' });
      await page.waitForFunction(`location.search.includes(${JSON.stringify(encodeURIComponent(problemId))})`);
      const edits = all.filter(({ edit }) => edit !== null);
      expect(edits).toHaveLength(2);
      for (const { experienceId, before, after } of edits) {
        const edit = peek.locator(`[data-edit="${experienceId}"]`);
        await edit.getByText(HOSTILE).waitFor();
        await edit.getByText(`${percent(before!)} right before, ${percent(after!)} after`).waitFor();
      }
    }
    expect(await page.locator('main img').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('answers what the commands print', async () => {
    expect(await demonstration.view('self-trainings')).toEqual(await demonstration.seam('restem', 'status'));
    expect(await demonstration.view('edits')).toEqual(await demonstration.seam('edits', 'tried'));
  });

  it.each(['light', 'dark'] as const)('breaks no rule of axe, %s', async (scheme) => {
    const { page } = await openPage(browser!, scheme);
    const path = `/self-edits?peek=${problemOf(0).problemId}`;
    await visit(page, path);
    expect([path, await violationsOn(page)]).toEqual([path, []]);
  });
});

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

const OUTCOME = EXAMPLE_EVENTS.OutcomeRecorded;

function started(): SeamEvent {
  const idle = { maxAttempts: 40, maxSeconds: 600 };
  const configuration = JSON.stringify({ iterations: 2, passages: 2, patience: 0, idle, algorithm: {} });
  return { ...EXAMPLE_EVENTS.SelfTrainingStarted, selfTrainingId: 'training-1', configuration };
}

const problemOf = (row: number) => ({
  ...EXAMPLE_EVENTS.ProblemPublished.problem,
  problemId: derivedId('training-1', 'iteration/1', row),
  metadata: { selfTraining: 'training-1', iteration: '1' },
});

const published = (row: number): SeamEvent => ({
  ...EXAMPLE_EVENTS.ProblemPublished,
  ...{ problem: problemOf(row), meta: { ...EXAMPLE_EVENTS.ProblemPublished.meta, messageId: `published-${row}` } },
});

/** An edit that was tried, with the questions right before and after it. */
function tried(
  row: number,
  candidateIndex: number,
  accuracyBefore: number,
  accuracyAfter: number,
): EventOf<'OutcomeRecorded'> {
  const experienceId = `edit-${row}-${candidateIndex}`;
  return {
    ...OUTCOME,
    ...{ meta: { ...OUTCOME.meta, messageId: experienceId }, problem: problemOf(row), experienceId },
    ...{ groupId: `group-${row}`, candidateIndex, groupSize: 2, arm: 'explore', adapterDigest: 'ab'.repeat(32) },
    ...{ entry: JSON.stringify({ edit: HOSTILE }), reward: accuracyAfter, success: accuracyAfter === 1 },
    measurement: {
      ...{ reward: 'accuracy-gain@1', form: 'continuous', threshold: 0, value: accuracyAfter - accuracyBefore },
      ...{ earned: accuracyAfter, accuracyBefore, accuracyAfter, lossBefore: null, lossAfter: null },
    },
  };
}

/** A passage that was asked without an edit. */
function control(row: number, reward: number): EventOf<'OutcomeRecorded'> {
  return {
    ...tried(row, 0, reward, reward),
    ...{ meta: { ...OUTCOME.meta, messageId: `control-${row}` }, experienceId: `control-${row}` },
    ...{
      groupId: `control-${row}`,
      groupSize: 1,
      arm: 'control',
      entry: null,
      adapterDigest: null,
      reward,
      measurement: null,
    },
  };
}
