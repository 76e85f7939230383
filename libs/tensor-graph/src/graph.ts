/**
 * An ONNX graph under construction. Nodes are appended in execution order and every value has a type and a shape,
 * inferred when its node is added, so that a mistake is refused where it is made and not by a runtime later.
 */
import { SeamError } from '@seamstream/kernel';
import type { Dimension } from './dimension.js';
import { shapeText } from './dimension.js';
import { inferShapes } from './shape-rules.js';
import type { Attributes, DataType, ExternalData, Initializer, Node, Value } from './value.js';

const CONTRIBUTED = new Set(['FusedMatMul', 'RotaryEmbedding', 'QuickGelu']);

export class Graph {
  readonly nodes: Node[] = [];
  readonly inputs: Value[] = [];
  readonly outputs: Value[] = [];
  readonly initializers: Initializer[] = [];
  readonly #producers = new Map<Value, Node>();
  readonly #constants = new Map<string, Value>();
  readonly #integers = new Map<Value, readonly number[]>();
  readonly #names = new Set<string>();

  constructor(readonly name: string) {}

  /** A tensor that the caller feeds at every run. */
  input(name: string, type: DataType, shape: readonly Dimension[]): Value {
    const value = { name: this.#claim(name), type, shape };
    this.inputs.push(value);
    return value;
  }

  /**
   * A tensor fixed in the model. `data` is row-major: a typed array of matching length, or a place in a file.
   * @throws SHAPE_MISMATCH when shape and length disagree.
   */
  initializer(
    name: string,
    type: DataType,
    shape: readonly number[],
    data: Float32Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | ExternalData,
  ): Value {
    const elements = shape.reduce((total, size) => total * size, 1);
    const bytes = ArrayBuffer.isView(data) ? data.byteLength : data.length;
    const width = type === 'bool' ? 1 : type === 'int64' ? 8 : type === 'bfloat16' || type === 'float16' ? 2 : 4;
    if (bytes !== elements * width) {
      throw new SeamError(
        'SHAPE_MISMATCH',
        `Cannot add initializer ${name} of shape ${shapeText(shape)} and type ${type}: expected ${elements * width} bytes, got ${bytes}.`,
        { details: { name, shape, bytes } },
      );
    }
    const value = { name: this.#claim(name), type, shape };
    this.initializers.push({
      value,
      data: ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data,
    });
    return value;
  }

  /** A float32 constant: a scalar for a number, else a vector. Equal constants are one value. */
  float(content: number | readonly number[]): Value {
    return this.#constant('float32', content, (numbers) => Float32Array.from(numbers));
  }

  /** An int64 constant: a scalar for a number, else a vector. Its content is known to shape inference. */
  integer(content: number | readonly number[]): Value {
    const value = this.#constant('int64', content, (numbers) => BigInt64Array.from(numbers, BigInt));
    this.#integers.set(value, typeof content === 'number' ? [content] : content);
    return value;
  }

  /** The content of a constant made by {@link integer}, else undefined. */
  integersOf(value: Value | undefined): readonly number[] | undefined {
    return value && this.#integers.get(value);
  }

  /**
   * Appends a node and returns its outputs.
   * @param outputs how many outputs to name (an operator's optional ones are left out by default).
   * @throws SHAPE_MISMATCH, UNSUPPORTED_OPERATOR
   */
  node(operator: string, inputs: readonly (Value | undefined)[], attributes: Attributes = {}, outputs = 1): Value[] {
    const inferred = inferShapes(this, operator, inputs, attributes);
    return this.#append(operator, inputs, attributes, inferred.slice(0, outputs));
  }

  /** Appends a node with one output. */
  apply(operator: string, inputs: readonly (Value | undefined)[], attributes: Attributes = {}): Value {
    return this.node(operator, inputs, attributes)[0]!;
  }

  /** Appends a node whose output's shape the caller vouches for, since it depends on data. */
  applyWithShape(
    operator: string,
    inputs: readonly (Value | undefined)[],
    attributes: Attributes,
    type: DataType,
    shape: readonly Dimension[],
  ): Value {
    return this.#append(operator, inputs, attributes, [{ type, shape }])[0]!;
  }

  /** Makes a value an output of the graph under a separate name. */
  output(name: string, value: Value): Value {
    const named = { name: this.#claim(name), type: value.type, shape: value.shape };
    const node: Node = { operator: 'Identity', domain: '', inputs: [value], outputs: [named], attributes: {} };
    this.nodes.push(node);
    this.#producers.set(named, node);
    this.outputs.push(named);
    return named;
  }

  /** The node that computes a value; undefined for inputs and initializers. */
  producerOf(value: Value): Node | undefined {
    return this.#producers.get(value);
  }

  #append(
    operator: string,
    inputs: readonly (Value | undefined)[],
    attributes: Attributes,
    results: readonly { readonly type: DataType; readonly shape: readonly Dimension[] }[],
  ): Value[] {
    const index = this.nodes.length;
    const outputs = results.map(({ type, shape }, output) => ({
      name: this.#claim(`${operator}_${index}${output === 0 ? '' : `_${output}`}`),
      type,
      shape,
    }));
    const node: Node = {
      operator,
      domain: CONTRIBUTED.has(operator) ? 'com.microsoft' : '',
      inputs,
      outputs,
      attributes,
    };
    this.nodes.push(node);
    for (const output of outputs) this.#producers.set(output, node);
    return outputs;
  }

  #constant(
    type: 'float32' | 'int64',
    content: number | readonly number[],
    pack: (numbers: readonly number[]) => Float32Array | BigInt64Array,
  ): Value {
    const key = `${type}:${typeof content}:${String(content)}`;
    let value = this.#constants.get(key);
    if (!value) {
      const numbers = typeof content === 'number' ? [content] : content;
      const shape = typeof content === 'number' ? [] : [content.length];
      value = this.initializer(`constant_${this.#constants.size}`, type, shape, pack(numbers));
      this.#constants.set(key, value);
    }
    return value;
  }

  #claim(name: string): string {
    if (this.#names.has(name)) {
      throw new SeamError(
        'CONFLICT',
        `Cannot add a value to graph ${this.name}: expected a name that is not used yet, got ${name}.`,
        {
          details: { graph: this.name, name },
        },
      );
    }
    this.#names.add(name);
    return name;
  }
}
