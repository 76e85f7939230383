// What a person waits for before the page of a long embedded log. A log of N events is made in LMDB, or taken where an earlier call left it; the
// host that `npm start` starts, or the gateway alone, serves the page from it, and Chromium opens it:
//   first start  from the process's start until the first view is answered; all is folded from the first record on
//   next start   the same from the snapshots; median of three
//   longest wait for an answer of a few bytes, asked for again and again until the first view is answered
//   page         in the browser, from navigation until the first numbers are drawn; a fresh browser context each time, median of five
//   scroll       to the middle and to the end of a table, until its rows are drawn
// Bar: a page < 1 s.
//   npm run build && npm run bench:page -- [--events 1000000] [--host start|gateway] [--folder DIR] [--later] [--json]
// --later leaves the first start out, and takes the snapshots that are there.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CHROMIUM_ARGUMENTS, chromium } from '@seamstream/dev-servers';
import { chromium as driver } from 'playwright-core';
import { appendProblems, EVENTS_A_PROBLEM } from './log-of-problems.mjs';

const { values: options } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    events: { type: 'string', default: '1000000' },
    folder: { type: 'string' },
    host: { type: 'string', default: 'start' },
    later: { type: 'boolean', default: false },
  },
});
const TIMES = 5;
const STARTS = 3;
const BAR_MS = 1000;
/** Records that the log page shows at once, and again per press of its button. */
const PRESSES = 9;
/** By host: its program, its settings and where it says its address. */
const HOSTS = {
  start: {
    program: '../../apps/standalone/bin/start.js',
    argumentsFor: (folder) => ['--no-drive', '--services', 'gateway', '--data-dir', folder],
    settingsFor: () => ({}),
    address: /open (http:\/\/\S+)/,
  },
  gateway: {
    program: '../../apps/gateway/dist/main.js',
    argumentsFor: () => [],
    // No chat is asked for: its executor need not be there.
    settingsFor: (folder) => ({
      ...{ SEAM_DATA_FOLDER: folder, SEAM_HTTP_PORT: '0', SEAM_LOGGING_LEVEL: 'info' },
      ...{ SEAM_GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9/v1', SEAM_GATEWAY_UPSTREAM_MODEL: 'none' },
    }),
    address: /"url":"([^"]+)","msg":"gateway listens"/,
  },
};
/** By page: what holds a number of the log once it is drawn. */
const PAGES = {
  overview: { path: '/', number: '[data-value="published"]' },
  problems: { path: '/problems', number: '.long-table .body .row' },
  log: { path: '/log', number: '.long-table .body .row' },
};

const medianOf = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const say = (text) => process.stderr.write(`${text}\n`);

/** The folder with its log, made where it is missing. */
async function madeLog() {
  const events = Number(options.events);
  const folder = options.folder ?? join(tmpdir(), `seam-page-bench-${events}`);
  const note = join(folder, 'made.json');
  if (existsSync(note)) {
    const made = JSON.parse(readFileSync(note, 'utf8'));
    if (made.events !== events)
      throw new Error(
        `Cannot use ${folder}: expected a log of ${events} events, got one of ${made.events}. Name another folder.`,
      );
    return { folder, records: made.records };
  }
  if (existsSync(join(folder, 'log')))
    throw new Error(
      `Cannot use ${folder}: expected a log that this benchmark made to its end, got another. Delete it, or name another folder.`,
    );
  say(`making a log of ${events} events in ${folder}`);
  mkdirSync(folder, { recursive: true });
  // One problem in ten has three events: the control arm.
  const problems = Math.round(events / (0.9 * EVENTS_A_PROBLEM + 0.3));
  const records = await appendProblems(folder, 0, problems, true);
  writeFileSync(note, JSON.stringify({ events, records }));
  return { folder, records };
}

