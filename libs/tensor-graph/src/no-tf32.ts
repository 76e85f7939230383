/**
 * ONNX Runtime's CUDA provider lets cuBLAS round the factors of a product to TF32, 10 bits behind the point. Recorded log-probabilities
 * then were up to 2e-2 nats from the CPU's, and of 1,024 sampled texts of small models 655 were the CPU's. Without it they were 2e-5 nats
 * from them and 1,022 texts, at the same speed (docs/experiments/LOG.md). This variable, which cuBLAS reads when it is loaded, forbids it;
 * import this module before `onnxruntime-node`. To leave TF32 to the library, set it to 1.
 */
process.env.NVIDIA_TF32_OVERRIDE ??= '0';
