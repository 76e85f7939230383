/**
 * Type and shape of every operator's outputs, keyed by operator: what ONNX's own inference would say
 * (https://onnx.ai/onnx/operators/, opset 21; com.microsoft: onnxruntime's ContribOperators.md).
 */
import { SeamError } from '@seamstream/kernel';
import type { Dimension } from './dimension.js';
import { broadcast, product, quotient, shapeText } from './dimension.js';
import { type Attributes, type DataType, typeOfCode, type Value } from './value.js';

export interface Inferred {
  readonly type: DataType;
  readonly shape: readonly Dimension[];
}

/** What inference needs to know of the graph. */
interface ShapeContext {
  readonly name: string;
  integersOf(value: Value | undefined): readonly number[] | undefined;
}

interface Call {
  readonly graph: ShapeContext;
  readonly operator: string;
  readonly inputs: readonly (Value | undefined)[];
  readonly attributes: Attributes;
  readonly input: (index: number) => Value;
  readonly refuse: (expected: string) => never;
}

type ShapeRule = (call: Call) => Inferred[];

/** ONNX counts axes from the end when negative. */
export function normalAxis(axis: number, rank: number): number {
  return axis < 0 ? axis + rank : axis;
}

const integer = (attributes: Attributes, name: string, otherwise: number): number => {
  const value = attributes[name];
  return typeof value === 'number' ? value : otherwise;
};

const sameAsFirst: ShapeRule = ({ input }) => [{ type: input(0).type, shape: input(0).shape }];

const elementwise: ShapeRule = ({ operator, input, inputs }) => [
  {
    type: input(0).type,
    shape: broadcast(
      operator,
      inputs.map((_, index) => input(index).shape),
    ),
  },
];

const comparison: ShapeRule = ({ operator, input }) => [
  { type: 'bool', shape: broadcast(operator, [input(0).shape, input(1).shape]) },
];

const reduction: ShapeRule = ({ graph, input, inputs, attributes }) => {
  const { type, shape } = input(0);
  const axes = (graph.integersOf(inputs[1]) ?? shape.map((_, axis) => axis)).map((a) => normalAxis(a, shape.length));
  const keep = integer(attributes, 'keepdims', 1) === 1;
  return [
    {
      type,
      shape: shape.flatMap((dimension, axis) => (!axes.includes(axis) ? [dimension] : keep ? [1] : [])),
    },
  ];
};

/** [..., M, K] × [..., K, N], the last two axes swapped where transA or transB says so. */
const matrixProduct: ShapeRule = ({ operator, input, attributes, refuse }) => {
  const swap = (shape: readonly Dimension[], flag: string): readonly Dimension[] =>
    integer(attributes, flag, 0) === 1 ? [...shape.slice(0, -2), shape.at(-1)!, shape.at(-2)!] : shape;
  if (input(0).shape.length < 2 || input(1).shape.length < 2) refuse('operands of rank 2 or more');
  const left = swap(input(0).shape, 'transA');
  const right = swap(input(1).shape, 'transB');
  if (left.at(-1) !== right.at(-2)) refuse('equal inner axes (after transA and transB)');
  return [
    {
      type: input(0).type,
      shape: [...broadcast(operator, [left.slice(0, -2), right.slice(0, -2)]), left.at(-2)!, right.at(-1)!],
    },
  ];
};

