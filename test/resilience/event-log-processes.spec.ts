import { jest } from '@jest/globals';
import { describeEventLogProcesses } from '../support/event-log-processes.js';

jest.setTimeout(600_000);
describeEventLogProcesses({ writerRounds: 20, copierKills: 40, zombies: 5 });
