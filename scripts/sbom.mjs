// Writes the bill of materials (CycloneDX 1.5, JSON) of what is shipped to standard output, or to the file that is named:
//   npm run sbom -- sbom.json
// It is made from package-lock.json alone, so it lists what `npm ci --omit=dev` installs, with the digests that npm checks.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const read = (path) => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const { name, version } = read('package.json');
const locked = read('package-lock.json').packages;

const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const bill = JSON.parse(
  execFileSync('npm', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 2 ** 26 }),
);
// npm takes the folder's name for the project's, and its --omit=dev leaves out what tests and services both use: the lock file knows.
Object.assign(bill.metadata.component, { name, version, purl: `pkg:npm/${name}@${version}` });
const shipped = new Set(
  Object.entries(locked)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, entry]) => `${entry.name ?? path.split('node_modules/').at(-1)}@${entry.version}`),
);
const isShipped = (component) => shipped.has(component['bom-ref']);
bill.components = bill.components.filter(isShipped);
const refs = new Set([bill.metadata.component['bom-ref'], ...bill.components.map((component) => component['bom-ref'])]);
bill.dependencies = bill.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));

const text = `${JSON.stringify(bill, null, 2)}\n`;
const [path] = process.argv.slice(2);
if (path === undefined) process.stdout.write(text);
else writeFileSync(path, text);
