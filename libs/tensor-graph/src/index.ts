export { gradients } from './differentiate.js';
export type { Dimension } from './dimension.js';
export { Graph } from './graph.js';
export { countNativeCalls, lastNativeCall, lastNativeCallSync, nativeCallCounter } from './native-calls.js';
export { encodeModel } from './onnx-model.js';
export type { ExecutionProvider, FloatTensor, SessionSettings, TensorData } from './session.js';
export { assertExecutionProvider, EXECUTION_PROVIDERS, runtimeVersion, Session } from './session.js';
export type { Attributes, DataType, ExternalData, Initializer, Node, Value } from './value.js';
