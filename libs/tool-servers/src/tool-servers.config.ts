/** Which tool servers there are, and which of their tools a model may call. */
import { z } from 'zod';

const NAME = /^[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}$/;
/** What OpenAI's protocol takes as the name of a function. */
const TOOL = /^[a-zA-Z0-9_-]{1,64}$/;
const variable = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable, not its value')
  .meta({ secretWhenRefused: true });

const allowed = {
  /** The tools of it that the model may call; no other is offered or called. */
  tools: z.array(z.string().regex(TOOL, 'expected a name of letters, digits, "_" and "-", at most 64')).min(1).max(64),
  /** Hosts (`host` or `host:port`) that addresses in arguments may name, and no others. Absent: any host that is not local. */
  hosts: z.array(z.string().min(1).max(255)).max(1000).optional(),
};

const programSchema = z.strictObject({
  /** A program that speaks MCP over its input and output; a path, or a name in /usr/local/bin, /usr/bin or /bin. */
  command: z.string().min(1),
  args: z.array(z.string()).max(100).default([]),
  /** Names of the variables of this process that it is given. It gets no others. */
  variables: z.array(variable).max(50).default([]),
  ...allowed,
});

const addressSchema = z.strictObject({
  /** Address of a server that speaks MCP over streamable HTTP. */
  url: z
    .url({ protocol: /^https?$/ })
    .refine((address) => !URL.canParse(address) || new URL(address).username + new URL(address).password === '', {
      error: 'expected no user and password in the address: name the variable of the key instead',
    })
    .meta({ secretWhenRefused: true }),
  /** Name of the variable with the key that is sent as `Authorization: Bearer`. */
  keyVariable: variable.optional(),
  ...allowed,
});

const serverSchema = z.union([programSchema, addressSchema], {
  error: 'expected {"command": …, "tools": […]} or {"url": …, "tools": […]}',
});

/** By the name that messages give them. */
export const toolServersSchema = z.record(z.string().regex(NAME), serverSchema);

export type ToolServerChoice = z.infer<typeof serverSchema>;
export type ToolServersChoice = Readonly<Record<string, ToolServerChoice>>;
