import { SeamError } from '@seamstream/kernel';
import { type RegisteredSchema, SchemaRegistry } from './schema-registry.js';

/** A registry in memory that takes every schema. `isDown` makes it unreachable, `numQuestions` counts what it was asked. */
export class InMemorySchemaRegistry extends SchemaRegistry {
  isDown = false;
  numQuestions = 0;
  private readonly schemas: string[] = [];
  private readonly subjects = new Map<string, Set<number>>();

  async register(subject: string, schema: string): Promise<number> {
    this.answer();
    if (!this.schemas.includes(schema)) this.schemas.push(schema);
    const id = this.schemas.indexOf(schema) + 1;
    this.subjects.set(subject, (this.subjects.get(subject) ?? new Set()).add(id));
    return id;
  }

  async versions(subject: string): Promise<readonly RegisteredSchema[]> {
    this.answer();
    return [...(this.subjects.get(subject) ?? [])].map((id) => ({ id, schema: this.schemas[id - 1]! }));
  }

  async schemaOf(id: number): Promise<string | undefined> {
    this.answer();
    return this.schemas[id - 1];
  }

  private answer(): void {
    this.numQuestions++;
    if (this.isDown) throw new SeamError('SCHEMA_REGISTRY_UNAVAILABLE', 'Cannot ask the schema registry: it is down.');
  }
}
