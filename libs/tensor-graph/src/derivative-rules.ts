/**
 * Reverse-mode derivatives, one rule per operator. A rule gets dL/d(outputs) and emits ordinary nodes that compute
 * dL/d(inputs). Forward results are reused where the formula has them (y of Softmax, 1/rms of RMSNorm).
 *
 * Notation: x, a, b inputs; y output; dy = dL/dy. Sources: the matrix identities of Giles, "Collected matrix derivative
 * results for forward and reverse mode algorithmic differentiation" (2008), and the definitions of the operators.
 */
import { SeamError } from '@seamstream/kernel';
import type { Dimension } from './dimension.js';
import { product } from './dimension.js';
import type { Graph } from './graph.js';
import { normalAxis } from './shape-rules.js';
import type { Node, Value } from './value.js';

interface DerivativeCall {
  readonly graph: Graph;
  readonly node: Node;
  /** dL/dy of the first output. The further outputs of a node are statistics and carry no gradient. */
  readonly dy: Value;
  readonly input: (index: number) => Value;
  /** Whether dL/d(input) is wanted: a rule need not compute the others. */
  readonly wanted: (index: number) => boolean;
}

/** dL/d(input) by position; undefined where there is none. */
export type DerivativeRule = (call: DerivativeCall) => (Value | undefined)[];

/** Sums `value` over the axes along which an operand of shape `shape` was broadcast. */
function sumTo(graph: Graph, value: Value, shape: readonly Dimension[]): Value {
  const extra = value.shape.length - shape.length;
  const leading = Array.from({ length: extra }, (_, axis) => axis);
  let result = leading.length > 0 ? graph.apply('ReduceSum', [value, graph.integer(leading)], { keepdims: 0 }) : value;
  const stretched = shape.flatMap((size, axis) => (size === 1 && result.shape[axis] !== 1 ? [axis] : []));
  if (stretched.length > 0) result = graph.apply('ReduceSum', [result, graph.integer(stretched)], { keepdims: 1 });
  return result;
}

/** A view of `value` with the shape of `like`, also where that shape is known only at run time. */
function reshapeLike(graph: Graph, value: Value, like: Value): Value {
  const symbolic = like.shape.filter((size) => typeof size === 'string').length;
  if (symbolic > 1) {
    const target = graph.apply('Shape', [like]);
    return graph.applyWithShape('Reshape', [value, target], {}, value.type, like.shape);
  }
  const target = like.shape.map((size) => (typeof size === 'string' ? -1 : size));
  return graph.apply('Reshape', [value, graph.integer(target)]);
}

/** Zeros shaped like `value`. */
function zerosLike(graph: Graph, value: Value): Value {
  const known = value.shape.every((size) => typeof size === 'number');
  const shape = known ? graph.integer(value.shape) : graph.apply('Shape', [value]);
  return graph.applyWithShape('ConstantOfShape', [shape], {}, 'float32', value.shape);
}

/**
 * Probabilities below e⁻⁶⁰ count as e⁻⁶⁰ ≈ 10⁻²⁶, which float32 cannot tell from 0 next to the row's others. Smaller ones would be
 * subnormal once weighted, and a matrix product over subnormal numbers takes up to twenty times as long.
 */
const LEAST_LOG_PROBABILITY = -60;

const flag = (node: Node, name: string): boolean => node.attributes[name] === 1;

const elementwise =
  (partials: (call: DerivativeCall) => ((() => Value) | undefined)[]): DerivativeRule =>
  (call) =>
    partials(call).map((partial, index) =>
      partial && call.wanted(index) ? sumTo(call.graph, partial(), call.input(index).shape) : undefined,
    );

/** y = pick(a, b): the whole gradient goes to the operand that was taken, to the first one among equals. */
const selection = (comparison: 'LessOrEqual' | 'GreaterOrEqual'): DerivativeRule =>
  elementwise(({ graph, dy, input }) => {
    const first = graph.apply(comparison, [input(0), input(1)]);
    return [
      () => graph.apply('Where', [first, dy, graph.float(0)]),
      () => graph.apply('Where', [first, graph.float(0), dy]),
    ];
  });

