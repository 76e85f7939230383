/** Where the subschemas of one document stand, and what its references mean. Nothing outside of the document is read. */
import { SeamError } from '@seamstream/kernel';

export interface Located {
  readonly schema: unknown;
  /** JSON pointer within the document, from `#`. */
  readonly path: string;
  /** Absolute URI that references are relative to. */
  readonly base: string;
}

const BASE = 'schema://document/';

export class SchemaResources {
  readonly root: Located;
  /** Drafts up to 7 ignore the keywords next to a reference. */
  readonly refStandsAlone: boolean;
  private readonly resources = new Map<string, Located>();
  private readonly anchors = new Map<string, Located>();

  constructor(document: unknown) {
    const dialect = isRecord(document) && typeof document.$schema === 'string' ? document.$schema : '';
    if (dialect !== '' && !/^https?:\/\/json-schema\.org\//.test(dialect))
      throw unsupported(
        '$schema',
        '#',
        `${JSON.stringify(dialect)} is not a published draft, so its keywords may mean anything`,
      );
    this.refStandsAlone = /draft-0[3-7]/.test(dialect);
    this.root = { schema: document, path: '#', base: this.baseOf(document, BASE) };
    this.resources.set(BASE, this.root);
    this.register(this.root, BASE);
  }

  child({ path, base }: Located, schema: unknown, ...keys: readonly (string | number)[]): Located {
    const steps = keys.map((key) => String(key).replaceAll('~', '~0').replaceAll('/', '~1'));
    return { schema, path: [path, ...steps].join('/'), base: this.baseOf(schema, base) };
  }

  /** @throws UNSUPPORTED_JSON_SCHEMA where it leads out of the document, or nowhere. */
  follow(from: Located, reference: unknown): Located {
    const fault = (problem: string): SeamError => unsupported('$ref', from.path, problem);
    if (typeof reference !== 'string') throw fault('expected a text');
    const target = resolved(reference, from.base);
    if (target === undefined) throw fault(`${JSON.stringify(reference)} is no reference`);
    const [uri = '', fragment = ''] = target.split('#');
    const resource = this.resources.get(uri);
    if (resource === undefined)
      throw fault(`${JSON.stringify(reference)} leads out of the document; only references within it are followed`);
    if (fragment === '') return resource;
    if (!fragment.startsWith('/')) {
      const anchored = this.anchors.get(`${uri}#${fragment}`);
      if (anchored === undefined) throw fault(`no subschema has the anchor ${JSON.stringify(fragment)}`);
      return anchored;
    }
    let at = resource;
    for (const step of fragment.slice(1).split('/')) {
      let key = step;
      try {
        key = decodeURIComponent(step);
      } catch {
        // A stray per cent sign is itself.
      }
      key = key.replaceAll('~1', '/').replaceAll('~0', '~');
      const inner =
        typeof at.schema === 'object' && at.schema !== null && Object.hasOwn(at.schema, key)
          ? (at.schema as Readonly<Record<string, unknown>>)[key]
          : undefined;
      if (inner === undefined) throw fault(`${JSON.stringify(reference)} leads nowhere`);
      at = this.child(at, inner, key);
    }
    return at;
  }

  private baseOf(schema: unknown, base: string): string {
    if (!isRecord(schema)) return base;
    const id = schema.$id ?? (this.refStandsAlone ? schema.id : undefined);
    if (typeof id !== 'string' || id.startsWith('#') || (this.refStandsAlone && '$ref' in schema)) return base;
    return resolved(id, base)?.split('#')[0] ?? base;
  }

  private register(at: Located, outerBase: string): void {
    const { schema, base } = at;
    if (Array.isArray(schema)) {
      for (const [index, inner] of schema.entries()) this.register(this.child(at, inner, index), base);
      return;
    }
    if (!isRecord(schema)) return;
    if (base !== outerBase && !this.resources.has(base)) this.resources.set(base, at);
    const anchors = [schema.$anchor, schema.$dynamicAnchor, this.refStandsAlone ? schema.$id : undefined, schema.id];
    for (const anchor of anchors) {
      if (typeof anchor === 'string' && !anchor.includes('/')) {
        const name = anchor.startsWith('#') ? anchor.slice(1) : anchor;
        if (!this.anchors.has(`${base}#${name}`)) this.anchors.set(`${base}#${name}`, at);
      }
    }
    for (const [key, inner] of Object.entries(schema)) {
      if (key !== 'enum' && key !== 'const' && key !== 'default' && key !== 'examples')
        this.register(this.child(at, inner, key), base);
    }
  }
}

function resolved(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    // A URN takes a fragment and nothing else.
    return reference.startsWith('#') ? `${base.split('#')[0] ?? ''}${reference}` : undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function unsupported(keyword: string, path: string, problem: string): SeamError {
  return new SeamError(
    'UNSUPPORTED_JSON_SCHEMA',
    `Cannot compile a JSON Schema: ${keyword === '' ? 'the schema' : `keyword ${JSON.stringify(keyword)}`} at ${path}: ${problem}.`,
    { details: { keyword, path } },
  );
}