/** The host, once the first view was answered. */
async function serve(folder) {
  const { program, argumentsFor, settingsFor, address } = HOSTS[options.host];
  const startedMs = performance.now();
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), ...argumentsFor(folder)], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SEAM_GATEWAY_PORT: '0', ...settingsFor(folder) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const url = await new Promise((resolve, reject) => {
    let said = '';
    void ended.then(() => reject(new Error(`Cannot serve the page: expected its address, got:\n${said.slice(-2000)}`)));
    child.stderr.on('data', (chunk) => {
      said += chunk;
      const found = address.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  const listensMs = performance.now() - startedMs;
  const waits = longestWait(url);
  const answer = await fetch(`${url}/api/views/overview`);
  if (!answer.ok) throw new Error(`Cannot read the first view: expected status 200, got ${answer.status}.`);
  await answer.json();
  const viewMs = performance.now() - startedMs;
  const times = { listensMs, viewMs, longestWaitMs: await waits.end() };
  say(`${options.host}: listens ${Math.round(listensMs)} ms, first view ${Math.round(viewMs)} ms`);
  const end = async () => {
    child.kill();
    await ended;
  };
  return { url, times, pid: child.pid, end };
}

/** Asks for the page's frame until it is ended: others wait as long for an answer while the views are folded. */
function longestWait(url) {
  let [longestMs, isOver] = [0, false];
  const asking = (async () => {
    while (!isOver) {
      const startedMs = performance.now();
      await (await fetch(url)).text();
      longestMs = Math.max(longestMs, performance.now() - startedMs);
      await pause(20);
    }
  })();
  return {
    async end() {
      isOver = true;
      await asking;
      return longestMs;
    },
  };
}

/** MiB of the process's own memory now, without the pages of the log that the system keeps; and the most with them. Where there is /proc. */
function memoryOf(pid) {
  if (!existsSync(`/proc/${pid}/status`)) return null;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name) => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  return { ownMib: mib('RssAnon'), peakMib: mib('VmHWM') };
}

/** A start from nothing. @returns its times and memory */
async function firstStart(folder) {
  rmSync(join(folder, 'read-models'), { recursive: true, force: true });
  const host = await serve(folder);
  const memory = memoryOf(host.pid);
  await host.end();
  return { ...host.times, memory };
}

/** Starts from the snapshots. @returns the medians of their times, and the host that was started last */
async function nextStarts(folder) {
  const next = [];
  let host;
  for (let at = 0; at < STARTS; at++) {
    await host?.end();
    host = await serve(folder);
    next.push(host.times);
  }
  const names = ['listensMs', 'viewMs', 'longestWaitMs'];
  const medians = Object.fromEntries(names.map((name) => [name, medianOf(next.map((times) => times[name]))]));
  return { host, next: medians };
}

/** Milliseconds from navigation until a number is on the screen, by the browser's clock. */
async function drawnMs(browser, url, { path, number }) {
  const context = await browser.newContext({ viewport: { width: 1360, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript((wanted) => {
    const look = () => {
      if (!/\d/.test(document.querySelector(wanted)?.textContent ?? '')) return requestAnimationFrame(look);
      // The frame after the one that draws it.
      return requestAnimationFrame(() => {
        window.drawnMs = performance.now();
      });
    };
    requestAnimationFrame(look);
  }, number);
  await page.goto(url + path, { waitUntil: 'commit' });
  const ms = await (await page.waitForFunction(() => window.drawnMs, undefined, { timeout: 120_000 })).jsonValue();
  await context.close();
  return ms;
}

/** Scrolls a table to a share of its height. @returns the rows that it has, those in the page, and the time until those in sight are drawn */
function scrolled(page, share) {
  return page.evaluate(async (part) => {
    const table = document.querySelector('.long-table');
    const startedMs = performance.now();
    table.scrollTop = part * (table.scrollHeight - table.clientHeight);
    const isDrawn = () => {
      const { bottom } = table.getBoundingClientRect();
      const rows = [...table.querySelectorAll('.body .row')].map((row) => row.getBoundingClientRect());
      const middle = bottom - table.clientHeight / 2;
      return rows.some((row) => row.top <= middle && row.bottom >= middle);
    };
    do await new Promise((resolve) => requestAnimationFrame(resolve));
    while (!isDrawn());
    const rows = Number(table.getAttribute('aria-rowcount')) - 1;
    return { rows, elements: table.querySelectorAll('.body .row').length, ms: performance.now() - startedMs };
  }, share);
}

/** Scrolling through the longest tables that the pages have: the newest problems, and the log after some presses of its button. */
async function scrolling(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1360, height: 900 } });
  const open = async ({ path, number }) => {
    await page.goto(url + path);
    await page.locator(number).first().waitFor();
  };
  await open(PAGES.problems);
  const problems = { middle: await scrolled(page, 0.5), end: await scrolled(page, 1) };
  await open(PAGES.log);
  const older = [];
  for (let at = 0; at < PRESSES; at++) {
    const before = await page.locator('.long-table').getAttribute('aria-rowcount');
    const startedMs = performance.now();
    await page.getByRole('button', { name: 'Older records' }).click();
    await page.locator(`.long-table:not([aria-rowcount="${before}"])`).waitFor();
    older.push(performance.now() - startedMs);
  }
  const log = { olderMs: medianOf(older), middle: await scrolled(page, 0.5), end: await scrolled(page, 1) };
  await page.close();
  return { problems, log };
}

async function browse(url) {
  const browser = await driver.launch({ executablePath: await chromium(), args: [...CHROMIUM_ARGUMENTS] });
  try {
    const pages = {};
    for (const [name, page] of Object.entries(PAGES)) {
      const times = [];
      for (let at = 0; at < TIMES; at++) times.push(await drawnMs(browser, url, page));
      pages[name] = { medianMs: medianOf(times), slowestMs: Math.max(...times) };
    }
    return { pages, scroll: await scrolling(browser, url) };
  } finally {
    await browser.close();
  }
}

function print({ records, load, host, first, next, pages, scroll, memory }) {
  const ms = (number) => `${Math.round(number).toLocaleString('en')} ms`;
  const mib = (own) =>
    own === null ? '' : `; ${own.ownMib} MiB without the mapped log, ${own.peakMib} MiB at most with it`;
  console.log(`${records.toLocaleString('en')} records, host ${host}, load ${load.toFixed(1)}`);
  const starts = [...(first === null ? [] : [['first start', first, first.memory]]), ['next start', next, memory]];
  for (const [name, { listensMs, viewMs, longestWaitMs }, own] of starts)
    console.log(
      `${name.padEnd(12)} listens ${ms(listensMs)}, first view ${ms(viewMs)}, longest wait ${ms(longestWaitMs)}${mib(own)}`,
    );
  for (const [name, { medianMs, slowestMs }] of Object.entries(pages)) {
    const verdict = medianMs < BAR_MS ? 'met' : 'MISSED';
    console.log(`${name.padEnd(12)} ${ms(medianMs)}, the slowest ${ms(slowestMs)}; ${verdict}: < ${BAR_MS} ms`);
  }
  for (const [name, { middle, end }] of Object.entries(scroll))
    console.log(
      `scroll ${name.padEnd(8)} ${middle.rows} rows: middle ${ms(middle.ms)} with ${middle.elements} in the page, end ${ms(end.ms)} with ${end.elements}`,
    );
  console.log(`older records of the log, per 100: ${ms(scroll.log.olderMs)}`);
}

const { folder, records } = await madeLog();
if (HOSTS[options.host] === undefined)
  throw new Error(`Cannot measure: expected --host ${Object.keys(HOSTS).join(' or ')}, got ${options.host}.`);
const first = options.later ? null : await firstStart(folder);
const { host, next } = await nextStarts(folder);
try {
  const seen = await browse(host.url);
  const result = { records, host: options.host, load: loadavg()[0], first, next, ...seen, memory: memoryOf(host.pid) };
  if (options.json) process.stdout.write(`${JSON.stringify(result)}\n`);
  else print(result);
} finally {
  await host.end();
}
