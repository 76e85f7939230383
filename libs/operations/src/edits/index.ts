export {
  type EditPreview,
  type PassagePreview,
  type PreviewRequest,
  previewEdits,
} from './preview-edits.js';
