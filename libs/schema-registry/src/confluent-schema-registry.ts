/**
 * A registry that speaks Confluent's REST API (https://docs.confluent.io/platform/current/schema-registry/develop/api.html):
 * Confluent's own, Karapace, Apicurio under /apis/ccompat/v7, Redpanda. Four calls:
 *
 *   POST /subjects/{subject}/versions             {"schema": "…"} → {"id": 1}; 409 and 422 refuse it
 *   GET  /subjects/{subject}/versions             → [1, 2, …]
 *   GET  /subjects/{subject}/versions/{version}   → {"id": 1, "schema": "…"}
 *   GET  /schemas/ids/{id}                        → {"schema": "…"}, with "schemaType" unless it is Avro
 *
 * That something is not there is said by 404 with the API's own error code. A bare 404 comes from a wrong address, and must
 * not send every record to the dead letters.
 *
 * What answers is not believed: redirects are not followed, an answer has an end, and messages quote a short piece of it at most.
 */
import { messageOf, SeamError, textWithin } from '@seamstream/kernel';
import { type RegisteredSchema, SchemaRegistry } from './schema-registry.js';

export interface ConfluentSchemaRegistryOptions {
  /** Base address, with a path where the API has one; without credentials. */
  readonly url: string;
  /** HTTP basic authentication: both or neither. */
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** Longest wait for an answer, milliseconds. Default 5000. */
  readonly timeoutMs?: number;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Of an answer. Schemas are some kilobytes; Confluent's own registry takes none above a megabyte. */
const MAX_ANSWER_BYTES = 4 * 1024 ** 2;
/** Of a subject. */
const MAX_VERSIONS = 10_000;
/** Versions asked for side by side. */
const MAX_QUESTIONS = 16;
/** Of an answer in a message. */
const QUOTED_CHARACTERS = 200;
/** Of the reason why a registry refuses a schema: it lists the fields, and an operator needs them. */
const REASON_CHARACTERS = 1000;
const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json';

export class ConfluentSchemaRegistry extends SchemaRegistry {
  private readonly base: string;
  private readonly timeoutMs: number;
  private readonly headers: Readonly<Record<string, string>>;

  constructor({ url, username, password, timeoutMs = 5_000 }: ConfluentSchemaRegistryOptions) {
    super();
    this.base = url.replace(/(?<!\/)\/+$/, '');
    this.timeoutMs = timeoutMs;
    this.headers = {
      accept: `${MEDIA_TYPE}, application/json`,
      ...(username === undefined || password === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` }),
    };
  }

  async register(subject: string, schema: string): Promise<number> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    const { status, body } = await this.ask('POST', path, { schema });
    if (status === 409 || status === 422) {
      const reason = quoted(String((body as { message?: unknown } | null)?.message), REASON_CHARACTERS);
      throw new SeamError(
        'INCOMPATIBLE_SCHEMA',
        `Cannot register the schema of subject ${subject} at ${this.base}: the registry refuses it: ${reason}. Make the schema compatible with the subject's versions, or give this system its own registry (or topics).`,
        { details: { subject, status, reason } },
      );
    }
    return this.must('POST', path, { status, body }, idOf(body));
  }

