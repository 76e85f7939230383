/** The files of the templates that prompts are made of, for who carries them elsewhere. */
import { readdir, readFile } from 'node:fs/promises';
import { isSchemaFile } from './entry-schemas.js';
import { executorTemplateFolder, PLAIN, TEMPLATES, templateFolders } from './executor-template.js';
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
  const folder = await executorTemplateFolder(template, templateFolders(ownTemplates));
  const names = (await readdir(folder)).filter((name) => /\.(?:txt|json)$/.test(name)).sort();
  const files: (readonly [string, URL | string])[] = [
    ...['fixed-hint.txt', 'generator.txt'].map((name) => [name, new URL(name, TEMPLATES)] as const),
    ...names.map((name) => [`executor/${name}`, new URL(encodeURIComponent(name), folder)] as const),
    ...(isSchemaFile(entrySchemas) ? [['entry-schemas.json', entrySchemas] as const] : []),
  ];
  return new Map(await Promise.all(files.map(async ([name, file]) => [name, await readFile(file, 'utf8')] as const)));
}
