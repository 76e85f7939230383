/** Catalogues of experts: folders or buckets with signed entries. */
import { SeamError, shortId } from '@seamstream/kernel';
import type { ObjectStore } from '@seamstream/object-store';
import { type Catalogue, fetchExpert, listExperts, publishExpert } from '@seamstream/operations/experts';
import { Command } from 'commander';
import { byOption } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Style } from '../terminal/style.js';
import { renderTable } from '../terminal/table.js';
import { bytes, minuteOf } from '../terminal/text.js';
import { archiveAt, type ImportOptions, importArchive } from './import-archive.js';

interface CatalogueOptions {
  readonly catalogue?: string;
}

/** The catalogue that is named, or the configured object store's. @throws NOT_FOUND for a folder to read that is not there */
async function catalogueOf(
  runtime: CommandRuntime,
  { catalogue }: CatalogueOptions,
  mode: 'read' | 'create' = 'read',
): Promise<ObjectStore> {
  if (catalogue === undefined) return runtime.openObjects();
  if (mode === 'create' || (await runtime.isPresent(catalogue))) return runtime.openCatalogue(catalogue);
  throw new SeamError(
    'NOT_FOUND',
    `Cannot open the catalogue ${catalogue}: expected a folder, got nothing. Name another one (--catalogue).`,
  );
}

async function publish(runtime: CommandRuntime, path: string, options: CatalogueOptions): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const body = await archiveAt(runtime, path);
  const signing = await runtime.signing();
  const store = await catalogueOf(runtime, options, 'create');
  const { entry, isNew } = await publishExpert(store, body, { signing, publishedAt: clock.now() });
  const { name, facts, attestation } = entry;
  if (terminal.json) terminal.printJson({ name, ...facts, signed: attestation !== null, isNew });
  else
    terminal.print(
      isNew
        ? `published ${name} ${shortId(facts.digest)} (${bytes(facts.sizeBytes)}), ${attestation === null ? 'unsigned' : 'signed'}\n`
        : `${name} ${shortId(facts.digest)} is in the catalogue already: nothing was changed\n`,
    );
  return EXIT.ok;
}

async function list(runtime: CommandRuntime, options: CatalogueOptions): Promise<ExitCode> {
  const { terminal } = runtime;
  const { trust } = await runtime.signing();
  const catalogue = await listExperts(await catalogueOf(runtime, options), trust);
  if (terminal.json) terminal.printJson(catalogue);
  else terminal.print(renderCatalogue(catalogue, terminal.style));
  return catalogue.refused.length === 0 ? EXIT.ok : EXIT.failedCheck;
}

function renderCatalogue({ experts, refused }: Catalogue, style: Style): string {
  const titles = ['name', 'expert', 'adapter', 'base model', 'size', 'published', 'by'];
  const rows = experts.map(({ name, facts, by }) => [
    name,
    ...[facts.digest, facts.adapterDigest, facts.baseModelDigest].map(shortId),
    bytes(facts.sizeBytes),
    minuteOf(facts.publishedAt),
    by.length === 0 ? 'unsigned' : by.join(', '),
  ]);
  const table =
    rows.length === 0
      ? 'The catalogue offers no expert.\n'
      : renderTable(
          titles.map((title) => ({ title })),
          rows,
          style,
        );
  return `${table}${refused.map(({ key, reason }) => `refused ${key}: ${reason}\n`).join('')}`;
}

async function install(
  runtime: CommandRuntime,
  meant: string,
  options: CatalogueOptions & ImportOptions,
): Promise<ExitCode> {
  const { trust } = await runtime.signing();
  const { offered, bytes: body } = await fetchExpert(await catalogueOf(runtime, options), meant, trust);
  return importArchive(runtime, { body, path: `${offered.name} of the catalogue` }, options);
}

/** Of a command on a catalogue. */
function withCatalogue(command: Command): Command {
  return command.option('--catalogue <folder>', 'where experts are offered (default: the object store)');
}

export function catalogueCommands(run: RunCommand): Command[] {
  return [
    withCatalogue(new Command('list'))
      .summary('what a catalogue offers, and who vouches for it')
      .description(
        'Checks the signature of every entry by the trusted keys (SEAM_SIGNATURES_TRUSTED_KEYS_FILE). Exit code 1: one was refused.',
      )
      .action((options: CatalogueOptions) => run((runtime) => list(runtime, options))),
    withCatalogue(new Command('install'))
      .summary('publish the adapter of an expert of a catalogue')
      .description(
        'Fetches an expert whose entry is believed, and does what seam experts import does with its archive.',
      )
      .argument('<expert>', 'a name, which is the newest of that name, or the first digits of its digest')
      .option('--carry <folder>', 'as of seam experts import')
      .option('--force', 'replace files that are there')
      .addOption(byOption('who installs it'))
      .action((meant: string, options: CatalogueOptions & ImportOptions) =>
        run((runtime) => install(runtime, meant, options)),
      ),
    withCatalogue(new Command('publish'))
      .summary('offer an expert in a catalogue')
      .description(
        'Checks an archive, and puts it into the catalogue with an entry that the configured key signs (SEAM_SIGNATURES_KEY_FILE; it has to vouch\nfor adapters).',
      )
      .argument('<file.tar>', 'as seam experts export wrote it')
      .action((path: string, options: CatalogueOptions) => run((runtime) => publish(runtime, path, options))),
  ];
}
