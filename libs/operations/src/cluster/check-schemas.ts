/**
 * Whether this release reads what is in the log and what the schema registry has: asked before another version is put in its
 * place. A newer version writes at the end, so the newest records tell; records that are damaged are not looked at.
 */
import type { EventLog } from '@seamstream/event-log';
import { eventSchemas, schemaFault, TOPICS } from '@seamstream/events';
import { decodeRecord, readRecords, storedRanges } from '@seamstream/log-reader';
import { type SchemaRegistry, subjectOf } from '@seamstream/schema-registry';

export interface SchemasWorld {
  readonly signal: AbortSignal;
  openUnsignedLog(mode: 'read'): Promise<EventLog>;
  /** Undefined where none is configured. */
  openSchemaRegistry(): Promise<{ readonly registry: SchemaRegistry; readonly topicPrefix: string } | undefined>;
}

/** A schema that this release cannot read. */
interface SchemaFinding {
  /** A topic, or a subject of the registry. */
  readonly place: string;
  /** Records among those that were looked at; null for a version of a subject. */
  readonly records: number | null;
  readonly reason: string;
}

export interface SchemaCheck {
  /** Records that were looked at. */
  readonly records: number;
  /** Versions of subjects that were looked at; null without a registry. */
  readonly versions: number | null;
  readonly findings: readonly SchemaFinding[];
}

/** What a record's schema can be: everything else is damage, and a matter of dead letters. */
const SCHEMA_FAULTS: ReadonlySet<string> = new Set(['UNKNOWN_SCHEMA', 'INCOMPATIBLE_SCHEMA']);

/**
 * Reads the newest records of every partition, and all versions of the registry's subjects. Changes nothing.
 * @throws NOT_FOUND for a log without the system's topics, and what log and registry throw
 */
export async function checkSchemas(world: SchemasWorld, { newest }: { readonly newest: number }): Promise<SchemaCheck> {
  const log = await inLog(world, newest);
  const opened = await world.openSchemaRegistry();
  if (opened === undefined) return { ...log, versions: null };
  const registered = await inRegistry(opened.registry, opened.topicPrefix);
  return { ...log, versions: registered.versions, findings: [...log.findings, ...registered.findings] };
}

async function inLog(world: SchemasWorld, newest: number): Promise<Omit<SchemaCheck, 'versions'>> {
  const log = await world.openUnsignedLog('read');
  let records = 0;
  const findings: SchemaFinding[] = [];
  for (const { name } of TOPICS) {
    const stored = await storedRanges(log, name);
    const ranges = stored.map((range) => ({ ...range, from: Math.max(range.from, range.to - newest) }));
    const faults: string[] = [];
    for await (const chunk of readRecords(log, ranges, { signal: world.signal })) {
      records += chunk.records.length;
      for (const decoded of chunk.records.map(decodeRecord))
        if ('fault' in decoded && SCHEMA_FAULTS.has(decoded.fault.code)) faults.push(decoded.fault.message);
    }
    if (faults.length > 0) findings.push({ place: name, records: faults.length, reason: faults[0]! });
  }
  return { records, findings };
}

async function inRegistry(
  registry: SchemaRegistry,
  topicPrefix: string,
): Promise<{ readonly versions: number; readonly findings: readonly SchemaFinding[] }> {
  const findings: SchemaFinding[] = [];
  let versions = 0;
  for (const { topic, fullName } of eventSchemas()) {
    const subject = subjectOf(topicPrefix + topic, fullName);
    for (const { id, schema } of await registry.versions(subject)) {
      versions++;
      const fault = schemaFault(schema);
      if (fault !== undefined)
        findings.push({ place: subject, records: null, reason: `Its schema with id ${id} cannot be read: ${fault}` });
    }
  }
  return { versions, findings };
}
