// Makes the pictures of docs/how-to/dashboard.md from a served dashboard: node test/dashboard/screenshots.mjs http://127.0.0.1:7080
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_ARGUMENTS, chromium } from '@seamstream/dev-servers';
import { chromium as driver } from 'playwright-core';

const [url = 'http://127.0.0.1:7080'] = process.argv.slice(2);
const folder = fileURLToPath(new URL('../../docs/how-to/images/', import.meta.url));
mkdirSync(folder, { recursive: true });
const browser = await driver.launch({ executablePath: await chromium(), args: [...CHROMIUM_ARGUMENTS] });
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const view = async (path) => (await fetch(`${url}/api/views/${path}`)).json();
  const { rows } = await view('problems?standing=solved&limit=1');
  const { releases } = await view('releases');
  const { libraries } = await view('libraries');
  const { teams } = await view('teams');
  const { passages } = await view('edits');
  const { clients } = await view('access');
  // Of what a log does not have no picture is made: the methods have a log each.
  const isOfMethod = libraries.length + teams.length + passages.length > 0;
  for (const [name, path] of [
    ...(isOfMethod ? [] : [['overview', '/']]),
    ...(isOfMethod ? [] : rows.map(({ problemId }) => ['problem', `/problems/${encodeURIComponent(problemId)}`])),
    ...releases.slice(-1).map(({ event }) => ['release', `/releases/${encodeURIComponent(event.releaseId)}`]),
    ...libraries.slice(-1).map(({ digest }) => ['library', `/libraries/${digest}?peek=e1`]),
    ...teams.slice(0, 1).map(({ slot }) => ['team', `/teams/${encodeURIComponent(slot)}`]),
    ...(clients.some(({ limits }) => limits.length > 0) ? [['access', '/access']] : []),
    ...passages.slice(0, 1).map(({ problemId }) => ['self-edits', `/self-edits?peek=${problemId}`]),
  ]) {
    await page.goto(url + path);
    await page.locator('body:not(:has(.waiting))').waitFor();
    // Charts are drawn a moment later.
    await page.waitForTimeout(1000);
    await page.screenshot({ path: `${folder}dashboard-${name}.png` });
  }
} finally {
  await browser.close();
}
