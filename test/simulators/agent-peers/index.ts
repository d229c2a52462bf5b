/**
 * Agents that speak other protocols, made of those protocols' own libraries, on loopback: an ACP v1 agent behind a TCP
 * socket and an A2A 1.0 agent behind HTTP. `ask` puts an E2A envelope to one through this project's adapters and gives what it
 * answers as E2A responses, in order.
 */
export { startAcpAgent } from './acp-agent.js';
export { startA2aAgent } from './a2a-agent.js';
export type { AgentPeer } from './peer.js';
