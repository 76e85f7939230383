// Plants one violation per architectural rule and expects the machine to refuse it by that rule's name: a rule over an
// import that no longer resolves would otherwise pass in silence.
import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const run = promisify(execFile);

/** rule, file to plant, its text. Every planted file lies in a folder named `planted`, removed afterwards. */
const PROBES = [
  ['no-upward-import-from-kernel', 'libs/kernel/src/planted/up.ts', "import '@seamstream/events';\n"],
  [
    'no-upward-import-from-tensor-graph',
    'libs/tensor-graph/src/planted/up.ts',
    "import '@seamstream/language-model';\n",
  ],
  ['no-upward-import-from-success-buffer', 'libs/success-buffer/src/planted/up.ts', "import '@seamstream/learning';\n"],
  [
    'no-circle',
    'libs/kernel/src/planted/a.ts',
    "import './b.js';\n",
    'libs/kernel/src/planted/b.ts',
    "import './a.js';\n",
  ],
  ['testing-entries-are-for-tests', 'libs/evaluation/src/planted/fake.ts', "import '@seamstream/rollout/testing';\n"],
  [
    'no-upward-arrow-in-the-command-line',
    'apps/cli/src/terminal/planted/up.ts',
    "import '../../tail/event-line.js';\n",
  ],
  [
    'no-upward-arrow-in-gateway-from-quotas',
    'apps/gateway/src/quotas/planted/up.ts',
    "import '../../chat/answered.decide.js';\n",
  ],
  [
    'no-upward-arrow-in-standalone-from-report',
    'apps/standalone/src/report/planted/up.ts',
    "import '../../team/run-team.js';\n",
  ],
  [
    'no-upward-arrow-in-cli-from-evaluate',
    'apps/cli/src/evaluate/planted/up.ts',
    "import '../../study/study-facts.js';\n",
  ],
  [
    'no-folder-without-place',
    'apps/buffer/src/planted/placed.ts',
    "import './nowhere-placed.js';\n",
    'apps/buffer/src/planted/nowhere-placed.ts',
    'export {};\n',
  ],
  [
    'no-upward-arrow-from-decide-files',
    'apps/buffer/src/planted/up.decide.ts',
    "import '../fold-outcomes.handler.js';\n",
  ],
  ['pure-libraries-touch-no-edge', 'libs/statistics/src/planted/file.ts', "import 'node:fs/promises';\n"],
  ['pure-libraries-touch-no-edge', 'libs/learning/src/planted/timers.ts', "import 'node:timers/promises';\n"],
  ['no-lib-to-app', 'libs/kernel/src/planted/app.ts', "import '../../../../apps/generator/src/planted/victim.js';\n"],
  ['dev-servers-are-for-tests', 'libs/kernel/src/planted/servers.ts', "import '@seamstream/dev-servers';\n"],
  [
    'no-app-to-app',
    'apps/buffer/src/planted/app.ts',
    "import '../../../generator/src/planted/victim.js';\n",
    'apps/generator/src/planted/victim.ts',
    'export {};\n',
  ],
  ['only-through-the-index', 'libs/events/src/planted/deep.ts', "import '../../../kernel/src/errors.js';\n"],
  ['no-framework-in-settings-and-drivers', 'libs/service-kit/src/config/planted/nest.ts', "import '@nestjs/common';\n"],
  ['framework-only-at-the-edge', 'libs/learning/src/planted/nest.ts', "import '@nestjs/common';\n"],
  ['kafkajs-in-its-adapter', 'libs/event-log-kafka/src/planted/kafka.ts', "import 'kafkajs';\n"],
  [
    'kafkajs-internals-in-one-file',
    'libs/event-log-kafka/src/kafkajs/planted/inner.ts',
    "import 'kafkajs/src/cluster/index.js';\n",
  ],
  [
    'broker-protocol-behind-its-port',
    'libs/event-log-kafka/src/planted/adapter.ts',
    "import '../kafkajs/kafkajs-protocol.js';\n",
  ],
  ['lmdb-in-its-driver', 'libs/events/src/planted/lmdb.ts', "import 'lmdb';\n"],
  ['aws-sdk-in-its-driver', 'libs/events/src/planted/s3.ts', "import '@aws-sdk/client-s3';\n"],
  [
    'no-presigned-addresses',
    'libs/object-store-s3/src/planted/presign.ts',
    "import '@aws-sdk/s3-request-presigner';\n",
  ],
  ['undici-in-its-place', 'libs/learning/src/planted/undici.ts', "import 'undici';\n"],
  ['onnx-runtime-in-its-place', 'libs/learning/src/planted/onnx.ts', "import 'onnxruntime-node';\n"],
  ['processes-in-the-sandbox', 'libs/learning/src/planted/process.ts', "import 'node:child_process';\n"],
  ['no-vm-outside-the-sandbox', 'apps/buffer/src/planted/vm.ts', "import 'node:vm';\n"],
  ['no-unresolvable', 'libs/kernel/src/planted/lost.ts', "import './nowhere.js';\n"],
  ['testing-library-is-for-tests', 'libs/kernel/src/planted/flaky.ts', "import '@seamstream/testing';\n"],
  [
    'no-testing-library-behind-a-fake',
    'apps/buffer/src/planted/app.module.ts',
    "import './behind.fake.js';\n",
    'apps/buffer/src/planted/behind.fake.ts',
    "import '@seamstream/testing';\n",
  ],
  ['no-test-code-in-production', 'libs/event-log/src/planted/contract.ts', "import '../event-log.contract.js';\n"],
];

