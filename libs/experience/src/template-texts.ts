/** The files of the templates that prompts are made of, for who carries them elsewhere. */
import { readFile } from 'node:fs/promises';
import { isSchemaFile } from './entry-schemas.js';
import { executorTemplateFiles, PLAIN, TEMPLATES, templateFolders } from './executor-template.js';
import type { PromptSettings } from './prompts.js';

interface TemplateChoice extends Pick<PromptSettings, 'template' | 'ownTemplates'> {
  /** As `loadEntrySchemas` reads it. */
  readonly entrySchemas?: string | undefined;
}

/**
 * By name: generator.txt, fixed-hint.txt, the executor's under executor/, and entry-schemas.json where a file has them.
 * @throws INVALID_CONFIGURATION for an unknown template
 */
export async function templateTexts({
  template = PLAIN,
  ownTemplates,
  entrySchemas,
}: TemplateChoice = {}): Promise<ReadonlyMap<string, string>> {
  const { texts } = await executorTemplateFiles(template, templateFolders(ownTemplates));
  const shared = ['fixed-hint.txt', 'generator.txt'].map((name) => [name, new URL(name, TEMPLATES)] as const);
  const schemas = isSchemaFile(entrySchemas) ? [['entry-schemas.json', entrySchemas] as const] : [];
  return new Map([
    ...(await read(shared)),
    ...[...texts].map(([name, text]) => [`executor/${name}`, text] as const),
    ...(await read(schemas)),
  ]);
}

function read(files: readonly (readonly [string, URL | string])[]): Promise<(readonly [string, string])[]> {
  return Promise.all(files.map(async ([name, file]) => [name, await readFile(file, 'utf8')] as const));
}