const RULES: Readonly<Record<string, ShapeRule>> = {
  Add: elementwise,
  Sub: elementwise,
  Mul: elementwise,
  Div: elementwise,
  Min: elementwise,
  Max: elementwise,
  Sum: elementwise,
  And: comparison,
  Less: comparison,
  LessOrEqual: comparison,
  Greater: comparison,
  GreaterOrEqual: comparison,
  Equal: comparison,
  Neg: sameAsFirst,
  Exp: sameAsFirst,
  Log: sameAsFirst,
  Sqrt: sameAsFirst,
  Reciprocal: sameAsFirst,
  Sigmoid: sameAsFirst,
  Tanh: sameAsFirst,
  Not: sameAsFirst,
  QuickGelu: sameAsFirst,
  Identity: sameAsFirst,
  Softmax: sameAsFirst,
  LogSoftmax: sameAsFirst,
  MatMul: matrixProduct,
  FusedMatMul: matrixProduct,
  ReduceSum: reduction,
  ReduceMean: reduction,
  ReduceMax: reduction,
  Where: ({ operator, input }) => [
    { type: input(1).type, shape: broadcast(operator, [input(0).shape, input(1).shape, input(2).shape]) },
  ],
  Cast: ({ input, attributes }) => [{ type: typeOfCode(integer(attributes, 'to', 1)), shape: input(0).shape }],
  Shape: ({ input }) => [{ type: 'int64', shape: [input(0).shape.length] }],
  Transpose: ({ input, attributes }) => {
    const order = attributes.perm as readonly number[];
    return [{ type: input(0).type, shape: order.map((axis) => input(0).shape[axis]!) }];
  },
  Reshape: ({ graph, input, inputs, refuse }) => {
    const target =
      graph.integersOf(inputs[1]) ?? refuse('a constant target; pass the shape by applyWithShape otherwise');
    const from = input(0).shape;
    const total = product(from);
    const fixed = target.map((size, axis) => (size === 0 ? from[axis]! : size === -1 ? 1 : size));
    const rest = quotient(total, product(fixed)) ?? refuse(`a target of as many elements, got ${shapeText(target)}`);
    if (rest !== 1 && !target.includes(-1)) refuse(`a target of as many elements, got ${shapeText(target)}`);
    return [{ type: input(0).type, shape: target.map((size, axis) => (size === -1 ? rest : fixed[axis]!)) }];
  },
  Concat: ({ input, inputs, attributes, refuse }) => {
    const { type, shape } = input(0);
    const axis = normalAxis(integer(attributes, 'axis', 0), shape.length);
    let total = 0;
    let symbols = '';
    inputs.forEach((_, index) => {
      const other = input(index).shape;
      if (other.length !== shape.length || other.some((size, at) => at !== axis && size !== shape[at])) {
        refuse(`equal shapes except on axis ${axis}`);
      }
      const size = other[axis]!;
      if (typeof size === 'number') total += size;
      else symbols += `${symbols === '' ? '' : '_plus_'}${size.replaceAll('*', 'x')}`;
    });
    const joined = symbols === '' ? total : total === 0 ? symbols : `${symbols}_plus_${total}`;
    return [{ type, shape: shape.map((size, at) => (at === axis ? joined : size)) }];
  },
  Slice: ({ graph, input, inputs, refuse }) => {
    const { type, shape } = input(0);
    const [starts, ends, axes] = [1, 2, 3].map(
      (index) =>
        graph.integersOf(inputs[index]) ?? refuse('constant starts, ends and axes; use applyWithShape otherwise'),
    ) as [readonly number[], readonly number[], readonly number[]];
    const result = [...shape];
    axes.forEach((given, index) => {
      const axis = normalAxis(given, shape.length);
      const size = shape[axis]!;
      if (typeof size !== 'number') return refuse('a known size on the sliced axis; use applyWithShape otherwise');
      const clamp = (at: number): number => Math.min(Math.max(at < 0 ? at + size : at, 0), size);
      result[axis] = clamp(ends[index]!) - clamp(starts[index]!);
    });
    return [{ type, shape: result }];
  },
  Expand: ({ graph, operator, input, inputs, refuse }) => {
    const target = graph.integersOf(inputs[1]) ?? refuse('a constant target; use applyWithShape otherwise');
    return [{ type: input(0).type, shape: broadcast(operator, [input(0).shape, target]) }];
  },
  Unsqueeze: ({ graph, input, inputs }) => {
    const axes = graph.integersOf(inputs[1])!;
    const shape = [...input(0).shape];
    const rank = shape.length + axes.length;
    for (const axis of axes.map((at) => normalAxis(at, rank)).sort((a, b) => a - b)) shape.splice(axis, 0, 1);
    return [{ type: input(0).type, shape }];
  },
  Gather: ({ input, attributes }) => {
    const { type, shape } = input(0);
    const axis = normalAxis(integer(attributes, 'axis', 0), shape.length);
    return [{ type, shape: [...shape.slice(0, axis), ...input(1).shape, ...shape.slice(axis + 1)] }];
  },
  GatherElements: ({ input, refuse }) => {
    if (input(0).shape.length !== input(1).shape.length) refuse('indices of the same rank as the data');
    return [{ type: input(0).type, shape: input(1).shape }];
  },
  ScatterElements: ({ input, refuse }) => {
    if (shapeText(input(1).shape) !== shapeText(input(2).shape)) refuse('updates shaped like the indices');
    return [{ type: input(0).type, shape: input(0).shape }];
  },
  ScatterND: ({ input, refuse }) => {
    const [data, indices, updates] = [input(0).shape, input(1).shape, input(2).shape];
    const expected = [...indices.slice(0, -1), ...data.slice(indices.at(-1) as number)];
    if (shapeText(expected) !== shapeText(updates)) refuse(`updates of shape ${shapeText(expected)}`);
    return [{ type: input(0).type, shape: data }];
  },
  /** Y and 1/rms, the latter with the normalised axes kept as 1. */
  SimplifiedLayerNormalization: ({ input, attributes, refuse }) => {
    const { type, shape } = input(0);
    const axis = normalAxis(integer(attributes, 'axis', -1), shape.length);
    if (axis !== shape.length - 1 || input(1).shape.length !== 1 || input(1).shape[0] !== shape[axis]) {
      refuse('a scale as long as the last axis');
    }
    return [
      { type, shape },
      { type, shape: shape.map((size, at) => (at < axis ? size : 1)) },
    ];
  },
  /**
   * x [B, T, H·hd], position_ids [B, T], cos and sin [positions, hd / 2]. With rotary_embedding_dim r and num_heads the first r
   * dimensions of each head are rotated, and cos and sin are [positions, r / 2].
   */
  RotaryEmbedding: ({ input, attributes, refuse }) => {
    const { type, shape } = input(0);
    const [width, half] = [shape[2], input(2).shape[1]];
    const part = integer(attributes, 'rotary_embedding_dim', 0);
    if (part > 0) {
      const heads = integer(attributes, 'num_heads', 0);
      if (shape.length !== 3 || half !== part / 2 || typeof width !== 'number' || !(width / heads >= part))
        refuse(
          `x of shape [B, T, H·hd] with hd ≥ ${part}, num_heads, and cos and sin of shape [positions, ${part / 2}]`,
        );
      return [{ type, shape }];
    }
    if (shape.length !== 3 || typeof half !== 'number' || typeof width !== 'number' || width % (2 * half) !== 0) {
      refuse('x of shape [B, T, H·hd] with cos and sin of shape [positions, hd / 2]');
    }
    return [{ type, shape }];
  },
};

/**
 * Types and shapes of the outputs of an operator.
 * @throws SHAPE_MISMATCH naming operator, operands and shapes; UNSUPPORTED_OPERATOR.
 */
export function inferShapes(
  graph: ShapeContext,
  operator: string,
  inputs: readonly (Value | undefined)[],
  attributes: Attributes,
): Inferred[] {
  const rule = RULES[operator];
  if (!rule) {
    throw new SeamError(
      'UNSUPPORTED_OPERATOR',
      `Cannot find the shape of a node: expected an operator with a shape rule, got ${operator}. Add one to shape-rules.ts.`,
      {
        details: { operator },
      },
    );
  }
  const operands = inputs.map((value) => (value ? `${value.name} ${shapeText(value.shape)}` : 'none'));
  const refuse = (expected: string): never => {
    throw new SeamError(
      'SHAPE_MISMATCH',
      `Cannot add ${operator} to graph ${graph.name}: expected ${expected}, got ${operands.join(', ')}.`,
      { details: { operator, operands, attributes } },
    );
  };
  const input = (index: number): Value => inputs[index] ?? refuse(`an input at position ${index}`);
  return rule({ graph, operator, inputs, attributes, input, refuse });
}
