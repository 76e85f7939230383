/**
 * The port of a schema registry: schemas under subjects, each with an id that stands before every record written with it.
 * Ids never change their meaning.
 */
export interface RegisteredSchema {
  /** 0 to 2^32 − 1. */
  readonly id: number;
  /** JSON text of an Avro schema. */
  readonly schema: string;
}

/** Every method throws SCHEMA_REGISTRY_UNAVAILABLE when the registry cannot be asked or its answer makes no sense. */
export abstract class SchemaRegistry {
  /**
   * Makes the schema a version of the subject, unless it is one, and returns its id. INCOMPATIBLE_SCHEMA when the registry
   * refuses it.
   */
  abstract register(subject: string, schema: string): Promise<number>;

  /** The subject's Avro schemas, oldest first; none when there is no such subject. */
  abstract versions(subject: string): Promise<readonly RegisteredSchema[]>;

  /** The Avro schema with this id; undefined when the registry has none, or one that is not self-contained Avro. */
  abstract schemaOf(id: number): Promise<string | undefined>;
}
