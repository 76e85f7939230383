// Known faults of the packages that are shipped: `npm audit` of production packages, less the dated waivers of scripts/audit-waivers.json.
// A waiver: { "advisory": "GHSA-…", "package": "…", "until": "2027-01-31", "why": "…" }. A waiver that has expired, or names a package that
// the lock file no longer holds, fails the step. A registry without advisories is reported, and only the waivers are checked then.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
/** Of this tree, or anywhere by a whole path. */
const read = (path) => JSON.parse(readFileSync(path.startsWith('/') ? path : new URL(path, root), 'utf8'));
const today = new Date().toISOString().slice(0, 10);
const BLOCKING = ['high', 'critical'];

// 1. The waivers themselves.
const waivers = read(process.argv[2] ?? 'scripts/audit-waivers.json');
const installed = new Set(
  Object.keys(read('package-lock.json').packages).map((path) => path.split('node_modules/').at(-1)),
);
const faults = waivers.flatMap(({ advisory, package: name, until, why }) => {
  if (!/^GHSA-[\w-]+$/.test(advisory) || !/^\d{4}-\d\d-\d\d$/.test(until) || !why)
    return [
      `Waiver ${advisory}: expected an advisory GHSA-…, "until" as YYYY-MM-DD and "why", got ${JSON.stringify({ until, why })}.`,
    ];
  if (until < today) return [`Waiver ${advisory} of ${name} expired on ${until}. Update the package, or decide again.`];
  return installed.has(name) ? [] : [`Waiver ${advisory}: ${name} is not in package-lock.json. Delete the waiver.`];
});

// 2. What the registry knows.
const report = audit();
if (report.vulnerabilities === undefined)
  console.log(
    `audit: the registry keeps no advisories (${report.statusCode ?? report.error?.code ?? 'no answer'}); packages were not judged`,
  );
for (const { name, severity, via } of Object.values(report.vulnerabilities ?? {})) {
  const open = via.filter(
    (cause) => typeof cause === 'object' && !waivers.some(({ advisory }) => cause.url?.endsWith(advisory)),
  );
  if (BLOCKING.includes(severity) && open.length > 0)
    faults.push(
      `${name}: ${severity}: ${open.map(({ title, url }) => `${title} (${url})`).join('; ')}. Update it, or waive it with a date.`,
    );
}

// 3. The verdict.
for (const fault of faults) console.error(fault);
console.log(`audit: ${faults.length} faults, ${waivers.length} waivers`);
process.exitCode = faults.length === 0 ? 0 : 1;

/** npm exits with 1 where it found something; its answer is on stdout all the same. */
function audit() {
  try {
    return JSON.parse(
      execFileSync('npm', ['audit', '--json', '--omit=dev'], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
  } catch (error) {
    try {
      return JSON.parse(error.stdout);
    } catch {
      return { error: { code: 'no answer' } };
    }
  }
}
