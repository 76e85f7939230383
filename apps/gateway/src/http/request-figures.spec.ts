/** Figures of requests are those that Prometheus computes from the same series. */
import { ServiceMetrics } from '@seamstream/service-kit';
import { requestFigures } from './request-figures.js';

const BUCKETS = [0.1, 1, 10];

/** What is reported of requests to one route, each of so many seconds. */
async function figuresOf(requests: readonly (readonly [seconds: number, status: string])[]) {
  const metrics = new ServiceMetrics();
  const histogram = metrics.histogram('s', 'S.', ['route', 'method', 'status'], BUCKETS);
  for (const [seconds, status] of requests) histogram.observe({ route: '/r', method: 'GET', status }, seconds);
  const { values } = await histogram.get();
  return requestFigures({ seconds: values, errors: [], parts: [] });
}

describe('the figures of requests', () => {
  it('count a route by class of status, and estimate its time over all of them', async () => {
    const quick = Array.from({ length: 90 }, () => [0.01, '2xx'] as const);
    const slow = Array.from({ length: 10 }, () => [5, '5xx'] as const);
    const { routes, buckets } = await figuresOf([...quick, ...slow]);
    // histogram_quantile(0.5, …) = 0.1 * 50 / 90; of 0.95 = 1 + 9 * (95 - 90) / 10
    expect(routes).toEqual([
      {
        ...{ route: '/r', method: 'GET', requests: 100, byStatus: { '2xx': 90, '5xx': 10 } },
        seconds: { p50: expect.closeTo(0.0556, 3), p95: expect.closeTo(5.5, 6), p99: expect.closeTo(9.1, 6) },
      },
    ]);
    expect(buckets).toEqual(BUCKETS);
  });

  it('say the last end of what took longer', async () => {
    expect((await figuresOf([[60, '2xx']])).routes[0]!.seconds).toEqual({ p50: 10, p95: 10, p99: 10 });
  });

  it('have the parts of chat requests in the order of their course, each with its sum', async () => {
    const histogram = new ServiceMetrics().histogram('p', 'P.', ['part'], BUCKETS);
    for (const [part, seconds] of [
      ['own', 0.05],
      ['executor', 5],
      ['executor', 3],
      ['entry', 0.5],
    ] as const)
      histogram.observe({ part }, seconds);
    const { values } = await histogram.get();
    const { parts } = requestFigures({ seconds: [], errors: [], parts: values });
    expect(parts.map(({ part, requests, sumSeconds }) => [part, requests, sumSeconds])).toEqual([
      ['entry', 1, 0.5],
      ['executor', 2, 8],
      ['own', 1, 0.05],
    ]);
    expect(parts[1]!.seconds.p50).toBeCloseTo(5.5, 6);
  });

  it('have the most asked route and the most frequent error first', () => {
    const count = (route: string, value: number) => ({
      ...{ metricName: 's_count', labels: { route, method: 'GET', status: '2xx' }, value },
    });
    const error = (code: string, value: number) => ({ labels: { status: '400', code }, value });
    const { routes, errors } = requestFigures({
      seconds: [count('/a', 1), count('/b', 2)],
      errors: [error('x', 1), error('y', 3)],
      parts: [],
    });
    expect([routes.map(({ route }) => route), errors.map(({ code }) => code)]).toEqual([
      ['/b', '/a'],
      ['y', 'x'],
    ]);
  });
});
