/** A planted fault that no longer finds its place would leave a service dead instead of wrong. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PLANTED_FAULTS, withFault } from '../support/planted-faults.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const compiled = globSync('libs/*/dist/**/*.js', { cwd: ROOT });

it.each(Object.entries(PLANTED_FAULTS))('%s finds every place it changes in the compiled files', (fault, rows) => {
  for (const row of rows) {
    const files = compiled.filter((path) => row[0].test(path));
    expect(files).toHaveLength(1);
    const source = readFileSync(`${ROOT}/${files[0]}`, 'utf8');
    expect(withFault(fault, files[0]!, source, [row])).not.toBe(source);
  }
});

it('a fault without its place says which row to mend', () => {
  const [fault, rows] = Object.entries(PLANTED_FAULTS)[0]!;
  expect(() => withFault(fault, 'commit-step.js', 'export {}', rows)).toThrow('planted-faults.mjs');
});
