import { runService } from '@seamstream/service-kit';
import { executorConfigSchema, executorService } from './app.module.js';

await runService(
  executorService(),
  executorConfigSchema,
  'It answers problems with the frozen model, and judges the answers.',
);
