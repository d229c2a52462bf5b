/**
 * Feishu on a loopback port: registration by QR, the open platform's API as far as the connector calls it, and the long
 * connection with redelivery, each with the faults it has in life.
 */
export { startFeishuSimulator, type Call, type EventOptions, type FeishuSimulator, type Fault } from './simulator.js';
export { REDELIVERY_MS } from './push.js';
export { botIdOf } from './routes.js';
export type { App } from './registrations.js';
