/** Every page in a real browser, clicked through as a person does, next to the command line on the same log. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';
import { encodeEvent, originMeta } from '@seamstream/events';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

// Two rounds of the demonstration take a minute on two quiet cores.
jest.setTimeout(600_000);

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>';
const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The dashboard', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    demonstration = await Demonstration.run();
    await addHostileRecords(demonstration.folder);
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
  const text = async (page: Page, name: string): Promise<string> =>
    (await page.locator(`[data-value="${name}"]`).first().textContent()) ?? '';

  it('shows the numbers that the command line prints', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    const lift = await demonstration.seam<{
      modes: Record<string, { rate: number; value: number; problems: number }>[];
    }>('lift');
    const ledger = await demonstration.seam<Record<string, number>>('ledger');
    const [mode] = lift.modes;
    expect(await text(page, 'lift')).toBe(points(mode!.lift!.value));
    expect(await text(page, 'treated')).toBe(percent(mode!.treated!.rate));
    expect(await text(page, 'control')).toBe(percent(mode!.control!.rate));
    for (const name of ['published', 'solved', 'failed'])
      expect(await text(page, name)).toBe(ledger[name]!.toLocaleString('en'));
    const { facts } = await demonstration.seam<{
      facts: { fact: string; now: { outcomes: number; successes: number } | null }[];
    }>('learned');
    const { fact, now } = facts.find((each) => each.now !== null)!;
    const cell = page.locator(`[data-fact="${fact}"]`).first();
    expect(await cell.textContent()).toBe(`${fact} ${Math.round((100 * now!.successes) / now!.outcomes)} %`);
    const buffer = await demonstration.seam<{ admitted: number; last: { rows: number } }>('buffer');
    await page.getByRole('link', { name: 'Buffer', exact: true }).click();
    await settled(page);
    expect(await text(page, 'admitted')).toBe(buffer.admitted.toLocaleString('en'));
    expect(await text(page, 'rows')).toBe(buffer.last.rows.toLocaleString('en'));
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'says what the run was begun with, as "seam status" does, and leads to its report, %s',
    async (scheme) => {
      const { page, complaints } = await openPage(browser!, scheme);
      await visit(page, '/');
      const { start } = await demonstration.seam<{ start: { seed: number; commands: string[] } }>('status');
      expect(await text(page, 'seed')).toBe(String(start.seed));
      expect(start.commands).toEqual([expect.stringContaining('seam start --exit --method experiences --seed 1')]);
      expect(await page.locator('[data-value="command"]').allTextContents()).toEqual(start.commands);
      const address = await page.getByRole('link', { name: 'Its report' }).getAttribute('href');
      await page.goto(`${demonstration.url}${address}`);
      await page.getByRole('heading', { level: 2, name: 'Success rate per round' }).waitFor();
      // Its own styles are applied, and nothing else is.
      expect(await page.evaluate(`getComputedStyle(document.querySelector('.facts')).display`)).toBe('grid');
      expect([await violationsOn(page), complaints]).toEqual([[], []]);
      await visit(page, '/?asOf=2001-01-01T00:00:00.000Z');
      expect(await page.getByText('The same again').count()).toBe(0);
    },
  );

  it('says why run.json cannot be read, as "seam status" does, and shows all the rest', async () => {
    const { page, complaints } = await openPage(browser!);
    const file = join(demonstration.folder, 'run.json');
    const kept = await readFile(file, 'utf8');
    await writeFile(file, '{"format":2}');
    try {
      await visit(page, '/');
      const { startUnread, ledger } = await demonstration.seam<{ startUnread: string; ledger: { published: number } }>(
        'status',
      );
      expect(startUnread).toMatch(/^Cannot read .*run\.json: expected what this folder was begun with/);
      expect(await page.getByText(startUnread).count()).toBe(1);
      expect(await text(page, 'published')).toBe(ledger.published.toLocaleString('en'));
      expect([await violationsOn(page), complaints]).toEqual([[], []]);
    } finally {
      await writeFile(file, kept);
    }
    await visit(page, '/');
    expect(await page.locator('[data-value="command"]').count()).toBe(1);
  });

  it.each([
    ['overview', ['status'], 'overview.status', ''],
    ['overview', ['lift'], 'overview.lift', ''],
    ['runs', ['runs'], 'runs', 'runs'],
    ['releases', ['release', 'status'], '', ''],
    ['adapters', ['adapters'], 'versions', 'versions'],
    ['facts', ['learned'], 'facts', 'facts'],
    ['success', ['replay', '--read-model', 'success'], '', 'answer'],
    ['dead-letters', ['dead-letters', 'list'], '', ''],
    ['doctor', ['doctor'], 'findings', 'findings'],
  ])('answers %s as "seam %j" does', async (view, command, partOfView, partOfCommand) => {
    const [one, other] = [await demonstration.view(view), await demonstration.seam(...command)];
    // What a command says of its snapshots is about the command.
    expect(other).toMatchObject(partOf(one, partOfView, partOfCommand));
  });

  it('leads a person from the first page to a problem, its adapter and the run that made it', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Problems', exact: true }).click();
    await page.getByLabel('became').selectOption('solved');
    await settled(page);
    expect(new URL(page.url()).search).toBe('?standing=solved');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'The chosen problem' }).getByText('Question').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Problem / }).waitFor();
    await page.locator('.candidate').first().waitFor();
    expect(await page.locator('.candidate').count()).toBeGreaterThan(0);
    const run = page.locator('.timeline a[href^="/training/"]').first();
    await run.click();
    await page.getByRole('heading', { level: 1, name: /^Run/ }).waitFor();
    await page
      .getByRole('link', { name: /^[0-9a-f]{8}$/ })
      .last()
      .waitFor();
    await visit(page, '/adapters');
    await page.locator('.lineage a').first().click();
    await page.getByRole('heading', { level: 1, name: /^Adapter v1/ }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Adapters' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('finds an id, pauses, and shows its keys', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/log');
    const { versions } = await demonstration.view<{ versions: { adapterDigest: string }[] }>('adapters');
    await page.locator('body').press('/');
    await page.keyboard.type(versions[0]!.adapterDigest.slice(0, 10));
    await page.getByRole('link', { name: /^adapter 1/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Adapter v1' }).waitFor();
    await page.locator('main').press('p');
    await page.getByRole('button', { name: 'paused' }).waitFor();
    await page.locator('main').press('p');
    await page.getByRole('button', { name: 'live' }).waitFor();
    await page.locator('main').press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor({ state: 'hidden' });
    expect(complaints).toEqual([]);
  });

  it('finds an experience and its verdict in the log by its id', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    const filter = encodeURIComponent("type = 'OutcomeRecorded' and success = true");
    const { records } = await demonstration.view<{ records: { event: { experienceId: string } }[] }>(
      `log?filter=${filter}&limit=1`,
    );
    await page.locator('body').press('/');
    await page.keyboard.type(records[0]!.event.experienceId);
    await page.keyboard.press('Enter');
    for (const type of ['ExperienceGenerated', 'OutcomeRecorded'])
      await page.locator('.long-table .body .row').getByText(type).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('filters the log, walks to causes, and shows what is no event', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/log');
    const filter = page.getByLabel('filter');
    await filter.fill("type = 'OutcomeRecorded' and success = true");
    await filter.press('Enter');
    await settled(page);
    await page.locator('.long-table .body .row').first().click();
    await page.getByRole('link', { name: 'its cause' }).click();
    await page.locator('.long-table').getByText('ExperienceGenerated').first().waitFor();
    await filter.fill("error = 'MALFORMED_RECORD'");
    await filter.press('Enter');
    await page.locator('.long-table').getByText('MALFORMED_RECORD').first().waitFor();
    await filter.fill('constructor.constructor("x")()');
    await filter.press('Enter');
    await page.getByText('Cannot read the filter').waitFor();
    // The refusal itself is an answer of status 400, which the console reports.
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([]);
  });

  it('shows text of strangers as text', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/problems?text=hostile');
    await page.locator('.long-table').getByText('onerror').first().waitFor();
    await visit(page, '/problems/hostile');
    await page.locator('.story').getByText('onerror').first().waitFor();
    expect(await page.title()).not.toContain('owned');
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('breaks no rule of axe on any page, %s', async (scheme) => {
    const { page, complaints } = await openPage(browser!, scheme);
    const { recent } = await idsOf(demonstration);
    for (const path of [
      '/',
      '/problems',
      `/problems?peek=${recent.problem}`,
      `/problems/${recent.problem}`,
      '/adapters',
      `/adapters/${recent.adapter}`,
      '/releases',
      '/training',
      `/training/${recent.run}`,
      '/libraries',
      '/teams',
      '/self-edits',
      '/buffer',
      '/log',
      '/dead-letters',
      '/cost',
      '/doctor',
      '/problems?text=no-such-words',
    ]) {
      await visit(page, path);
      expect([path, await violationsOn(page)]).toEqual([path, []]);
    }
    expect(complaints).toEqual([]);
  });

  it('continues by itself after the gateway was killed and started again', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    const before = await text(page, 'published');
    await demonstration.kill();
    await page.getByRole('button', { name: 'not connected' }).waitFor();
    // It is still read, as it was.
    expect(await text(page, 'published')).toBe(before);
    await demonstration.seam('publish', await problemFile(demonstration.folder));
    await demonstration.serve();
    await page.getByRole('button', { name: 'live' }).waitFor({ timeout: 60_000 });
    await page.waitForFunction(
      `document.querySelector('[data-value="published"]')?.textContent !== ${JSON.stringify(before)}`,
      undefined,
      { timeout: 60_000 },
    );
    const { published } = await demonstration.seam<{ published: number }>('ledger');
    expect(await text(page, 'published')).toBe(published.toLocaleString('en'));
    expect(complaints).toEqual([]);
  });

  it('closes its stream while it is hidden', async () => {
    const { page } = await openPage(browser!);
    const ended: string[] = [];
    page.on('requestfailed', (request) => ended.push(request.url()));
    page.on('requestfinished', (request) => ended.push(request.url()));
    await visit(page, '/');
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
    await page.waitForTimeout(500);
    expect(ended.some((url) => url.includes('/api/stream'))).toBe(true);
  });

  it('is at most 60 kB of script at first, compressed, and says how long its files may be kept', async () => {
    const { page } = await openPage(browser!);
    const scripts: string[] = [];
    page.on('response', (response) => {
      if (response.url().endsWith('.js')) scripts.push(response.url());
    });
    await visit(page, '/');
    let bytes = 0;
    for (const url of scripts) {
      const name = new URL(url).pathname;
      const built = await readFile(join('apps/dashboard/dist', `${name}.gz`));
      const answer = await fetch(url, { headers: { 'accept-encoding': 'gzip' } });
      expect(answer.headers.get('cache-control')).toContain('immutable');
      expect(Buffer.from(await answer.arrayBuffer()).equals(gunzipSync(built))).toBe(true);
      bytes += built.length;
    }
    process.stderr.write(`first view: ${(bytes / 1000).toFixed(1)} kB of script\n`);
    expect(scripts.length).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(60_000);
    const index = await fetch(demonstration.url);
    expect(index.headers.get('cache-control')).toBe('no-cache');
    expect(index.headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

const points = (value: number): string => `${value >= 0 ? '+' : '−'}${Math.abs(value * 100).toFixed(1)}`;
const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;

/** A part of an answer by its path, at the path where another answer has it. */
function partOf(answer: unknown, path: string, at: string): object {
  const names = path.split('.').filter(Boolean);
  const part = names.reduce((found, name) => (found as Record<string, unknown>)[name], answer);
  return (at === '' ? part : { [at]: part }) as object;
}

