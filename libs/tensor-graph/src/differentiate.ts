import { SeamError } from '@seamstream/kernel';
import { DERIVATIVE_RULES } from './derivative-rules.js';
import { shapeText } from './dimension.js';
import type { Graph } from './graph.js';
import type { Value } from './value.js';

/**
 * Appends to `graph` the nodes that compute dL/dx for every x of `withRespectTo`, by reverse accumulation:
 * nodes are visited from last to first, each passes dL/d(outputs) on to its inputs, and contributions to one value are
 * added in that order, which makes the result's bits a function of the graph alone.
 *
 * @param loss a scalar, shape [].
 * @param withRespectTo inputs or other values of the graph, of type float32.
 * @returns dL/dx in the order of `withRespectTo`, each with the shape of its x.
 * @throws SHAPE_MISMATCH when the loss is no scalar; UNSUPPORTED_OPERATOR when a rule is missing on the way;
 *   INVALID_INPUT when the loss does not depend on an x.
 */
export function gradients(graph: Graph, loss: Value, withRespectTo: readonly Value[]): Value[] {
  if (loss.shape.length !== 0) {
    throw new SeamError(
      'SHAPE_MISMATCH',
      `Cannot differentiate graph ${graph.name}: expected a scalar loss, got ${loss.name} of shape ${shapeText(loss.shape)}. Reduce it first.`,
    );
  }
  const forward = [...graph.nodes];
  const depends = new Set<Value>(withRespectTo);
  for (const node of forward) {
    if (node.inputs.some((value) => value !== undefined && depends.has(value))) {
      // Only floats carry a gradient: comparisons, casts to integers and shapes end the path.
      for (const output of node.outputs) if (output.type === 'float32') depends.add(output);
    }
  }
  const contributions = new Map<Value, Value[]>([[loss, [graph.float(1)]]]);
  const total = (value: Value): Value | undefined => {
    const parts = contributions.get(value);
    if (!parts) return undefined;
    const sum = parts.length === 1 ? parts[0]! : graph.apply('Sum', parts);
    contributions.set(value, [sum]);
    return sum;
  };
  for (const node of forward.reverse()) {
    const output = node.outputs[0]!;
    if (!depends.has(output)) continue;
    const dy = total(output);
    if (!dy) continue;
    const rule = DERIVATIVE_RULES[node.operator];
    if (!rule) {
      throw new SeamError(
        'UNSUPPORTED_OPERATOR',
        `Cannot differentiate ${output.name}: expected an operator with a derivative rule, got ${node.operator}. Add one to derivative-rules.ts.`,
        { details: { operator: node.operator } },
      );
    }
    const wanted = (index: number): boolean => {
      const value = node.inputs[index];
      return value !== undefined && depends.has(value);
    };
    const results = rule({ graph, node, dy, wanted, input: (index) => node.inputs[index]! });
    node.inputs.forEach((value, index) => {
      const gradient = results[index];
      if (!value || !gradient || !wanted(index)) return;
      const parts = contributions.get(value);
      if (parts) parts.push(gradient);
      else contributions.set(value, [gradient]);
    });
  }
  return withRespectTo.map((value) => {
    const gradient = total(value);
    if (!gradient) {
      throw new SeamError(
        'INVALID_INPUT',
        `Cannot differentiate graph ${graph.name}: expected a loss that depends on ${value.name}, got one that does not.`,
        {
          details: { value: value.name },
        },
      );
    }
    return gradient;
  });
}
