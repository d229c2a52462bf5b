import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, AgentServerRig } from '../../test/support/agent-server-rig.js';
import { answerChannelOf } from './index.js';

/** What a person writes reaches the agent, and what the agent answers reaches the person. */
describe('an account that delivers to an AgentServer', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  it('asks with a streamed chat.send, and shows the answer as it grows', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let turn: { answer(text: string): void } | undefined;
    rig.server.onChat = (asked) => {
      asked.event('chat.processing_status', { is_processing: true });
      asked.delta('Hel');
      asked.delta('lo');
      turn = asked;
    };
    await rig.says('Hi', { sender: { id: 'u1', name: 'Ada' } });
    await rig.until(() => rig.network.shown.includes('Hello'), 'the growing answer');
    expect(rig.texts).toEqual([]);
    expect(rig.server.of('chat.send')).toMatchObject([
      {
        protocol_version: '1.0',
        channel: 'fake',
        user_id: 'u1',
        chat_id: 'chat',
        is_stream: true,
        method: 'chat.send',
        params: { content: 'Hi', query: 'Hi', mode: 'agent' },
        channel_context: { chat_type: 'p2p', sender_name: 'Ada' },
      },
    ]);
    turn?.answer('Hello!');
    await rig.untilText('Hello!');
    expect(rig.texts).toEqual(['Hello!']);
    await rig.until(() => rig.agentServer.facts().counters.answered === 1, 'counted');
  });

  it('gives the answer of a real server’s frames, whatever comes around it', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.replay('chat_send_stream');
    await rig.says('Hello');
    await rig.untilText('Hello');
    rig.server.onChat = (turn) => turn.replay('chat_send_stream_keepalive');
    await rig.says('idle');
    await rig.untilText('ab');
    expect(rig.texts).toEqual(['Hello', 'ab']);
  });

  it('takes the last chat.final that is not empty, without the thoughts some models put in it', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      turn.event('chat.final', { content: 'first round' });
      turn.event('chat.final', { content: '<think>hm</think>second round' });
      turn.event('chat.final', { content: '' });
      turn.end();
    };
    await rig.says('go');
    await rig.untilText('second round');
    expect(rig.texts).toEqual(['second round']);
  });

  it('takes an answer that stands in the last frame', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.end({ content: 'all at once' });
    await rig.says('go');
    await rig.untilText('all at once');
  });

  it('takes a last piece of text for text, and new values in what it does not read for nothing', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      const piece = { protocol_version: '1.0', request_id: turn.id, response_kind: 'e2a.chunk', status: 'in_progress' };
      const strange = { timestamp: 1_774_524_781_150, identity_origin: 'tool', acp_meta: 'x', provenance: 7 };
      const text = (delta: string) => ({ body: { delta_kind: 'text', delta } });
      turn.raw({ ...piece, ...strange, ...text('Hello'), sequence: 0, is_final: false });
      turn.raw({ ...piece, ...strange, ...text(' world'), sequence: 1, is_final: true });
    };
    await rig.says('Hi');
    await rig.untilText('Hello world');
    expect(rig.agentServer.facts().counters).toMatchObject({ answered: 1, dropped_frames: 0 });
  });

  it('says so when the agent ends without an answer, in the language of the person', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.end();
    await rig.says('go');
    await rig.untilText('The agent finished without an answer.');
    await rig.says('你好');
    await rig.untilText('智能体已结束，没有给出回答。');
  });

  it('shows thinking and tools as activity, and neither as text', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    const activity = () => rig.world.delivery.currentActivity(ACCOUNT.accountId);
    const steps: ((() => void) | undefined)[] = [];
    rig.server.onChat = (turn) => {
      turn.event('chat.reasoning', { content: 'let me think' });
      steps.push(
        () => turn.event('chat.tool_call', { tool_call: { name: 'bash', arguments: {}, tool_call_id: 't' } }),
        () => turn.event('chat.delta', { content: 'secret thought', source_chunk_type: 'llm_reasoning' }),
        () => turn.answer('done'),
      );
    };
    await rig.says('go');
    await rig.until(() => activity().status === 'thinking', 'thinking');
    steps[0]?.();
    await rig.until(() => activity().status === 'tool', 'tool');
    expect(activity()).toMatchObject({ toolName: 'bash' });
    steps[1]?.();
    await rig.until(() => activity().status === 'thinking', 'thinking again');
    steps[2]?.();
    await rig.untilText('done');
    expect(activity()).toEqual({ status: 'idle' });
    expect(rig.network.shown).toEqual([]);
  });

  it('keeps one session per conversation, over restarts, and forgets it with the sign-out', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    await rig.says('one');
    await rig.untilText('echo: one');
    await rig.says('two');
    await rig.untilText('echo: two');
    await rig.says('elsewhere', { conversation: { id: 'other', type: 'group' } });
    await rig.untilText('echo: elsewhere');
    await rig.crash();
    await rig.says('three');
    await rig.untilText('echo: three');
    const sessions = () => rig.server.of('chat.send').map((request) => request['session_id']);
    const [first, second, other, third] = sessions();
    expect([second, third]).toEqual([first, first]);
    expect(other).not.toBe(first);
    await rig.agentServer.forget(ACCOUNT.accountId);
    rig.attach();
    await rig.says('four');
    await rig.untilText('echo: four');
    expect(sessions().at(-1)).not.toBe(first);
  });

  it('remembers answers under a channel of its own, which ends with the account', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    await rig.says('one');
    await rig.untilText('echo: one');
    const channelId = answerChannelOf(ACCOUNT.accountId);
    const rows = () => rig.world.store.sql.prepare('SELECT channel_id FROM ledger').all();
    expect(rows()).toMatchObject([{ channel_id: channelId }]);
    await rig.agentServer.forget(ACCOUNT.accountId);
    expect(rows()).toEqual([]);
  });

  it('delivers an answer again that the network could not take, and once', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.world.delivery.attach(ACCOUNT.accountId, undefined);
    await rig.says('one');
    await rig.until(() => rig.agentServer.facts().waitingAnswers === 1, 'a waiting answer');
    rig.world.delivery.attach(ACCOUNT.accountId, rig.network);
    await rig.until(() => rig.texts.length > 0, 'the answer', { passes: true });
    await rig.until(() => rig.agentServer.facts().waitingAnswers === 0, 'nothing waits');
    expect(rig.texts).toEqual(['echo: one']);
  });

  it('delivers an answer after a crash that came before the network took it', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.world.delivery.attach(ACCOUNT.accountId, undefined);
    await rig.says('one');
    await rig.until(() => rig.agentServer.facts().waitingAnswers === 1, 'a waiting answer');
    await rig.world.store.flush();
    await rig.crash();
    await rig.untilText('echo: one');
    expect(rig.texts).toEqual(['echo: one']);
    expect(rig.server.queries).toEqual(['one']);
  });
});
