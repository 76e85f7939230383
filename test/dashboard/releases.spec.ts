/** The pages of releases in a real browser, next to `seam release status` on the same log, while people and the rule decide. */
import { jest } from '@jest/globals';
import type { LiftAnswers } from '@seamstream/operations/read-models';
import type { PlainReleases } from '@seamstream/operations/release';
import { evaluatedByPerson, evaluationOf, promotedByRun } from '@seamstream/testing/promotion-log';
import { guardedProblems, releasePlanned, triedProblems } from '@seamstream/testing/release-log';
import type { Page } from 'playwright-core';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const CANDIDATE = 'c4'.repeat(32);
const RELEASE = '0199a000-0000-7000-8000-000000000001';
const HOSTILE = '<img src=x onerror="document.title=1">';
const STAGES = [
  { kind: 'shadow', minProblems: 10, margin: 0.1 },
  { kind: 'canary', share: 0.25, margin: 0.1, minProblems: 40 },
];
const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of releases', () => {
  let demonstration: Demonstration;
  beforeAll(async () => {
    const [start, adapter, completed] = promotedByRun({ adapterDigest: CANDIDATE });
    demonstration = await Demonstration.of([
      ...[start, adapter, completed, evaluatedByPerson(CANDIDATE, evaluationOf(0.7))],
      { ...planned(), reason: HOSTILE },
      // Of a release that is not there.
      { ...planned(), releaseId: 'other', meta: { ...planned().meta, messageId: 'second' } },
    ]);
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });
  const statusOf = () => demonstration.seam<PlainReleases>('release', 'status');
  const visit = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${demonstration.url}${path}`);
    await settled(page);
  };

  it('shows each stage as the command does, while a person and the rule decide', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/releases');
    await page.getByText('1 record do not count').waitFor();
    await page.getByRole('link', { name: RELEASE.slice(0, 8) }).click();
    await page.getByText('Nothing was decided yet.').waitFor();
    await demonstration.seam('release', 'override', RELEASE, 'advanced', '--by', 'grace', '--reason', 'no shadow');
    await page.locator('[data-value="end-0"]').getByText('advanced').waitFor();
    await page.getByText('by grace').waitFor();
    // The canary's problems come while one looks.
    const facts = { releaseId: RELEASE, stage: 1 };
    await demonstration.append([
      ...triedProblems({ ...facts, isCandidate: true, solved: 90, failed: 10 }),
      ...triedProblems({ ...facts, isCandidate: false, solved: 120, failed: 180 }),
    ]);
    await page.locator('[data-value="problems-1"]').getByText('400').waitFor();
    const [release] = (await statusOf()).releases;
    const { difference, interval } = release!.stages[1]!.estimate!;
    const shown = await page.locator('[data-value="estimate-1"]').textContent();
    expect(shown).toBe(`${points(difference)} (${points(interval[0])} to ${points(interval[1])})`);
    expect(release!.stages[1]!.problems).toBe(400);
    expect(await page.getByText('Now:').textContent()).toContain(release!.now!.reason);
    await demonstration.seam('release', 'decide');
    await page.locator('[data-value="end-1"]').getByText('promoted').waitFor();
    await page.getByText('What it rests on').last().click();
    const outcomes = (await statusOf()).releases[0]!.decisions[1]!.offsets.find(
      ({ topic }) => topic === 'seam.outcomes',
    );
    const range = `${outcomes!.from} to ${outcomes!.to}`;
    expect(await page.locator('.timeline details').last().textContent()).toContain(range);
    expect(complaints).toEqual([]);
  });

  it('answers what "seam release status --json" prints, and finds a release by the beginning of its id', async () => {
    expect(await demonstration.view('releases')).toEqual(await statusOf());
    const { page } = await openPage(browser!);
    await visit(page, '/releases');
    await page.locator('body').press('/');
    await page.keyboard.type(RELEASE.slice(0, 8));
    await page.getByRole('link', { name: /^release .*, promoted$/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: `Release ${RELEASE.slice(0, 8)}` }).waitFor();
  });

  it('shows what a guard counts in each domain, and that it muted the one with harm, as the command does', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/releases');
    await page.getByText('No guard is on.').waitFor();
    await demonstration.seam('release', 'guard', 'on', '--by', 'ada', '--reason', 'the night is long');
    await page.getByText('No problem counts for it yet.').waitFor();
    const guardOf = async () => (await statusOf()).guarding.guards[0]!;
    const { event, adapterDigest } = await guardOf();
    const of = { guardId: event.guardId, adapterDigest };
    await demonstration.append([
      ...guardedProblems({ ...of, domain: 'sums', treated: true, solved: 10, failed: 890 }),
      ...guardedProblems({ ...of, domain: 'sums', treated: false, solved: 90, failed: 10 }),
      ...guardedProblems({ ...of, domain: 'words', treated: true, solved: 450, failed: 450 }),
      ...guardedProblems({ ...of, domain: 'words', treated: false, solved: 50, failed: 50 }),
    ]);
    const standing = (domain: string) => page.locator(`[data-value="guard-${domain}"]`);
    await standing('sums').getByText('open').waitFor();
    expect(await page.locator('[data-value="treated-sums"]').textContent()).toBe('900');
    await demonstration.seam('release', 'decide');
    await standing('sums').getByText('muted').waitFor();
    expect(await standing('words').textContent()).toContain('open');
    const { domains } = await guardOf();
    expect(domains.map(({ domain, muting }) => [domain, muting !== null])).toEqual([
      ['sums', true],
      ['words', false],
    ]);
    await page.getByText(domains[0]!.muting!.event.reason).waitFor();
    expect([await violationsOn(page), complaints]).toEqual([[], []]);
  });

  it('stands next to a first page that names harm and says that arms are not as they were drawn, as "seam lift" does', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByText('Experiences do harm in sums: 5 % risk').waitFor();
    expect(await page.locator('[data-value="doubt"]').count()).toBe(0);
    expect(await page.locator('.says.harms').count()).toBeGreaterThan(0);
    // Half of these should be controls.
    const drawn = { guardId: 'g', domain: 'sums', controlShare: 0.5 };
    await demonstration.append(guardedProblems({ ...drawn, treated: true, solved: 60, failed: 0 }));
    await page.getByText('Not causal: control arm (50.0 % controls) has 0 controls of 60').waitFor();
    expect(new Set(await page.locator('.says').allTextContents())).toEqual(new Set(['not decided']));
    const { modes } = await demonstration.seam<LiftAnswers>('lift');
    const [deployed] = modes.filter(({ mode }) => mode === 'deploy');
    expect(deployed).toMatchObject({ isCausal: false, harmed: ['sums'] });
    await page.getByText('Fewer are solved with experiences in sums; this may come from the arms.').waitFor();
    expect([await violationsOn(page), complaints]).toEqual([[], []]);
  });

  it.each(['light', 'dark'] as const)(
    'breaks no rule of axe, and shows text of strangers as text, %s',
    async (scheme) => {
      const { page, complaints } = await openPage(browser!, scheme);
      for (const path of ['/releases', `/releases/${RELEASE}`, '/releases/none']) {
        await visit(page, path);
        expect([path, await violationsOn(page)]).toEqual([path, []]);
        expect(await page.locator('main img').count()).toBe(0);
      }
      expect(complaints).toEqual([]);
    },
  );
});

const planned = () =>
  releasePlanned({
    ...{ releaseId: RELEASE, candidate: CANDIDATE },
    plan: {
      ...{ version: 1, alpha: 0.05, centre: 0.5, tolerance: 0, horizon: 20_000, stages: STAGES },
      guardrails: { sampleRatio: 0.001, missing: 0.001 },
    },
  });

const points = (value: number): string => `${value >= 0 ? '+' : '−'}${Math.abs(value * 100).toFixed(1)}`;
