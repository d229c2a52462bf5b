/**
 * The live upstream to a JiuwenSwarm AgentServer: this program as its Gateway. `link.ts` holds the socket, `requests.ts` tells
 * requests apart, `run.ts` turns one's frames into an answer, `conversation.ts` is one chat, `outbox.ts` sees answers delivered.
 */
import type { AgentServer, AgentServerSetup } from './agent-server.js';
import { LiveAgentServer } from './live-agent-server.js';

export * from './agent-server.js';

/** Nothing is connected before an account is served. @throws TypeError for addresses that are no URLs */
export function createAgentServer(setup: AgentServerSetup): AgentServer {
  return new LiveAgentServer(setup);
}
