import { Controller, Get, Header, Headers, ServiceUnavailableException } from '@nestjs/common';
import { ServiceMetrics } from '../service-metrics.js';
import { OperationsAccess } from './operations-access.js';
import { checkHealth, HealthChecks, type HealthReport } from './service-health.js';

/** For whoever operates the service: a scheduler's probes and a metrics scraper. */
@Controller()
export class OperationsController {
  constructor(
    private readonly health: HealthChecks,
    private readonly metrics: ServiceMetrics,
    private readonly access: OperationsAccess,
  ) {}

  /** The process answers. */
  @Get('health/live')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  /** The service can do its work; 503 with the reasons when it cannot. */
  @Get('health/ready')
  async ready(@Headers('authorization') authorization?: string): Promise<HealthReport> {
    this.access.assert(authorization);
    const report = await checkHealth(this.health.checks);
    if (report.status === 'error') throw new ServiceUnavailableException(report);
    return report;
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  async exposition(@Headers('authorization') authorization?: string): Promise<string> {
    this.access.assert(authorization);
    return this.metrics.registry.metrics();
  }
}