/** What a pure library may not say: a file there, and the text. Lint judges by the name, so no file is written. */
const SAID = [
  ['libs/statistics/src/planted/said.ts', 'Date.now();'],
  ['libs/evidence/src/planted/said.ts', 'performance.now();'],
  ['libs/experience/src/planted/said.ts', 'new Date();'],
  ['libs/near-duplicates/src/planted/said.ts', 'setTimeout(() => 1, 1);'],
  ['libs/token-grammar/src/planted/said.ts', 'Math.random();'],
  ['libs/experience-groups/src/planted/said.ts', "import { randomInt } from 'node:crypto'; randomInt(2);"],
  ['libs/signatures/src/planted/said.ts', 'crypto.getRandomValues(new Uint8Array(1));'],
  ['libs/tasks/src/planted/said.ts', "fetch('http://127.0.0.1');"],
  ['libs/learning/src/planted/said.ts', 'process.env.HOME;'],
];

/** @returns whether lint refuses the text in that file */
async function isRefused(file, text) {
  const { rules } = await new ESLint({ cwd: root }).calculateConfigForFile(join(root, file));
  const said = { 'no-restricted-syntax': rules['no-restricted-syntax'] };
  const config = { files: ['**/*.ts'], languageOptions: { parser: tseslint.parser }, rules: said };
  return new Linter().verify(text, [config], file).some(({ ruleId }) => ruleId === 'no-restricted-syntax');
}

const planted = PROBES.flatMap(([, ...files]) => files.filter((_, index) => index % 2 === 0));
const removeAll = () =>
  Promise.all(
    [...new Set(planted.map((file) => dirname(join(root, file))))].map((folder) =>
      rm(folder, { recursive: true, force: true }),
    ),
  );

let failed = 0;
try {
  for (const [, ...files] of PROBES) {
    for (let i = 0; i < files.length; i += 2) {
      await mkdir(dirname(join(root, files[i])), { recursive: true });
      await writeFile(join(root, files[i]), files[i + 1]);
    }
  }
  const report = await run(
    process.execPath,
    [join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'), '--output-type', 'json', 'libs', 'apps'],
    {
      cwd: root,
      maxBuffer: 1 << 28,
    },
  ).catch((error) => error);
  if (report.stdout === '') throw new Error(`Cannot run dependency-cruiser: ${report.stderr}`);
  const { violations } = JSON.parse(report.stdout).summary;
  for (const [rule, file] of PROBES) {
    const caught = violations.some((violation) => violation.rule.name === rule && violation.from === file);
    if (!caught) failed++;
    process.stdout.write(`${caught ? 'refused ' : 'PASSED  '} ${rule}\n`);
  }
  for (const [file, text] of SAID) {
    const caught = await isRefused(file, text);
    if (!caught) failed++;
    process.stdout.write(`${caught ? 'refused ' : 'PASSED  '} ${text}\n`);
  }
} finally {
  await removeAll();
}
if (failed > 0) {
  process.stderr.write(
    `${failed} of ${PROBES.length + SAID.length} planted violations were not refused: the rule is dead, mend .dependency-cruiser.cjs or eslint.config.mjs\n`,
  );
  process.exit(1);
}
