import { SeamError } from '@seamstream/kernel';

/**
 * One axis of a tensor: a number where it is known when the graph is built, else a product of symbols such as
 * `B` or `4*T`. Products are kept in one canonical spelling, so that two axes are equal exactly when their texts are.
 */
export type Dimension = number | string;

interface Monomial {
  readonly coefficient: number;
  readonly symbols: readonly string[];
}

function parse(dimension: Dimension): Monomial {
  if (typeof dimension === 'number') return { coefficient: dimension, symbols: [] };
  let coefficient = 1;
  const symbols: string[] = [];
  for (const factor of dimension.split('*')) {
    if (/^\d+$/.test(factor)) coefficient *= Number(factor);
    else symbols.push(factor);
  }
  return { coefficient, symbols: symbols.sort() };
}

function print({ coefficient, symbols }: Monomial): Dimension {
  if (symbols.length === 0) return coefficient;
  return (coefficient === 1 ? symbols : [coefficient, ...symbols]).join('*');
}

/** The product of the axes: the number of elements they span. The empty product is 1. */
export function product(dimensions: readonly Dimension[]): Dimension {
  let coefficient = 1;
  const symbols: string[] = [];
  for (const dimension of dimensions) {
    const factor = parse(dimension);
    coefficient *= factor.coefficient;
    symbols.push(...factor.symbols);
  }
  return print({ coefficient, symbols: symbols.sort() });
}

/** `total / divisor` when it is exact for all values of the symbols, else undefined. */
export function quotient(total: Dimension, divisor: Dimension): Dimension | undefined {
  const numerator = parse(total);
  const denominator = parse(divisor);
  const coefficient = numerator.coefficient / denominator.coefficient;
  if (!Number.isInteger(coefficient)) return undefined;
  const symbols = [...numerator.symbols];
  for (const symbol of denominator.symbols) {
    const at = symbols.indexOf(symbol);
    if (at < 0) return undefined;
    symbols.splice(at, 1);
  }
  return print({ coefficient, symbols });
}

/** A shape as people write it: `[B, 4*T, 32]`. */
export function shapeText(shape: readonly Dimension[]): string {
  return `[${shape.join(', ')}]`;
}

/**
 * The shape that elementwise operators give (ONNX multidirectional broadcasting, which is NumPy's).
 * An unknown axis broadcasts only against 1 or itself.
 * @throws SHAPE_MISMATCH naming the operator and the shapes.
 */
export function broadcast(operator: string, shapes: readonly (readonly Dimension[])[]): Dimension[] {
  const rank = Math.max(...shapes.map((shape) => shape.length));
  return Array.from({ length: rank }, (_, axis) => {
    let result: Dimension = 1;
    for (const shape of shapes) {
      const dimension = shape[axis - rank + shape.length] ?? 1;
      if (dimension === 1 || dimension === result) continue;
      if (result !== 1) {
        throw new SeamError(
          'SHAPE_MISMATCH',
          `Cannot broadcast the operands of ${operator}: expected equal axes or 1, got ${shapes.map(shapeText).join(' and ')}.`,
          { details: { operator, shapes } },
        );
      }
      result = dimension;
    }
    return result;
  });
}
