/**
 * The one HTTP server of all connectors: guards, control plane, transfer plane, data plane, status and metrics.
 * A path prefix per connector; later rooms add their own parts as mounts.
 */
export type { AgentFacts } from './data-plane/agent-facts.js';
export type { ApiKeySource, RefusedKeys } from './http/api-key-guard.js';
export { isHostEntry } from './http/request-guard.js';
export { HttpRefusal, JSON_TYPE, type Refusal } from './http/refusal.js';
export type { Access, Mount, RefuseUpgrade, Route, UpgradeRoute } from './http/route.js';
export { createServer, type ServedRoute, type Server, type ServerParts } from './server.js';
export { PortForbiddenError, PortInUseError, ServerConfigError } from './server-errors.js';
export { createUi, type Ui } from './ui/ui-mount.js';
export { UI_PREFIX } from './ui/ui-path.js';
export type { UiPort } from './ui/ui-port.js';
export { DEFAULT_LIMITS, type ServerLimits, type ServerOptions } from './server-options.js';
export { buildStatusReport, type AgentServerStatus, type StatusReport } from './status-report.js';