/** C = α·op(A)·op(B), op = transpose of the last two axes or nothing; leading axes broadcast. */
const matrixProduct: DerivativeRule = ({ graph, node, dy, input, wanted }) => {
  const [a, b] = [input(0), input(1)];
  const [transA, transB] = [flag(node, 'transA'), flag(node, 'transB')];
  const alpha = typeof node.attributes.alpha === 'number' ? node.attributes.alpha : 1;
  const multiply = (left: Value, right: Value, swapLeft: boolean, swapRight: boolean): Value =>
    graph.apply('FusedMatMul', [left, right], { transA: swapLeft ? 1 : 0, transB: swapRight ? 1 : 0, alpha });
  const flat = (value: Value): Value =>
    value.shape.length === 2
      ? value
      : graph.apply('Reshape', [value, graph.integer([-1, value.shape.at(-1) as number])]);
  // The runtime's product with a transposed left operand transposes it again for every 128 columns of the right one.
  const columns = (value: Value): Value => {
    const last = value.shape.length - 1;
    const turned = graph.apply('Transpose', [value], {
      perm: [last, ...Array.from({ length: last }, (_, axis) => axis)],
    });
    return graph.apply('Reshape', [turned, graph.integer([value.shape[last] as number, -1])]);
  };
  const da = (): Value =>
    sumTo(graph, transA ? multiply(b, dy, transB, true) : multiply(dy, b, false, !transB), a.shape);
  const db = (): Value => {
    // A linear layer over [..., K]: one product over all rows instead of one per batch and a sum.
    if (b.shape.length === 2 && !transA && typeof b.shape[0] === 'number' && typeof b.shape[1] === 'number') {
      return transB ? multiply(columns(dy), flat(a), false, false) : multiply(columns(a), flat(dy), false, false);
    }
    return sumTo(graph, transB ? multiply(dy, a, true, transA) : multiply(a, dy, !transA, false), b.shape);
  };
  return [wanted(0) ? da() : undefined, wanted(1) ? db() : undefined];
};

/** Spreads dy over the reduced axes of x. */
function spread({ graph, node, dy, input }: DerivativeCall): Value {
  const x = input(0);
  const axes = graph.integersOf(node.inputs[1]);
  let kept = dy;
  if (node.attributes.keepdims === 0) {
    const all = axes ?? x.shape.map((_, axis) => axis);
    kept = graph.apply('Unsqueeze', [dy, graph.integer(all.map((axis) => normalAxis(axis, x.shape.length)))]);
  }
  const target = x.shape.every((size) => typeof size === 'number') ? graph.integer(x.shape) : graph.apply('Shape', [x]);
  return graph.applyWithShape('Expand', [kept, target], {}, dy.type, x.shape);
}

