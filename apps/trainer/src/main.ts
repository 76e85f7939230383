import { runService } from '@seamstream/service-kit';
import { trainerConfigSchema, trainerService } from './app.module.js';

await runService(trainerService(), trainerConfigSchema);
