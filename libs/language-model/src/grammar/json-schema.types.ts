/** The subset of JSON Schema (draft 2020-12) that constrains generation. Anything else is refused by name. */
export type JsonSchema =
  | {
      readonly type: 'object';
      readonly properties: Readonly<Record<string, JsonSchema>>;
      readonly required: readonly string[];
      readonly additionalProperties: false;
      readonly title?: string;
      readonly description?: string;
    }
  | {
      readonly type: 'array';
      readonly items: JsonSchema;
      readonly minItems?: number;
      readonly maxItems: number;
      readonly description?: string;
    }
  | { readonly type: 'string'; readonly minLength?: number; readonly maxLength: number; readonly description?: string }
  | { readonly type: 'boolean'; readonly description?: string }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number; readonly description?: string }
  | { readonly enum: readonly (string | number | boolean | null)[]; readonly description?: string }
  | { readonly const: string | number | boolean | null; readonly description?: string };
