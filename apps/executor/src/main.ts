import { runService } from '@seamstream/service-kit';
import { executorConfigSchema, executorService } from './app.module.js';

await runService(executorService(), executorConfigSchema);
