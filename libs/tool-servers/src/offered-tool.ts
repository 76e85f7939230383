/** A tool as a model is offered it, and whether what the model calls it with is what it takes. Pure. */
import { asData } from '@seamstream/experience';
import { clipped, SeamError, sha256 } from '@seamstream/kernel';
import { z } from 'zod';

export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** A tool with the check of its arguments. */
export interface CheckedTool extends OfferedTool {
  /** Name of its server. */
  readonly server: string;
  /** What is wrong with arguments; undefined where they fit. */
  fault(args: Readonly<Record<string, unknown>>): string | undefined;
}

/** What a server says of a tool, as MCP has it. */
export interface ListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

const MOST_DESCRIPTION = 2000;
const MOST_SCHEMA_BYTES = 16_384;
/**
 * Keywords that are the server's own to check. A pattern of a server's could take for ever on a text of the model's, and the others
 * say nothing that a call would fail by here.
 */
const LEFT_TO_SERVER = new Set([
  'pattern',
  'patternProperties',
  'format',
  'contentEncoding',
  'contentMediaType',
  '$id',
]);

/**
 * Reads a tool. Its words are a stranger's: control tokens in them are broken, and they are bounded.
 * @throws INVALID_CONFIGURATION for a schema of arguments that cannot be checked
 */
export function checkedTool(server: string, { name, description = '', inputSchema }: ListedTool): CheckedTool {
  const refuse = (got: string): SeamError =>
    new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot offer tool ${name} of server ${server}: expected a JSON Schema of an object of at most ${MOST_SCHEMA_BYTES} bytes, got ${got}. Take the tool from the allowed ones.`,
    );
  const text = JSON.stringify(inputSchema);
  if (Buffer.byteLength(text) > MOST_SCHEMA_BYTES) throw refuse(`${Buffer.byteLength(text)} bytes`);
  let schema: z.ZodType;
  try {
    schema = z.fromJSONSchema(withoutKeywords(inputSchema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    throw refuse(`one that is not understood (${clipped(String(error), 200)})`);
  }
  return {
    server,
    name,
    description: clipped(asData(description), MOST_DESCRIPTION),
    parameters: broken(inputSchema) as Readonly<Record<string, unknown>>,
    fault: (args) => {
      const parsed = schema.safeParse(args);
      if (parsed.success) return undefined;
      const [issue] = parsed.error.issues;
      return `${issue === undefined || issue.path.length === 0 ? 'the arguments' : issue.path.join('.')}: ${issue?.message ?? 'not what it takes'}`;
    },
  };
}

/** Of what a model is offered: part of an executor's identity. */
export function toolsDigest(tools: readonly OfferedTool[]): string {
  return sha256(JSON.stringify(tools.map(({ name, description, parameters }) => [name, description, parameters])));
}

function withoutKeywords(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((each) => withoutKeywords(each));
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      // Under `properties` a word is the name of an argument, not a keyword.
      .filter(([name]) => isNames || !LEFT_TO_SERVER.has(name))
      .map(([name, value]) => {
        const isData = !isNames && ['enum', 'const', 'default', 'examples', 'required'].includes(name);
        return [
          name,
          isData ? value : withoutKeywords(value, !isNames && ['properties', '$defs', 'definitions'].includes(name)),
        ];
      }),
  );
}

/** Descriptions inside a schema are words as well. */
function broken(value: unknown): unknown {
  if (typeof value === 'string') return asData(value);
  if (Array.isArray(value)) return value.map(broken);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, broken(inner)]));
}
