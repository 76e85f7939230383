export { type BrowsedLog, type BrowseRequest, browseLog } from './browse-log.js';
export { DashboardReader } from './dashboard-reader.js';
export { type FoundThing, findAnything } from './find-anything.js';
export { fits, LONGEST_FILTER, type LogFilter, parseLogFilter } from './log-filter.js';
export { LOOP_METRICS, type LoopFacts, type LoopMetric, MOST_DOMAINS } from './loop-metrics.js';
export type { MeasuredAdapter, Overview, Stage } from './overview.js';
export { type ListedProblem, listProblems, type ProblemFilter, type ProblemList } from './problem-list.js';
