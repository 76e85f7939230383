import { Controller, Get, Header, ServiceUnavailableException } from '@nestjs/common';
import { ServiceMetrics } from '../service-metrics.js';
import { checkHealth, HealthChecks, type HealthReport } from './service-health.js';

/** Endpoints for the operators of a service: a scheduler's probes and a metrics scraper. */
@Controller()
export class OperationsController {
  constructor(
    private readonly health: HealthChecks,
    private readonly metrics: ServiceMetrics,
  ) {}

  /** The process answers. */
  @Get('health/live')
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  /** The service can do its work; 503 with the reasons when it cannot. */
  @Get('health/ready')
  async ready(): Promise<HealthReport> {
    const report = await checkHealth(this.health.checks);
    if (report.status === 'error') throw new ServiceUnavailableException(report);
    return report;
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  exposition(): Promise<string> {
    return this.metrics.registry.metrics();
  }
}
