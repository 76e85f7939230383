/** Which schema an entry of a domain is written under. */
import { readFile } from 'node:fs/promises';
import { toolConfigurationJsonSchema } from '@seamstream/grid-tasks';
import { messageOf, SeamError } from '@seamstream/kernel';
import { checkJsonSchema, type JsonSchema } from '@seamstream/token-grammar';
import { checkEntrySchema } from './entry.js';
import { DEFAULT_ENTRY_SCHEMA } from './entry.schema.js';
import { MEMORY_ITEM_SCHEMA } from './memory-item.js';
import { EDIT_SCHEMA } from './self-edit-entry.js';

export interface EntrySchemas {
  (domain: string): JsonSchema;
  /**
   * The schemas for which a check before the first problem asks whether a model can write them: those of named domains, or the general
   * one where no domain is named. A budget that suits named domains may be too small for the general one, which is then not needed.
   */
  readonly expected?: readonly JsonSchema[];
}

/** The schema of each named domain, and the general one for all others. */
export function entrySchemas(byDomain: Readonly<Record<string, JsonSchema>> = {}): EntrySchemas {
  const schemas = new Map(Object.entries(byDomain));
  const schemaOf = (domain: string): JsonSchema => schemas.get(domain) ?? DEFAULT_ENTRY_SCHEMA;
  return Object.assign(schemaOf, { expected: schemas.size > 0 ? [...schemas.values()] : [DEFAULT_ENTRY_SCHEMA] });
}

function everywhere(schema: JsonSchema): EntrySchemas {
  return Object.assign(() => schema, { expected: [schema] });
}

/** Stands where a file's path may stand, for SEAM's container in every domain. */
const MEMORY_ITEM = 'memory-item';

/** Begins what may stand there for texts to train on, in every domain; behind it is the kind of them. */
const SELF_EDIT = 'self-edit/';

/** Stands there for configurations of training tools (few-shot tasks on grids), in every domain. */
export const TOOL_CONFIGURATION = 'tool-configuration';

/** The kind of self-edit that a setting names; undefined where it names other entries. */
export function selfEditNamed(file: string | undefined): string | undefined {
  return file?.startsWith(SELF_EDIT) === true ? file.slice(SELF_EDIT.length) : undefined;
}

/** Whether a setting names a file with schemas. */
export function isSchemaFile(setting: string | undefined): setting is string {
  if (setting === undefined || setting === MEMORY_ITEM || setting === TOOL_CONFIGURATION) return false;
  return selfEditNamed(setting) === undefined;
}

/**
 * Reads a JSON file that maps domains to schemas; without a file the general schema holds everywhere.
 * @param file a path, `memory-item`, `tool-configuration`, or `self-edit/` with a kind
 * @throws INVALID_CONFIGURATION naming file and domain
 */
export async function loadEntrySchemas(file?: string): Promise<EntrySchemas> {
  if (file === undefined) return entrySchemas();
  if (file === MEMORY_ITEM) return everywhere(MEMORY_ITEM_SCHEMA);
  if (file === TOOL_CONFIGURATION) return everywhere(toolConfigurationJsonSchema() as JsonSchema);
  if (selfEditNamed(file) !== undefined) return everywhere(EDIT_SCHEMA);
  const fault = (problem: string, cause?: unknown): SeamError =>
    new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot read entry schemas from ${file}: expected a JSON object of domains and their schemas, ${problem}. Correct the file.`,
      { cause },
    );
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw fault(messageOf(cause), cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw fault('it holds something else');
  for (const [domain, schema] of Object.entries(value)) {
    try {
      checkJsonSchema(schema);
      checkEntrySchema(schema);
    } catch (cause) {
      throw fault(`the schema of ${domain} is refused (${messageOf(cause)})`, cause);
    }
  }
  return entrySchemas(value as Readonly<Record<string, JsonSchema>>);
}