async function idsOf(
  demonstration: Demonstration,
): Promise<{ recent: { problem: string; adapter: string; run: string } }> {
  const { rows } = await demonstration.view<{ rows: { problemId: string }[] }>('problems?standing=solved&limit=1');
  const { versions } = await demonstration.view<{ versions: { adapterDigest: string }[] }>('adapters');
  const { runs } = await demonstration.view<{ runs: { runId: string }[] }>('runs');
  return { recent: { problem: rows[0]!.problemId, adapter: versions[0]!.adapterDigest, run: runs[0]!.runId } };
}

async function problemFile(folder: string): Promise<string> {
  const path = join(folder, 'more.jsonl');
  await writeFile(path, `${JSON.stringify({ question: 'How many are 3 and 4?', answer: '7' })}\n`);
  return path;
}

/** A problem whose words are markup, a record that is no event, and the dead letter that came of it. */
async function addHostileRecords(folder: string): Promise<void> {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  const meta = originMeta({
    messageId: 'hostile-1',
    correlationId: 'hostile',
    source: 'seam/test',
    occurredAt: Date.now(),
    sourceClass: 'user',
  });
  await log.append([
    encodeEvent({
      type: 'ProblemPublished',
      meta,
      problem: {
        problemId: 'hostile',
        domain: HOSTILE,
        prompt: HOSTILE,
        reference: HOSTILE,
        verifier: { kind: 'exact', version: '1', options: {} },
        metadata: {},
      },
      mode: 'explore',
      expiresAt: null,
      feedbackWithinMs: null,
      task: null,
    }),
    { topic: 'seam.outcomes', key: 'hostile', value: Buffer.from(HOSTILE) },
    encodeEvent({
      type: 'DeadLettered',
      meta: { ...meta, messageId: 'hostile-2' },
      ...{
        topic: 'seam.outcomes',
        partition: 0,
        offset: 0,
        group: 'seam.buffer',
        code: 'MALFORMED_RECORD',
        reason: HOSTILE,
      },
      ...{ key: 'hostile', value: Buffer.from(HOSTILE), headers: {}, attempts: 1 },
    }),
  ]);
  await log.close();
}
