/**
 * A schema of finitely many texts as a graph. Each node says what may be written next: one of several fixed texts, or nothing
 * more. Compact JSON, properties in the order of their declaration.
 *
 *   {"a":[" ──► oak | ash ──► "  ──► ,"  ──► oak | ash …
 *                              └──► ]}  ──► end
 *
 * Bounds make the graph finite and acyclic: an array of at most n items has n copies of its item. It is built from the end to the
 * beginning, so a node's successors always have smaller ids.
 */
import { AT_MOST, type FiniteSchema, type LimitedTexts } from './finite-schema.js';

export type LayoutNode = TextNode | EndNode;

interface TextEdge {
  readonly text: string;
  readonly next: LayoutNode;
}

export interface TextNode {
  readonly kind: 'text';
  readonly id: number;
  readonly edges: readonly TextEdge[];
}

interface EndNode {
  readonly kind: 'end';
  readonly id: 0;
}

/** Larger layouts come from bounds that no author means. This one still compiles in a second. */
const MAX_NODES = 50_000;

/** Undefined where array bounds multiply beyond 50 000 nodes. */
export function layoutOf(schema: FiniteSchema): LayoutNode | undefined {
  try {
    return new LayoutBuilder().build(schema, { kind: 'end', id: 0 });
  } catch (error) {
    if (error instanceof TooManyNodes) return undefined;
    throw error;
  }
}

class TooManyNodes extends Error {}

class LayoutBuilder {
  private nodes = 1;

  private nextId(): number {
    if (this.nodes === MAX_NODES) throw new TooManyNodes();
    return this.nodes++;
  }

  build(schema: FiniteSchema, next: LayoutNode): LayoutNode {
    if ('const' in schema) return this.literal(JSON.stringify(schema.const), next);
    if ('enum' in schema) return this.alternatives(schema.enum, next);
    switch (schema.type) {
      case 'boolean':
        return this.alternatives([true, false], next);
      case 'integer': {
        const { minimum, maximum } = schema;
        return this.alternatives(
          Array.from({ length: maximum - minimum + 1 }, (_, i) => minimum + i),
          next,
        );
      }
      case 'string':
        return this.literal('""', next);
      case 'array':
        return this.array(schema, next);
      case 'object':
        return this.object(schema, next);
    }
  }

  /** One fixed text; runs of fixed text become one edge. */
  private literal(text: string, next: LayoutNode): LayoutNode {
    const [only, second] = next.kind === 'text' ? next.edges : [];
    const edge =
      only !== undefined && second === undefined ? { text: text + only.text, next: only.next } : { text, next };
    return this.branch([edge]);
  }

  private branch(edges: readonly TextEdge[]): LayoutNode {
    return { kind: 'text', id: this.nextId(), edges };
  }

  /** Quotation marks that all alternatives share belong to the literal text around them. */
  private alternatives(values: readonly (string | number | boolean | null)[], next: LayoutNode): LayoutNode {
    const distinct = [...new Set(values)];
    if (distinct.length === 1) return this.literal(JSON.stringify(distinct[0]), next);
    if (!distinct.every((value) => typeof value === 'string')) {
      return this.branch(distinct.map((value) => ({ text: JSON.stringify(value), next })));
    }
    const close = this.literal('"', next);
    return this.literal(
      '"',
      this.branch(distinct.map((value) => ({ text: JSON.stringify(value).slice(1, -1), next: close }))),
    );
  }

  private array(schema: Extract<FiniteSchema, { type: 'array' }>, next: LayoutNode): LayoutNode {
    const { items, minItems = 0, maxItems } = schema;
    if (maxItems === 0) return this.literal('[]', next);
    const parts = schema[AT_MOST];
    if (parts !== undefined) return this.literal('[', this.limited(parts, { minItems, maxItems }, next));
    // `rest` is what follows item number `count`.
    let rest = this.literal(']', next);
    for (let count = maxItems - 1; count >= 1; count--) {
      const more = this.literal(',', this.build(items, rest));
      rest = count < minItems ? more : this.union(this.literal(']', next), more);
    }
    const some = this.literal('[', this.build(items, rest));
    return minItems > 0 ? some : this.union(this.literal('[]', next), some);
  }

  /** The rest of an array after its bracket: a copy of the texts that are still open for each way to have used them. */
  private limited(
    parts: readonly LimitedTexts[],
    { minItems, maxItems }: { readonly minItems: number; readonly maxItems: number },
    next: LayoutNode,
  ): LayoutNode {
    const built = new Map<string, LayoutNode>();
    const end = this.literal(']', next);
    const after = (used: readonly number[]): LayoutNode => {
      const known = built.get(used.join());
      if (known !== undefined) return known;
      const count = used.reduce((sum, each) => sum + each, 0);
      const open = count < maxItems ? [...parts.keys()].filter((part) => used[part]! < parts[part]!.times) : [];
      const edges = open.flatMap((part) => {
        const close = this.literal('"', after(used.with(part, used[part]! + 1)));
        return parts[part]!.texts.map((text) => ({ text: JSON.stringify(text).slice(1, -1), next: close }));
      });
      const more = edges.length === 0 ? undefined : this.literal(count === 0 ? '"' : ',"', this.branch(edges));
      const node = more === undefined ? end : count < minItems ? more : this.union(end, more);
      built.set(used.join(), node);
      return node;
    };
    return after(parts.map(() => 0));
  }

  private object(schema: Extract<FiniteSchema, { type: 'object' }>, next: LayoutNode): LayoutNode {
    // `after[1]`: what follows when a property has been written, `after[0]`: when none has.
    let after = [this.literal('}', next), this.literal('}', next)] as const;
    for (const [name, property] of Object.entries(schema.properties).reverse()) {
      const present = this.build(property, after[1]);
      const isRequired = schema.required.includes(name);
      const at = (skipped: LayoutNode, separator: string): LayoutNode => {
        const written = this.literal(`${separator}${JSON.stringify(name)}:`, present);
        return isRequired ? written : this.union(written, skipped);
      };
      after = [at(after[0], ''), at(after[1], ',')];
    }
    return this.literal('{', after[0]);
  }

  private union(...nodes: readonly LayoutNode[]): LayoutNode {
    return this.branch(nodes.flatMap((node) => (node.kind === 'text' ? node.edges : [{ text: '', next: node }])));
  }
}
