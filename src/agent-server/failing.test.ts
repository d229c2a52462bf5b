import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, AgentServerRig } from '../../test/support/agent-server-rig.js';
import { putAnswer } from './records.js';
import { startAgentServer, type Turn } from '../../test/simulators/agent-server/index.js';

/** What goes wrong is shown, not hidden, and nothing that may have run runs twice. */
describe('when the AgentServer fails', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  it.each([
    ['chat_send_stream_mid_failure', 'par\n\nThe agent could not answer (RateLimitError).'],
    ['chat_send_stream_exception', 'The agent could not answer (E2A.AGENT_ERROR).'],
    ['chat_send_stream_config_error', 'The agent could not answer (chat.error).'],
    ['chat_send_stream_oversize_chunk', 'The answer of the agent was too large to be sent.'],
  ])('%s is a failed answer in plain words, with its error type', async (scenario, text) => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.replay(scenario);
    await rig.says('go');
    await rig.untilText(text);
    await rig.until(() => rig.agentServer.facts().counters.failed === 1, 'counted');
    expect(rig.pending).toBe(0);
    expect(rig.texts).toEqual([text]);
  });

  it('shows nothing of an error’s own words, which may hold anything', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.fail({ error: 'key sk-canary', error_type: 'see https://canary.example' });
    await rig.says('go');
    await rig.untilText('The agent could not answer (E2A.AGENT_ERROR).');
    expect(JSON.stringify([rig.logged, rig.responses])).not.toContain('canary');
  });

  it('keeps a message pending while there is no server, and delivers it when there is', async () => {
    const server = await startAgentServer();
    await server.close();
    rig = await AgentServerRig.start({}, server);
    rig.attach();
    await rig.says('one');
    await rig.until(() => rig.agentServer.facts().state.status === 'offline', 'offline');
    expect(rig.agentServer.facts().state).toMatchObject({ code: 'agent_server_unreachable' });
    expect(rig.pending).toBe(1);
    await server.listen();
    await rig.until(() => rig.texts.includes('echo: one'), 'the answer', { passes: true });
    expect(rig.pending).toBe(0);
  });

  it('asks again when the connection is lost before the first frame: the request had not begun', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = () => undefined;
    await rig.says('one');
    await rig.untilAsked(1);
    expect(rig.pending).toBe(1);
    rig.server.onChat = (turn) => turn.answer('at last');
    rig.server.cut();
    await rig.until(() => rig.texts.includes('at last'), 'the answer', { passes: true });
    expect(rig.server.queries).toEqual(['one', 'one']);
    expect(rig.texts).toEqual(['at last']);
  });

  it('does not ask again when the connection is lost after the first frame, and says so', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.delta('half an');
    await rig.says('one');
    await rig.until(() => rig.network.shown.includes('half an'), 'the preview');
    rig.server.cut();
    const text = 'half an\n\nThe connection to the agent was lost while it was working. Please ask again.';
    await rig.untilText(text);
    await rig.until(() => rig.agentServer.facts().state.status === 'connected', 'connected again', { passes: true });
    await rig.world.clock.advance(120_000);
    expect(rig.server.queries).toEqual(['one']);
    expect(rig.texts).toEqual([text]);
    expect(rig.agentServer.facts().counters.lost).toBe(1);
  });

  it('does not send a request again that is under way, however long its first frame takes', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let turn: Turn | undefined;
    rig.server.onChat = (asked) => (turn = asked);
    await rig.says('one');
    await rig.untilAsked(1);
    await rig.world.clock.advance(200_000);
    expect(rig.pending).toBe(1);
    turn?.answer('slow');
    await rig.untilText('slow');
    await rig.until(() => rig.pending === 0, 'nothing pending');
    expect(rig.server.queries).toEqual(['one']);
  });

  it('gives up a request about which nothing is said for too long, and says so', async () => {
    rig = await AgentServerRig.start({ idleTimeoutMs: 60_000 });
    await rig.connect();
    rig.server.onChat = () => undefined;
    await rig.says('one');
    await rig.untilAsked(1);
    await rig.world.clock.advance(60_000);
    await rig.untilText('The agent did not answer in time. Please ask again.');
    await rig.until(() => rig.pending === 0, 'nothing pending');
    expect(rig.world.delivery.ended(ACCOUNT.accountId, 5)).toMatchObject([{ reason: 'agent_server_silent' }]);
    expect(rig.server.of('chat.interrupt')).toHaveLength(1);
    expect(rig.server.queries).toEqual(['one']);
  });

  it('takes keepalives for a sign of life: the message is delivered, and time begins anew', async () => {
    rig = await AgentServerRig.start({ idleTimeoutMs: 60_000 });
    await rig.connect();
    let turn: Turn | undefined;
    rig.server.onChat = (asked) => (turn = asked);
    await rig.says('one');
    await rig.untilAsked(1);
    await rig.world.clock.advance(50_000);
    turn?.keepalive();
    await rig.until(() => rig.pending === 0, 'delivered');
    await rig.world.clock.advance(50_000);
    turn?.answer('done');
    await rig.untilText('done');
    expect(rig.texts).toEqual(['done']);
  });

  it('tries again what the server has not begun because it is warming up', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let isWarm = false;
    rig.server.onChat = (turn) => (isWarm ? turn.answer('warm') : turn.fail({ error: 'x', code: 'RUNTIME_WARMING' }));
    await rig.says('one');
    await rig.until(() => rig.world.delivery.queue(ACCOUNT.accountId).lastError === 'agent_server_warming', 'refused');
    isWarm = true;
    await rig.until(() => rig.texts.includes('warm'), 'the answer', { passes: true });
    expect(rig.texts).toEqual(['warm']);
  });

  it('tries again also when the server kept it waiting for that, alive', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let turn: Turn | undefined;
    rig.server.onChat = (asked) => {
      turn = asked;
      asked.event('runtime.warming');
      asked.keepalive();
    };
    await rig.says('one');
    await rig.untilAsked(1);
    await rig.says('two');
    await rig.world.clock.advance(100_000);
    expect(rig.pending).toBe(2);
    rig.server.onChat = (asked) => asked.answer(`warm: ${asked.query}`);
    turn?.fail({ error: 'x', code: 'RUNTIME_WARMING' });
    await rig.until(() => rig.texts.length === 2, 'the answers', { passes: true });
    expect(rig.texts).toEqual(['warm: one', 'warm: two']);
  });

  it('says so when the server had begun what it then calls not begun: the message has left the queue', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let turn: Turn | undefined;
    rig.server.onChat = (asked) => {
      turn = asked;
      asked.event('chat.processing_status');
    };
    await rig.says('one');
    await rig.until(() => rig.pending === 0, 'begun');
    turn?.fail({ error: 'x', code: 'RUNTIME_WARMING' });
    await rig.untilText('The agent could not answer (RUNTIME_WARMING).');
    await rig.world.store.flush();
    await rig.crash();
    expect(rig.texts).toEqual([]);
  });

  it('tells after a restart what the end of the program broke off, and never asks it again', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.delta('half');
    await rig.says('one');
    await rig.until(() => rig.pending === 0 && rig.network.shown.includes('half'), 'begun');
    await rig.world.store.flush();
    await rig.crash();
    await rig.untilText('The program was restarted while the agent was working. Please ask again.');
    await rig.crash();
    expect(rig.texts).toEqual([]);
    expect(rig.server.queries).toEqual(['one']);
  });

  it('tells the person of an answer that was damaged on the disk, and sends those beside it', async () => {
    rig = await AgentServerRig.start();
    await rig.world.store.write((sql) => {
      putAnswer(sql, { ...ACCOUNT, answerId: 'ans_1', text: 'lost', fileRefs: [], expiresAt: Number.MAX_SAFE_INTEGER });
      putAnswer(sql, {
        ...ACCOUNT,
        answerId: 'ans_2',
        text: 'whole',
        fileRefs: [],
        expiresAt: Number.MAX_SAFE_INTEGER,
      });
      sql.exec(`UPDATE agent_answer SET body = '{"text":"los' WHERE answer_id = 'ans_1'`);
    });
    await rig.crash();
    await rig.untilText('whole');
    expect(rig.texts).toEqual([expect.stringMatching(/can not be read.*\n.*重新提问/), 'whole']);
    expect(rig.logged).toContainEqual(expect.objectContaining({ code: 'row_damaged', messageId: 'ans_1' }));
  });

  it('asks a message again after a crash that came before its first frame', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = () => undefined;
    await rig.says('one');
    await rig.untilAsked(1);
    rig.server.onChat = (turn) => turn.answer('here');
    await rig.crash();
    await rig.untilText('here');
    expect(rig.texts).toEqual(['here']);
  });

  it('bears frames that are no frames, of nobody, or too late', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      const deep = `{"ok":true,"channel_id":"","request_id":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
      for (const junk of ['{not json', '[1,2]', '"x"', '{}', deep]) rig.server.send(junk);
      turn.raw({ protocol_version: '1.0', response_kind: 'a2a.task', request_id: turn.id, is_final: false });
      turn.raw({ protocol_version: '1.0', response_kind: 'e2a.complete', request_id: 'nobody', is_final: true });
      turn.answer('fine');
      turn.isCancelled = false;
      turn.delta('too late');
      turn.keepalive();
    };
    await rig.says('one');
    await rig.untilText('fine');
    await rig.says('two');
    await rig.until(() => rig.texts.length === 2, 'the second answer');
    expect(rig.texts).toEqual(['fine', 'fine']);
    expect(rig.network.shown).toEqual([]);
    expect(rig.agentServer.facts().counters.dropped_frames).toBeGreaterThan(0);
  });

  describe('with frames that can not be read', () => {
    const frame = (turn: Turn, more: object) => ({
      protocol_version: '1.1',
      response_kind: 'e2a.chunk',
      request_id: turn.id,
      body: { delta_kind: 'text', delta: 'x' },
      ...more,
    });

    it('has begun the request that they name: it is not asked again', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      rig.server.onChat = (turn) => turn.raw(frame(turn, { is_final: false }));
      await rig.says('one');
      await rig.until(() => rig.pending === 0, 'begun');
      rig.server.cut();
      await rig.untilText('The connection to the agent was lost while it was working. Please ask again.');
      await rig.until(() => rig.agentServer.facts().state.status === 'connected', 'connected again', { passes: true });
      expect(rig.server.queries).toEqual(['one']);
    });

    it('has failed when the last one is none, and the person hears it at once', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      rig.server.onChat = (turn) => turn.raw(frame(turn, { is_final: true }));
      await rig.says('one');
      await rig.untilText('The agent could not answer (unrecognized_frame).');
      expect(rig.agentServer.facts()).toMatchObject({ running: 0, counters: { failed: 1, dropped_frames: 1 } });
    });

    it('goes on when it was a push that said it is the last', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      rig.server.onChat = (turn) => {
        const push = { metadata: { _jiuwenswarm_server_push: true }, response_kind: 'ext', is_final: true };
        turn.raw(frame(turn, { protocol_version: '1.0', ...push }));
        turn.answer('fine');
      };
      await rig.says('one');
      await rig.untilText('fine');
      expect(rig.texts).toEqual(['fine']);
    });
  });

  it('does not ask again for ever what makes a frame too large for the connection, and says so', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.answer('x'.repeat(9 * 1024 * 1024));
    await rig.says('one');
    await rig.untilText('The connection to the agent was lost: a message or an answer was too large for it.');
    rig.server.onChat = (turn) => turn.answer('fits');
    await rig.says('two');
    await rig.until(() => rig.texts.includes('fits'), 'the next answer', { passes: true });
    expect(rig.server.queries).toEqual(['one', 'two']);
    expect(rig.world.delivery.ended(ACCOUNT.accountId, 5)).toMatchObject([{ reason: 'agent_server_frame_too_large' }]);
  });

  it('refuses a message that is larger than any server takes, and goes on with the next', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    await rig.says('x'.repeat(5 * 1024 * 1024));
    await rig.untilText('This message is too long for the agent.');
    expect(rig.world.delivery.ended(ACCOUNT.accountId, 5)).toMatchObject([{ reason: 'message_too_large' }]);
    await rig.says('short');
    await rig.untilText('echo: short');
    expect(rig.server.queries).toEqual(['short']);
  });
});
