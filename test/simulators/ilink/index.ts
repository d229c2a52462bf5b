/**
 * A strict iLink on loopback: validates every header and field, decrypts what is uploaded, and goes wrong on request.
 * It holds what is known of the network (docs/targets/wechat.md), not what this project would like it to be.
 */
export { faults, type Fault } from './faults.js';
export { textItem } from './inbox.js';
export type { KeyForm } from './cdn.js';
export type { Bot } from './login.js';
export type { Shown } from './phone.js';
export { IlinkSimulator, PERSON, startIlinkSimulator } from './simulator.js';
