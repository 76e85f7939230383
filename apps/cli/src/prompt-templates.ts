import type { ExecutorConfig } from '@seamstream/executor/config';

/** The texts of the templates that the configured services use, by file. @throws INVALID_CONFIGURATION for a template that is not there */
export async function promptTemplates({
  executor,
  entrySchemas,
}: Pick<ExecutorConfig, 'executor'> & { readonly entrySchemas?: string | undefined }): Promise<
  ReadonlyMap<string, string>
> {
  const { templateTexts } = await import('@seamstream/experience');
  const { writerTemplate } = await import('@seamstream/self-edits');
  const { template, templatesFolder: ownTemplates } = executor;
  const texts = new Map(await templateTexts({ template, ownTemplates, entrySchemas }));
  const writer = writerTemplate(entrySchemas);
  return writer === null ? texts : texts.set('self-edit.json', writer);
}
