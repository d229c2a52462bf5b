import { afterEach, describe, expect, it } from 'vitest';
import { startA2aAgent, startAcpAgent, type AgentPeer } from '../../test/simulators/agent-peers/index.js';
import { AgentServerRig } from '../../test/support/agent-server-rig.js';

/**
 * The same question, asked by the live upstream, answered by real agents of the other two protocols behind the adapters: what
 * comes back over the AgentServer's wire is the same answer.
 */
describe('a question to an AgentServer whose agent is', () => {
  let rig: AgentServerRig;
  let peer: AgentPeer;
  afterEach(async () => {
    await rig.stop();
    await peer.close();
  });

  it.each([
    ['an ACP v1 agent', startAcpAgent],
    ['an A2A 1.0 agent', startA2aAgent],
  ])('%s is answered, growing, and in full', async (_, start) => {
    peer = await start();
    rig = await AgentServerRig.start();
    await rig.connect();
    const failures: unknown[] = [];
    rig.server.onChat = (turn) => {
      peer.ask(turn.request, (response) => turn.raw({ ...response })).catch((error: unknown) => failures.push(error));
    };
    await rig.says('Why is the sky blue?');
    await rig.until(() => rig.texts.length > 0 || failures.length > 0, 'an answer');
    expect(failures).toEqual([]);
    expect(peer.heard).toEqual(['Why is the sky blue?']);
    expect(rig.texts).toEqual(['You asked: Why is the sky blue?']);
    expect(rig.network.shown.at(-1)).toBe('You asked: Why is the sky blue?');
    await rig.until(() => rig.agentServer.facts().counters.answered === 1, 'counted');
  });
});
