/**
 * The graphs of training: ln π of chosen tokens, and the losses of training.types.ts with their gradients.
 * The head is computed only at the N trained positions.
 */
import { Graph, gradients, type Value } from '@seamstream/tensor-graph';
import type { TrainingObjective } from '../training/training.types.js';
import { causalAttention, Decoder, stackedQueries, type WeightSource } from './decoder.js';
import type { CompiledDecoder } from './generation-graphs.js';
import { rowsOf } from './generation-graphs.js';

/** The gradient of a trained tensor is the output of this name. */
export function gradientName(tensor: string): string {
  return `gradient:${tensor}`;
}

interface TokenLogProbs extends CompiledDecoder {
  /** ln π of every token of the vocabulary at the trained positions, [N, V]. */
  readonly all: Value;
  /** ln π of the trained tokens, [N]. */
  readonly chosen: Value;
}

/**
 * Inputs: tokens int32 [B, T], positions int32 [B, T], causal [R·T, T], places int32 [N] (index into B·T of the token
 * before each trained one), targets int32 [N, 1] and, when masked, legal bool [N, V].
 */
function tokenLogProbs(name: string, source: WeightSource, masked: boolean): TokenLogProbs {
  const graph = new Graph(name);
  const decoder = new Decoder(graph, source);
  const tokens = graph.input('tokens', 'int32', ['B', 'T']);
  const positions = graph.input('positions', 'int32', ['B', 'T']);
  const causal = graph.input('causal', 'float32', [stackedQueries(decoder.config), 'T']);
  const places = graph.input('places', 'int32', ['N']);
  const targets = graph.input('targets', 'int32', ['N', 1]);
  const hidden = decoder.hiddenStates(tokens, positions, causalAttention(graph, decoder.config, causal));
  let logits = decoder.logits(rowsOf(graph, hidden, places));
  if (masked) {
    const legal = graph.input('legal', 'bool', ['N', decoder.config.vocabularySize]);
    // Finite, so that p·ln p of an illegal token is 0 and not NaN; far enough that its probability underflows to 0.
    logits = graph.apply('Where', [legal, logits, graph.float(-1e9)]);
  }
  const all = graph.apply('LogSoftmax', [logits], { axis: -1 });
  const picked = graph.apply('GatherElements', [all, targets], { axis: 1 });
  return { graph, decoder, all, chosen: graph.apply('Reshape', [picked, graph.integer([-1])]) };
}

/** Output: log_probs [N]. */
export function logProbGraph(source: WeightSource, masked: boolean): CompiledDecoder {
  const { graph, decoder, chosen } = tokenLogProbs('log-probabilities', source, masked);
  graph.output('log_probs', chosen);
  return { graph, decoder };
}

/**
 * Further inputs: weights [N]; for the policy objective advantages, proximal, importance, reference and
 * imitation, all [N].
 * Outputs: loss [], a gradient per weight input; for the policy objective the weighted sums kl, entropy and clipped, [].
 */
export function lossGraph(source: WeightSource, objective: TrainingObjective, masked: boolean): CompiledDecoder {
  const { graph, decoder, all, chosen } = tokenLogProbs('loss', source, masked);
  const vector = (name: string): Value => graph.input(name, 'float32', ['N']);
  const op = (operator: string, ...operands: Value[]): Value => graph.apply(operator, operands);
  const number = (value: number): Value => graph.float(value);
  const weights = vector('weights');
  const weightedSum = (value: Value): Value => graph.apply('ReduceSum', [op('Mul', weights, value)], { keepdims: 0 });
  let perToken: Value;
  if (objective.kind === 'negative-log-likelihood') {
    perToken = op('Neg', chosen);
  } else {
    const { clipLow, clipHigh, klCoefficient, entropyCoefficient } = objective;
    const advantages = vector('advantages');
    const ratio = op('Exp', op('Sub', chosen, vector('proximal')));
    const bounded = op('Min', op('Max', ratio, number(1 - clipLow)), number(1 + clipHigh));
    const plain = op('Mul', ratio, advantages);
    const clipped = op('Mul', bounded, advantages);
    const compared = op('Mul', vector('importance'), op('Min', plain, clipped));
    const gain = op('Add', compared, op('Mul', vector('imitation'), chosen));
    const distance = op('Sub', vector('reference'), chosen);
    const kl = op('Sub', op('Sub', op('Exp', distance), distance), number(1));
    perToken = op('Add', op('Neg', gain), op('Mul', kl, number(klCoefficient)));
    const surprise = op('Mul', op('Exp', all), all);
    const entropy = op('Neg', graph.apply('ReduceSum', [surprise, graph.integer([-1])], { keepdims: 0 }));
    if (entropyCoefficient !== 0) perToken = op('Sub', perToken, op('Mul', entropy, number(entropyCoefficient)));
    const isClipped = graph.apply('Cast', [op('Greater', plain, clipped)], { to: 1 });
    graph.output('kl', weightedSum(kl));
    graph.output('entropy', weightedSum(entropy));
    graph.output('clipped', weightedSum(isClipped));
  }
  const loss = weightedSum(perToken);
  const trained = [...decoder.weightInputs];
  const derivatives = gradients(
    graph,
    loss,
    trained.map(([, value]) => value),
  );
  graph.output('loss', loss);
  trained.forEach(([name], index) => graph.output(gradientName(name), derivatives[index]!));
  return { graph, decoder };
}
