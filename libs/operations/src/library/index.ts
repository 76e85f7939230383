export {
  compareLibraries,
  type HistoryStep,
  libraryHistory,
  type PublishedLibrary,
  readLibrary,
  takeLibraryIn,
  takeLibraryOut,
} from './libraries.js';
