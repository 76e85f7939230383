import { describeEnvironment } from './environment.contract.js';
import { PLAN_FIRST } from './plan-first.fake.js';

describeEnvironment('plan-first', PLAN_FIRST);
