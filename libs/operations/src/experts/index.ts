export { type ExpertWorld, exportExpert, type ImportedExpert, importExpert } from './carry-experts.js';
export { type Catalogue, fetchExpert, listExperts, type OfferedExpert, publishExpert } from './catalogue.js';
export { expertFiles, expertIn, isExpertName } from './expert.js';
export { MOST_ARCHIVE_BYTES, packExpert, unpackExpert } from './expert-archive.js';
