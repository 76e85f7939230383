// Makes pictures of all pages of a served dashboard: node test/dashboard/screenshots.mjs http://127.0.0.1:7080 [folder]. Without a folder
// it makes those of docs/how-to in their place, as far as the log has what they show.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHROMIUM_ARGUMENTS, chromium } from '@seamstream/dev-servers';
import { DASHBOARD_PAGES } from '@seamstream/gateway-contract';
import { chromium as driver } from 'playwright-core';

const IMAGES = fileURLToPath(new URL('../../docs/how-to/images/', import.meta.url));
const [url = 'http://127.0.0.1:7080', folder = IMAGES] = process.argv.slice(2);
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
  const { prices } = await view('prices');
  // Pages of which the guide has no picture, as each log has them.
  const others = DASHBOARD_PAGES.filter((name) => !['', 'self-edits', 'access', 'cost'].includes(name));
  // Of what a log does not have no picture is made: the methods have a log each.
  const isOfMethod = libraries.length + teams.length + passages.length > 0;
  for (const [name, path] of [
    ...(isOfMethod ? [] : [['overview', '/']]),
    ...(isOfMethod ? [] : rows.map(({ problemId }) => ['problem', `/problems/${encodeURIComponent(problemId)}`])),
    ...releases.slice(-1).map(({ event }) => ['release', `/releases/${encodeURIComponent(event.releaseId)}`]),
    ...libraries.slice(-1).map(({ digest }) => ['library', `/libraries/${digest}?peek=e1`]),
    ...teams.slice(0, 1).map(({ slot }) => ['team', `/teams/${encodeURIComponent(slot)}`]),
    ...(prices.length > 0 ? [['cost', '/cost?by=domain']] : []),
    ...(folder === IMAGES ? [] : others.map((name) => [`page-${name}`, `/${name}`])),
    ...(clients.some(({ limits }) => limits.length > 0) ? [['access', '/access']] : []),
    ...passages.slice(0, 1).map(({ problemId }) => ['self-edits', `/self-edits?peek=${problemId}`]),
  ]) {
    await page.goto(url + path);
    await page.locator('body:not(:has(.waiting))').waitFor();
    // Charts are drawn a moment later.
    await page.waitForTimeout(1000);
    await page.screenshot({ path: join(folder, `dashboard-${name}.png`) });
  }
} finally {
  await browser.close();
}
