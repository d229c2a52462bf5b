/**
 * Never lost, never twice. What people write: intake → pending queue → dispatcher → upstream, until its acknowledgment.
 * What agents answer: outbound → ledger → part sender → network, once. Deltas and activity ride along and never touch either.
 */
export { createDelivery } from './room.js';
export type * from './delivery.js';
export type { DeliveryConfig, DeliverySetup } from './options.js';
