export { damaged, positive, type RawConfig, shown, size, unsupported } from './config-fields.js';
export { isLfsPointer } from './git-lfs.js';
export {
  decodeSafetensors,
  encodeSafetensors,
  readSafetensorsHeader,
  readTensor,
  type SafetensorsFile,
  type SafetensorsHeader,
  type StoredTensor,
  sortedTensors,
  type TensorLocation,
  tensorBytes,
} from './safetensors.js';
