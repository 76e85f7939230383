/**
 * Refuses an entry of a list of eslint.config.mjs that may only shrink, once its file or folder breaks the list's rule no more or is gone.
 * Such an entry would let the fault come back unseen. Ends with status 1 and names the entries to delete.
 */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';
import { shrinkingLists } from '../../eslint.config.mjs';
import { COMPUTING_MODULES, FILES_WITH_EDGES } from './arrows.cjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const unseen = { ignores: ['**/dist/**', '**/node_modules/**', '**/*.generated.ts'] };

/** Which of the entries break a rule: an entry counts when its file, or a file below its folder, has at least one message of the rule. */
async function breaking({ entries, plugins = {}, rules }) {
  const eslint = new ESLint({
    cwd: root,
    overrideConfigFile: true,
    errorOnUnmatchedPattern: false,
    overrideConfig: [
      unseen,
      {
        files: ['**/*.{ts,js,mjs,cjs}'],
        languageOptions: { parser: tseslint.parser },
        linterOptions: { reportUnusedDisableDirectives: 'off' },
        plugins,
        rules,
      },
    ],
  });
  const present = entries.filter((entry) => existsSync(join(root, entry)));
  const results = present.length === 0 ? [] : await eslint.lintFiles(present);
  // A directive that names a rule of another plugin is a message too, and says nothing about these rules.
  const files = results
    .filter(({ messages }) => messages.some(({ ruleId, fatal }) => fatal === true || Object.hasOwn(rules, ruleId)))
    .map(({ filePath }) => filePath);
  return new Set(
    entries.filter((entry) => {
      const path = join(root, entry);
      return files.some((file) => file === path || file.startsWith(`${path}/`));
    }),
  );
}

let refused = 0;
for (const list of shrinkingLists) {
  const needed = await breaking(list);
  for (const entry of list.entries.filter((each) => !needed.has(each))) {
    refused++;
    process.stderr.write(
      `Cannot keep "${entry}" in ${list.name}: expected a place that breaks ${Object.keys(list.rules).join(', ')}, ` +
        `got ${existsSync(join(root, entry)) ? 'none that does' : 'no such file'}. Delete the entry in eslint.config.mjs.\n`,
    );
  }
}
const edgeImport = new RegExp(`'node:(?!(${COMPUTING_MODULES})')`);
for (const file of FILES_WITH_EDGES) {
  const path = join(root, file);
  if (existsSync(path) && edgeImport.test(readFileSync(path, 'utf8'))) continue;
  refused++;
  process.stderr.write(
    `Cannot keep "${file}" in FILES_WITH_EDGES: expected a file that imports an edge, ` +
      `got ${existsSync(path) ? 'none that does' : 'no such file'}. Delete the entry in scripts/lint/arrows.cjs.\n`,
  );
}
process.exitCode = refused === 0 ? 0 : 1;
