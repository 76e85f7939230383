/**
 * ONNX Runtime's published builds (1.30) collect usage events for Microsoft, names of models and paths among them, and keep
 * them below the user's home. This variable, which the native library reads when it is loaded, turns that off; import this
 * module before `onnxruntime-node`. To have the events, set it to 0.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';
