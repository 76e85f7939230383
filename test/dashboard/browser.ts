/** A real browser that brings nothing along: no page, no storage, no call to anybody but the page's own host. */
import { readFile } from 'node:fs/promises';
import { CHROMIUM_ARGUMENTS, chromium } from '@seamstream/dev-servers';
import { isSeamError, messageOf } from '@seamstream/kernel';
import { type Browser, chromium as driver, type Page } from 'playwright-core';

const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url);

/** What a page did that it should not have. */
export interface Watched {
  readonly page: Page;
  /** Errors of scripts, complaints of the console (the content security policy's are among them), requests to other hosts. */
  readonly complaints: string[];
}

/** The browser; undefined, said aloud, where this machine has none. */
export async function openBrowser(): Promise<Browser | undefined> {
  let executablePath: string;
  try {
    executablePath = await chromium();
  } catch (error) {
    if (!isSeamError(error, 'INVALID_CONFIGURATION')) throw error;
    process.stderr.write(`SKIPPED: no browser here. ${messageOf(error)}\n`);
    return undefined;
  }
  return driver.launch({ executablePath, args: [...CHROMIUM_ARGUMENTS] });
}

/** A page in a fresh context of the browser. */
export async function openPage(browser: Browser, scheme: 'light' | 'dark' = 'light'): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 }, colorScheme: scheme });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    // A gateway that is down while it starts again is what one of the tests makes.
    if (message.type() === 'error' && !message.text().includes('ERR_')) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!['127.0.0.1', 'localhost'].includes(new URL(request.url()).hostname))
      complaints.push(`request to another host: ${request.url()}`);
  });
  return { page, complaints };
}

/** Nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main .question').first().waitFor();
  // Several parts of a page may wait at once.
  await page.locator('body:not(:has(.waiting))').waitFor();
  // What was asked for a moment ago is asked by now.
  await page.waitForTimeout(150);
  await page.locator('main[aria-busy="false"]').waitFor();
}

/** Rules of axe that the page breaks, each with the places. */
export async function violationsOn(page: Page): Promise<readonly string[]> {
  // Charts are drawn a moment later.
  await page.waitForTimeout(300);
  await page.evaluate(await readFile(AXE, 'utf8'));
  const runOnly = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, { runOnly: ${JSON.stringify(runOnly)} })`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}
