import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, AgentServerRig } from '../../test/support/agent-server-rig.js';
import { startAgentServer } from '../../test/simulators/agent-server/index.js';
import { LINGER_MS } from './live-agent-server.js';

/** One socket, while somebody needs it, and no needless second. */
describe('the connection to an AgentServer', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  const state = () => rig.agentServer.facts().state;

  it('is made when an account needs it, and not before', async () => {
    rig = await AgentServerRig.start();
    expect(state()).toEqual({ status: 'unused' });
    await rig.connect();
    expect(rig.server.connections).toBe(1);
    rig.agentServer.serve({ ...ACCOUNT, accountId: 'acc_2' });
    await rig.world.clock.advance(0);
    expect(rig.server.origins).toHaveLength(1);
  });

  it('ends when nobody needs it for a while, not while an account signs in anew', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.agentServer.leave(ACCOUNT.accountId);
    await rig.world.clock.advance(LINGER_MS - 1);
    rig.attach();
    await rig.world.clock.advance(LINGER_MS);
    expect(state().status).toBe('connected');
    rig.agentServer.leave(ACCOUNT.accountId);
    await rig.world.clock.advance(LINGER_MS);
    expect(state()).toEqual({ status: 'unused' });
    await rig.until(() => rig.server.connections === 0, 'closed');
    expect(rig.server.origins).toHaveLength(1);
  });

  describe('ends when the last account has left while its request was at work', () => {
    const left = async (options: Parameters<typeof AgentServerRig.start>[0] = {}): Promise<void> => {
      rig = await AgentServerRig.start(options);
      await rig.connect();
      rig.server.onChat = (turn) => turn.event('chat.processing_status');
      rig.server.answersInterrupts = false;
      await rig.says('one');
      await rig.until(() => rig.pending === 0, 'begun');
      rig.agentServer.leave(ACCOUNT.accountId);
      await rig.world.clock.advance(LINGER_MS);
      expect(state().status).toBe('connected');
    };

    it('and the connection was lost: it is not made again for ever', async () => {
      await left();
      rig.server.cut();
      await rig.until(() => state().status === 'unused', 'unused', { passes: true });
      await rig.world.clock.advance(60_000);
      expect(state().status).toBe('unused');
      await rig.until(() => rig.server.connections === 0, 'closed');
    });

    it('and the server never answered it, nor the interrupt', async () => {
      await left({ idleTimeoutMs: 60_000 });
      await rig.until(() => state().status === 'unused', 'unused', { passes: true });
      await rig.untilText('The agent did not answer in time. Please ask again.');
    });
  });

  it('carries the origin that a server with an origin check asks for', async () => {
    rig = await AgentServerRig.start({}, await startAgentServer({ checksOrigin: true }));
    await rig.connect();
    expect(rig.server.origins).toEqual([rig.server.filesUrl]);
  });

  it('that is refused is told apart from a server that is not there', async () => {
    const server = await startAgentServer({ checksOrigin: true });
    const url = server.url.replace('127.0.0.1', 'localhost');
    rig = await AgentServerRig.start({ url }, server);
    rig.attach();
    await rig.until(() => state().status === 'offline', 'offline');
    expect(state()).toMatchObject({ code: 'agent_server_refused' });
  });

  it('waits for connection.ack, and does without it after a time', async () => {
    const server = await startAgentServer();
    server.ack = null;
    rig = await AgentServerRig.start({}, server);
    rig.attach();
    await rig.until(() => server.connections === 1, 'connected');
    await rig.says('one');
    expect(state().status).toBe('connecting');
    expect(server.requests).toEqual([]);
    await rig.until(() => state().status === 'connected', 'used without', { passes: true });
    await rig.untilText('echo: one');
    expect(rig.logged.some(({ level, message }) => level === 'warn' && message?.includes('connection.ack'))).toBe(true);
  });

  it.each(['draining', 'failed'])('to a server that is %s is tried again later', async (status) => {
    const server = await startAgentServer();
    const ready = server.ack;
    server.ack = { type: 'event', event: 'connection.ack', payload: { status } };
    rig = await AgentServerRig.start({}, server);
    rig.attach();
    await rig.until(() => state().status === 'offline', 'offline');
    expect(state()).toMatchObject({ code: 'agent_server_not_ready' });
    server.ack = ready;
    await rig.until(() => state().status === 'connected', 'connected', { passes: true });
  });

  it('to a server that is draining is over at once, also when the server never closes it', async () => {
    const server = await startAgentServer();
    server.ack = { type: 'event', event: 'connection.ack', payload: { status: 'draining' } };
    server.isDeaf = true;
    rig = await AgentServerRig.start({}, server);
    rig.attach();
    await rig.until(() => state().status !== 'connecting', 'no longer connecting', { passes: true });
    expect(state()).toMatchObject({ status: 'offline', code: 'agent_server_not_ready' });
  });

  it('is made again with growing waits, at once when the machine wakes', async () => {
    const server = await startAgentServer();
    await server.close();
    rig = await AgentServerRig.start({}, server);
    rig.attach();
    const waits: number[] = [];
    for (let tries = 0; tries < 4; tries += 1) {
      await rig.until(() => state().status === 'offline', 'offline');
      const now = state();
      const wait = now.status === 'offline' ? now.retryAt - rig.world.clock.now() : 0;
      waits.push(wait);
      if (tries < 3) await rig.world.clock.advance(wait);
    }
    expect(waits).toEqual([500, 1000, 2000, 4000]);
    await server.listen();
    rig.agentServer.wake();
    await rig.until(() => state().status === 'connected', 'connected');
  });

  describe('to a server that says nothing any more', () => {
    /** Time goes on in steps in which a live server answers its pings. */
    const pass = async (ms: number, until: () => boolean = () => false): Promise<void> => {
      for (let passed = 0; passed < ms && !until(); passed += 5_000) {
        await rig.world.clock.advance(5_000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };

    it('is not called connected after 150 seconds, takes no message, and is given up after five minutes', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      await pass(600_000);
      expect(state().status).toBe('connected');
      rig.server.freeze();
      const frozenAt = rig.world.clock.now();
      await pass(600_000, () => state().status !== 'connected');
      expect(rig.world.clock.now() - frozenAt).toBeLessThanOrEqual(150_000);
      expect(state()).toMatchObject({ status: 'offline', code: 'agent_server_no_answer' });
      await rig.says('are you there?');
      rig.agentServer.wake();
      await pass(60_000);
      expect(rig.server.origins).toHaveLength(1);
      await pass(300_000, () => state().status === 'connected');
      expect(rig.world.clock.now() - frozenAt).toBeGreaterThan(300_000);
      await rig.untilText('echo: are you there?');
    });

    it('is the same connection when it speaks again, with what is at work', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      let finish = (): void => undefined;
      rig.server.onChat = (turn) => {
        turn.event('chat.processing_status');
        finish = () => turn.answer('done');
      };
      await rig.says('this takes long');
      await rig.until(() => rig.pending === 0, 'begun');
      rig.server.freeze();
      await pass(600_000, () => state().status === 'offline');
      rig.server.thaw();
      await rig.until(() => state().status === 'connected', 'connected again');
      finish();
      await rig.untilText('done');
      expect(rig.server.origins).toHaveLength(1);
    });
  });

  it('says plainly, in the log and to the window, that a second Gateway would cancel its work', async () => {
    rig = await AgentServerRig.start();
    expect(rig.agentServer.facts().warning).toBeUndefined();
    await rig.connect();
    expect(rig.agentServer.facts().warning).toBe('agent_server_second_gateway');
    const warnings = rig.logged.filter((line) => line['code'] === 'agent_server_second_gateway');
    expect(warnings).toMatchObject([{ level: 'warn' }]);
  });

  it('logs each response as one JSON line, with nothing of what was said', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.replay('chat_send_stream');
    await rig.says('Hello');
    await rig.untilText('Hello');
    const lines = rig.responses.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ sequence }) => sequence)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    for (const line of lines) {
      expect(Object.keys(line)).toEqual(
        expect.arrayContaining(['request_id', 'response_id', 'sequence', 'is_final', 'response_kind', 'timestamp']),
      );
    }
    expect(lines.at(-1)).toMatchObject({ is_final: true, response_kind: 'e2a.complete', status: 'succeeded' });
    for (const said of ['let me think', 'a.txt', '"ls"', 'Hel"']) expect(rig.responses.join('\n')).not.toContain(said);
  });
});
