/**
 * Variables that native libraries read when they are loaded: import this module before `onnxruntime-node`.
 */

/**
 * ONNX Runtime's published builds (1.30) collect usage events for Microsoft, names of models and paths among them, and keep
 * them below the user's home. This turns that off. To have the events, set it to 0.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';

/**
 * ONNX Runtime's CUDA provider lets cuBLAS round the factors of a product to TF32, 10 bits behind the point. Recorded log-probabilities
 * then were up to 2e-2 nats from the CPU's, and of 1,024 sampled texts of small models 655 were the CPU's. Without it they were 2e-5 nats
 * from them and 1,022 texts, at the same speed (docs/experiments/LOG.md). This forbids it. To leave it to the library, set it to 1.
 */
process.env.NVIDIA_TF32_OVERRIDE ??= '0';
