/** The pages of teams in a real browser, next to `seam team` on the same log, which the trainer itself wrote on doubles of the models. */
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { TOPIC } from '@seamstream/events';
import { readTopics } from '@seamstream/log-reader';
import { FsObjectStore } from '@seamstream/object-store-fs';
import type { ShownTeam } from '@seamstream/operations/team';
import { newWorld } from '@seamstream/testing';
import type { Page } from 'playwright-core';
import { openTuner, publishProblems, type Tuner } from '../../apps/trainer/src/team-world.fake.js';
import { openBrowser, openPage, settled, violationsOn } from './browser.js';
import { Demonstration } from './demonstration.js';

jest.setTimeout(300_000);

const browser = await openBrowser();

(browser === undefined ? describe.skip : describe)('The page of teams', () => {
  const world = newWorld();
  let demonstration: Demonstration;
  let tuner: Tuner;
  beforeAll(async () => {
    demonstration = await Demonstration.of([]);
    tuner = await openTuner(world);
    await publishProblems(tuner.log, 0, 6);
    await tuner.tune(1);
    await carryOver();
    await demonstration.serve();
  });
  afterAll(async () => {
    await browser?.close();
    await demonstration.close();
  });
  /** What the trainer has written since. */
  let carried = 0;
  const carryOver = async (): Promise<void> => {
    const events = [];
    for await (const read of readTopics(tuner.log, [TOPIC.training, TOPIC.adapters, TOPIC.teams], {
      undecodable: 'throw',
    }))
      events.push(...read.events.map(({ event }) => event));
    const objects = await FsObjectStore.open({ folder: join(demonstration.folder, 'objects') });
    for (const [key, { body }] of world.objects) await objects.put(key, body);
    await demonstration.append(events);
    carried = events.length;
  };
  const visit = async (page: Page, path: string): Promise<void> => {
    await page.goto(`${demonstration.url}${path}`);
    await settled(page);
  };
  const shown = () => demonstration.seam<ShownTeam>('team', 'show');

  it('leads by keys from the list to a team, its agents, its promotion and a vacuous certificate', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/');
    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    await settled(page);
    await page.keyboard.press('j');
    await page.getByRole('complementary', { name: 'The chosen team' }).getByText('passes accepted').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Team team' }).waitFor();
    await settled(page);
    const { members, stages, acts } = await shown();
    expect(members.map(({ agent }) => agent)).toEqual(['concepts', 'strategy', 'pitfalls']);
    for (const { agent, adapterDigest } of members)
      expect(await page.locator(`[data-value="adapter-${agent}"]`).textContent()).toBe(adapterDigest!.slice(0, 8));
    const { certificate } = stages[0]!;
    expect(certificate!.isVacuous).toBe(true);
    expect(await page.locator('[data-value="certificate"]').textContent()).toBe(`! vacuous ${certificate!.says}.`);
    await page.locator('.timeline').getByText(acts[0]!.reason).waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows a stage that comes while one looks: passes taken back and given up, with their KL and β', async () => {
    const { page, complaints } = await openPage(browser!);
    await visit(page, '/teams/team');
    await publishProblems(tuner.log, 6, 12);
    const before = carried;
    await tuner.tune(2, { order: 'random', gate: { target: 1e-9, quantile: 0.99, maxBacktracks: 1, mostLost: 1 } });
    await carryOver();
    expect(carried).toBeGreaterThan(before);
    await page.locator('[data-value="stages"]').getByText('2 stages').waitFor();
    await page.keyboard.press('j');
    const peek = page.getByRole('complementary', { name: 'The chosen stage' });
    await peek.getByRole('heading', { name: 'Stage 2' }).waitFor();
    const [, stage] = (await shown()).stages;
    expect(stage).toMatchObject({ order: 'random', resamples: true });
    expect(Math.min(stage!.takenBack, stage!.givenUp)).toBeGreaterThan(0);
    const order = stage!.agents.map(({ agent }) => agent);
    await peek.getByText(`random: ${order.join(' → ')}`).waitFor();
    for (const { agent, passes } of stage!.agents)
      for (const { pass, attempt, decision, distance, beta, target, lost } of passes) {
        const row = peek.locator(`[data-pass="${agent}/${pass}/${attempt}"]`);
        expect(await row.locator('td').allTextContents()).toEqual([
          attempt === 0 ? '1' : '1, try 2',
          decision,
          `${figure(distance)} of ${figure(target!)}`,
          lost === null ? '–' : figure(lost),
          figure(beta),
        ]);
      }
    await peek.getByText('1 nat lost by what succeeded, taken back 1 times at most').waitFor();
    expect(await peek.getByText('resampled').count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('answers what the commands print', async () => {
    expect(await demonstration.view('teams')).toEqual(await demonstration.seam('team', 'list'));
    expect(await demonstration.view('teams/team')).toEqual(await shown());
  });

  it.each(['light', 'dark'] as const)('breaks no rule of axe, %s', async (scheme) => {
    const { page } = await openPage(browser!, scheme);
    const { runId } = (await shown()).stages[0]!;
    for (const path of ['/teams?peek=team', `/teams/team?peek=${runId}`, '/teams/none']) {
      await visit(page, path);
      expect([path, await violationsOn(page)]).toEqual([path, []]);
    }
  });
});

const figure = (value: number): string =>
  Math.abs(value) >= 1e-3 ? String(Number(value.toPrecision(4))) : value === 0 ? '0' : value.toExponential(2);