export const DERIVATIVE_RULES: Readonly<Record<string, DerivativeRule>> = {
  Identity: ({ dy }) => [dy],
  Add: elementwise(({ dy }) => [() => dy, () => dy]),
  Sub: elementwise(({ graph, dy }) => [() => dy, () => graph.apply('Neg', [dy])]),
  Mul: elementwise(({ graph, dy, input }) => [
    () => graph.apply('Mul', [dy, input(1)]),
    () => graph.apply('Mul', [dy, input(0)]),
  ]),
  Div: elementwise(({ graph, node, dy, input }) => [
    () => graph.apply('Div', [dy, input(1)]),
    () => graph.apply('Neg', [graph.apply('Div', [graph.apply('Mul', [dy, node.outputs[0]!]), input(1)])]),
  ]),
  Neg: ({ graph, dy }) => [graph.apply('Neg', [dy])],
  Exp: ({ graph, node, dy }) => [graph.apply('Mul', [dy, node.outputs[0]!])],
  Log: ({ graph, dy, input }) => [graph.apply('Div', [dy, input(0)])],
  Sqrt: ({ graph, node, dy }) => [graph.apply('Div', [graph.apply('Mul', [dy, graph.float(0.5)]), node.outputs[0]!])],
  Reciprocal: ({ graph, node, dy }) => {
    const y = node.outputs[0]!;
    return [graph.apply('Neg', [graph.apply('Mul', [dy, graph.apply('Mul', [y, y])])])];
  },
  Sigmoid: ({ graph, node, dy }) => {
    const y = node.outputs[0]!;
    const slope = graph.apply('Mul', [y, graph.apply('Sub', [graph.float(1), y])]);
    return [graph.apply('Mul', [dy, slope])];
  },
  Tanh: ({ graph, node, dy }) => {
    const y = node.outputs[0]!;
    return [graph.apply('Mul', [dy, graph.apply('Sub', [graph.float(1), graph.apply('Mul', [y, y])])])];
  },
  /** y = x·σ(αx), the SiLU for α = 1: y' = σ + α·y·(1 − σ). */
  QuickGelu: ({ graph, node, dy, input }) => {
    const alpha = node.attributes.alpha as number;
    const y = node.outputs[0]!;
    const scaled = alpha === 1 ? input(0) : graph.apply('Mul', [input(0), graph.float(alpha)]);
    const sigmoid = graph.apply('Sigmoid', [scaled]);
    const steepness = alpha === 1 ? y : graph.apply('Mul', [y, graph.float(alpha)]);
    const bend = graph.apply('Mul', [steepness, graph.apply('Sub', [graph.float(1), sigmoid])]);
    return [graph.apply('Mul', [dy, graph.apply('Add', [sigmoid, bend])])];
  },
  Min: selection('LessOrEqual'),
  Max: selection('GreaterOrEqual'),
  Where: elementwise(({ graph, dy, input }) => [
    undefined,
    () => graph.apply('Where', [input(0), dy, graph.float(0)]),
    () => graph.apply('Where', [input(0), graph.float(0), dy]),
  ]),
  Cast: ({ dy, input }) => [input(0).type === 'float32' ? dy : undefined],
  MatMul: matrixProduct,
  FusedMatMul: matrixProduct,
  ReduceSum: (call) => [spread(call)],
  ReduceMean: (call) => {
    const { graph, node, dy, input } = call;
    const x = input(0);
    const axes = (graph.integersOf(node.inputs[1]) ?? x.shape.map((_, axis) => axis)).map((axis) =>
      normalAxis(axis, x.shape.length),
    );
    const count = product(axes.map((axis) => x.shape[axis]!));
    if (typeof count !== 'number') {
      throw new SeamError(
        'UNSUPPORTED_OPERATOR',
        `Cannot differentiate ReduceMean: expected axes of known size, got ${count}. Use ReduceSum and a weight that is fed.`,
      );
    }
    return [spread({ ...call, dy: graph.apply('Mul', [dy, graph.float(1 / count)]) })];
  },
  /** dx = y ⊙ (dy − Σ dy⊙y) along the last axis. */
  Softmax: ({ graph, node, dy }) => {
    const y = node.outputs[0]!;
    const weighted = graph.apply('Mul', [dy, y]);
    const total = graph.apply('ReduceSum', [weighted, graph.integer([-1])], { keepdims: 1 });
    return [graph.apply('Sub', [weighted, graph.apply('Mul', [y, total])])];
  },
  /** dx = dy − softmax(x)·Σ dy along the last axis. */
  LogSoftmax: ({ graph, node, dy }) => {
    const total = graph.apply('ReduceSum', [dy, graph.integer([-1])], { keepdims: 1 });
    const bounded = graph.apply('Max', [node.outputs[0]!, graph.float(LEAST_LOG_PROBABILITY)]);
    const probability = graph.apply('Exp', [bounded]);
    return [graph.apply('Sub', [dy, graph.apply('Mul', [probability, total])])];
  },
  /**
   * y = x̂·w, x̂ = x·r, r = 1/√(mean(x²) + ε): dx = r·(g − x̂·mean(g⊙x̂)) with g = dy⊙w; dw = Σ_rows dy⊙x̂.
   * Zhang and Sennrich, https://arxiv.org/abs/1910.07467.
   */
  SimplifiedLayerNormalization: ({ graph, node, dy, input, wanted }) => {
    const [x, weight] = [input(0), input(1)];
    const inverse = node.outputs[1] ?? graph.node('SimplifiedLayerNormalization', node.inputs, node.attributes, 2)[1]!;
    const normal = graph.apply('Mul', [x, inverse]);
    const scaled = graph.apply('Mul', [dy, weight]);
    let dx: Value | undefined;
    if (wanted(0)) {
      const overlap = graph.apply('ReduceMean', [graph.apply('Mul', [scaled, normal]), graph.integer([-1])], {
        keepdims: 1,
      });
      const tangent = graph.apply('Sub', [scaled, graph.apply('Mul', [normal, overlap])]);
      dx = graph.apply('Mul', [tangent, inverse]);
    }
    return [dx, wanted(1) ? sumTo(graph, graph.apply('Mul', [dy, normal]), weight.shape) : undefined];
  },
  /** A rotation's transpose is the rotation back: the same operator with −sin. */
  RotaryEmbedding: ({ graph, node, dy, input }) => [
    graph.apply('RotaryEmbedding', [dy, input(1), input(2), graph.apply('Neg', [input(3)])], node.attributes),
  ],
  Reshape: ({ graph, dy, input }) => [reshapeLike(graph, dy, input(0))],
  Unsqueeze: ({ graph, dy, input }) => [reshapeLike(graph, dy, input(0))],
  Expand: ({ graph, dy, input }) => [sumTo(graph, dy, input(0).shape)],
  Transpose: ({ graph, node, dy }) => {
    const order = node.attributes.perm as readonly number[];
    const back = order.map((_, axis) => order.indexOf(axis));
    return [graph.apply('Transpose', [dy], { perm: back })];
  },
  Concat: ({ graph, node, dy, input, wanted }) => {
    const axis = normalAxis(node.attributes.axis as number, dy.shape.length);
    let start = 0;
    return node.inputs.map((_, index) => {
      const size = input(index).shape[axis]!;
      if (typeof size !== 'number') {
        throw new SeamError(
          'UNSUPPORTED_OPERATOR',
          `Cannot differentiate Concat: expected an axis of known size, got ${size}.`,
        );
      }
      const from = start;
      start += size;
      const bounds = [[from], [from + size], [axis]].map((part) => graph.integer(part));
      return wanted(index) ? graph.apply('Slice', [dy, ...bounds]) : undefined;
    });
  },
  Slice: ({ graph, node, dy, input }) => {
    const x = input(0);
    const [starts, ends, axes] = [1, 2, 3].map((index) => graph.integersOf(node.inputs[index])!);
    const axis = normalAxis(axes![0]!, x.shape.length);
    const size = x.shape[axis];
    if (axes!.length !== 1 || typeof size !== 'number') {
      throw new SeamError('UNSUPPORTED_OPERATOR', 'Cannot differentiate Slice: expected one axis of known size.');
    }
    const at = (position: number): number => Math.min(Math.max(position < 0 ? position + size : position, 0), size);
    const part = (length: number): Value[] => {
      if (length === 0) return [];
      const shape = x.shape.map((other, index) => (index === axis ? length : other));
      const measured = shape.every((other) => typeof other === 'number')
        ? graph.integer(shape)
        : graph.apply('Shape', [graph.apply('Slice', [x, ...[[0], [length], [axis]].map((p) => graph.integer(p))])]);
      return [graph.applyWithShape('ConstantOfShape', [measured], {}, 'float32', shape)];
    };
    return [graph.apply('Concat', [...part(at(starts![0]!)), dy, ...part(size - at(ends![0]!))], { axis })];
  },
  /** Rows taken from a table: their gradients are added back to the rows they came from. */
  Gather: ({ graph, node, dy, input }) => {
    if (node.attributes.axis !== undefined && node.attributes.axis !== 0) {
      throw new SeamError(
        'UNSUPPORTED_OPERATOR',
        'Cannot differentiate Gather: expected axis 0. Transpose the data first.',
      );
    }
    const indices = input(1);
    const wide = indices.type === 'int64' ? indices : graph.apply('Cast', [indices], { to: 7 });
    const places = graph.apply('Unsqueeze', [wide, graph.integer([-1])]);
    return [graph.apply('ScatterND', [zerosLike(graph, input(0)), places, dy], { reduction: 'add' }), undefined];
  },
  GatherElements: ({ graph, node, dy, input }) => [
    graph.apply('ScatterElements', [zerosLike(graph, input(0)), input(1), dy], {
      axis: (node.attributes.axis as number | undefined) ?? 0,
      reduction: 'add',
    }),
    undefined,
  ],
  /** Only with reduction=add and whole rows of the data as places (last axis of the indices is 1). */
  ScatterND: ({ graph, node, dy, input, wanted }) => {
    const indices = input(1);
    if (node.attributes.reduction !== 'add' || indices.shape.at(-1) !== 1) {
      throw new SeamError(
        'UNSUPPORTED_OPERATOR',
        'Cannot differentiate ScatterND: expected reduction=add and row indices.',
      );
    }
    if (!wanted(2)) return [dy];
    const rows = graph.applyWithShape(
      'Squeeze',
      [indices, graph.integer([-1])],
      {},
      indices.type,
      indices.shape.slice(0, -1),
    );
    return [dy, undefined, graph.apply('Gather', [dy, rows], { axis: 0 })];
  },
};
