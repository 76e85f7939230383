export {
  type ComparedLibraries,
  comparedOn,
  compareLibraries,
  type HistoryStep,
  type LibraryShelf,
  libraryHistory,
  libraryOn,
  type PublishedLibrary,
  readLibrary,
  takeLibraryIn,
  takeLibraryOut,
} from './libraries.js';
export { type ListedLibrary, listedLibraries, readLibraries } from './list-libraries.js';
