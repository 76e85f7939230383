export { type AdapterDifference, differenceOf, isWithin } from './agreement.js';
export { carryOutJob } from './carry-out-job.js';
export { type ClusterJob, ClusterJobs, ClusterLauncher, START_WITHIN_MS } from './cluster-jobs.js';
export { jobTemplate, KubernetesJobs } from './cluster-jobs.kubernetes.adapter.js';
export { RayJobs } from './cluster-jobs.ray.adapter.js';
export { engineIdentitySchema, toleranceOf } from './engine-identity.schema.js';
export { onDisk } from './job-disk.js';
export {
  type JobMetrics,
  type JobOutput,
  type JobSequence,
  readOutput,
  type TrainingJob,
  writeJob,
} from './job-files.js';
export { type JobResult, trainingFilesJsonSchema } from './job-files.schema.js';
export {
  followJob,
  type JobCheckpoint,
  JobFolder,
  PROGRESS_WITHIN_MS,
  packCheckpoint,
  unpackCheckpoint,
} from './job-folder.js';
export { ChildProcessLauncher } from './job-launcher.child-process.adapter.js';
export { type EndedJob, JobLauncher, type RunningJob } from './job-launcher.port.js';
export { type TrainingStepData, trainingStepJsonSchema, trainingStepSchema } from './training-data.schema.js';
export { TrainingEngine, type TrainingWeights } from './training-engine.port.js';
