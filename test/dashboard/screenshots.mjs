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
  const { rows } = await (await fetch(`${url}/api/views/problems?standing=solved&limit=1`)).json();
  const { releases } = await (await fetch(`${url}/api/views/releases`)).json();
  for (const [name, path] of [
    ['overview', '/'],
    ['problem', `/problems/${encodeURIComponent(rows[0].problemId)}`],
    // Where the log has one.
    ...releases.slice(-1).map(({ event }) => ['release', `/releases/${encodeURIComponent(event.releaseId)}`]),
  ]) {
    await page.goto(url + path);
    await page.locator('.waiting').waitFor({ state: 'detached' });
    // Charts are drawn a moment later.
    await page.waitForTimeout(1000);
    await page.screenshot({ path: `${folder}dashboard-${name}.png` });
  }
} finally {
  await browser.close();
}
