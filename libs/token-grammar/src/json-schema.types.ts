/** A JSON Schema as published, draft 4 to 2020-12. Which keywords hold a text while it is written says docs/reference/json-schema.md. */
export type JsonSchema = Readonly<Record<string, unknown>>;
