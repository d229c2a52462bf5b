import { answer } from './http/answer.js';
import { JSON_TYPE } from './http/refusal.js';
import type { Route } from './http/route.js';
import { METRICS_TYPE, renderMetrics } from './metrics.js';
import type { StatusReport } from './status-report.js';

/** `GET /status` and `GET /metrics`: the local status API, for people's own scripts and monitors. */
export function statusRoutes(status: () => StatusReport): Route[] {
  return [
    {
      method: 'GET',
      path: '/status',
      access: 'key',
      handle(ctx) {
        answer(ctx, JSON_TYPE, JSON.stringify(status()));
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'key',
      handle(ctx) {
        answer(ctx, METRICS_TYPE, renderMetrics(status()));
      },
    },
  ];
}