  async versions(subject: string): Promise<readonly RegisteredSchema[]> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions`;
    const answer = await this.ask('GET', path);
    if (isNotFound(answer)) return [];
    const numbers = this.must('GET', path, answer, versionsOf(answer.body));
    const found: RegisteredSchema[] = [];
    for (let at = 0; at < numbers.length; at += MAX_QUESTIONS) {
      const some = numbers.slice(at, at + MAX_QUESTIONS);
      found.push(...(await Promise.all(some.map((number) => this.version(`${path}/${number}`)))).flat());
    }
    return found;
  }

  private async version(path: string): Promise<readonly RegisteredSchema[]> {
    const version = await this.ask('GET', path);
    const schema = avroOf(version.body);
    const id = this.must('GET', path, version, idOf(version.body));
    return schema === undefined ? [] : [{ id, schema }];
  }

  async schemaOf(id: number): Promise<string | undefined> {
    const path = `/schemas/ids/${id}`;
    const answer = await this.ask('GET', path);
    if (isNotFound(answer)) return undefined;
    this.must('GET', path, answer, textOf(answer.body));
    return avroOf(answer.body);
  }

  /** One request. Answers of 2xx, 404, 409 and 422 come back, with the body that they all have. */
  private async ask(method: 'GET' | 'POST', path: string, content?: unknown): Promise<Answer> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(this.base + path, {
        method,
        headers: content === undefined ? this.headers : { ...this.headers, 'content-type': MEDIA_TYPE },
        body: content === undefined ? null : JSON.stringify(content),
        // The operator decides about another address.
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      text = await textWithin(MAX_ANSWER_BYTES, response);
    } catch (cause) {
      // fetch says "fetch failed" and keeps the reason as its cause.
      const reason = messageOf(cause instanceof Error && cause.cause !== undefined ? cause.cause : cause);
      throw this.unavailable(method, path, quoted(reason), cause);
    }
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    const { status } = response;
    if (body !== undefined && (response.ok || [404, 409, 422].includes(status))) return { status, body };
    const advice =
      status === 401 || status === 403
        ? ' Check SEAM_SCHEMA_REGISTRY_USERNAME and SEAM_SCHEMA_REGISTRY_PASSWORD.'
        : status === 404
          ? ' Is there a path missing in the address?'
          : status >= 300 && status < 400
            ? ' Redirects are not followed: set the address that it names, if that is the registry.'
            : '';
    throw this.unavailable(method, path, `it answered ${status}: ${JSON.stringify(quoted(text))}.${advice}`);
  }

  /** The part of an answer that the API promises. */
  private must<T>(method: string, path: string, { status, body }: Answer, part: T | undefined): T {
    if (part !== undefined) return part;
    throw this.unavailable(method, path, `it answered ${status}: ${quoted(JSON.stringify(body))}.`);
  }

  private unavailable(method: string, path: string, reason: string, cause?: unknown): SeamError {
    return new SeamError(
      'SCHEMA_REGISTRY_UNAVAILABLE',
      `Cannot ask the schema registry (${method} ${this.base}${path}): expected an answer of Confluent's API within ${this.timeoutMs} ms, got: ${reason}`,
      { details: { path }, cause },
    );
  }
}

/** The beginning of what a stranger said, without what a terminal would obey or not show. */
function quoted(text: string, most = QUOTED_CHARACTERS): string {
  return text.slice(0, most).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '·');
}

/** 404nn with 404: 40401 subject, 40402 version, 40403 schema. */
function isNotFound({ status, body }: Answer): boolean {
  return status === 404 && typeof (body as { error_code?: unknown } | null)?.error_code === 'number';
}

function versionsOf(body: unknown): readonly number[] | undefined {
  const isNumbers = Array.isArray(body) && body.every((each) => Number.isInteger(each) && (each as number) > 0);
  return isNumbers && body.length <= MAX_VERSIONS ? (body as number[]) : undefined;
}

function idOf(body: unknown): number | undefined {
  const { id } = (body ?? {}) as { id?: unknown };
  return typeof id === 'number' && Number.isInteger(id) && id >= 0 && id < 2 ** 32 ? id : undefined;
}

function textOf(body: unknown): string | undefined {
  const { schema } = (body ?? {}) as { schema?: unknown };
  return typeof schema === 'string' ? schema : undefined;
}

/** The schema, unless it is JSON Schema or Protobuf, or refers to others. */
function avroOf(body: unknown): string | undefined {
  const { schemaType = 'AVRO', references = [] } = (body ?? {}) as { schemaType?: unknown; references?: unknown };
  return schemaType === 'AVRO' && Array.isArray(references) && references.length === 0 ? textOf(body) : undefined;
}
