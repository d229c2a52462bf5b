import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, AgentServerRig } from '../../test/support/agent-server-rig.js';
import type { Turn } from '../../test/simulators/agent-server/index.js';
import { INTERRUPT_DEADLINE_MS } from './interrupt.js';

/** The person changes their mind while the agent works. */
describe('while a request runs', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  /** An agent that begins and does not end, until the test has it answer. */
  async function working(text = 'working'): Promise<Turn[]> {
    rig = await AgentServerRig.start();
    await rig.connect();
    const turns: Turn[] = [];
    rig.server.onChat = (turn) => {
      turns.push(turn);
      if (text === '') turn.event('chat.processing_status');
      else turn.delta(text);
    };
    await rig.says('first');
    await rig.until(() => rig.pending === 0, 'begun');
    return turns;
  }

  const order = () => rig.server.requests.map((request) => request['method']);

  it('a new message interrupts it first, and is then asked', async () => {
    const turns = await working();
    await rig.says('second');
    await rig.untilAsked(2);
    expect(order()).toEqual(['chat.send', 'chat.interrupt', 'chat.send']);
    expect(rig.server.of('chat.interrupt')).toMatchObject([
      {
        session_id: turns[0]?.sessionId,
        is_stream: false,
        params: { intent: 'cancel', session_id: turns[0]?.sessionId },
      },
    ]);
    turns[1]?.answer('to the second');
    await rig.untilText('to the second');
    // What was on the screen of the first stays, as far as it came.
    expect(rig.texts).toEqual(['working', 'to the second']);
    expect(rig.agentServer.facts().counters).toMatchObject({ interrupted: 1, answered: 1 });
  });

  it('a server that does not confirm an interrupt holds up nobody for ever', async () => {
    await working('');
    rig.server.answersInterrupts = false;
    await rig.says('second');
    await rig.until(() => rig.server.of('chat.interrupt').length === 1, 'interrupted');
    await rig.world.clock.advance(INTERRUPT_DEADLINE_MS);
    await rig.untilAsked(2);
  });

  it('messages that waited when it began do not interrupt each other: all are answered, in order', async () => {
    rig = await AgentServerRig.start();
    rig.world.delivery.pause(true);
    await rig.connect();
    for (const text of ['one', 'two', 'three']) await rig.says(text);
    const turns: Turn[] = [];
    rig.server.onChat = (turn) => {
      turns.push(turn);
      turn.event('chat.processing_status');
    };
    await rig.world.clock.advance(1);
    rig.world.delivery.pause(false);
    for (const index of [0, 1, 2]) {
      await rig.untilAsked(index + 1);
      turns[index]?.answer(`answer ${String(index + 1)}`);
      await rig.untilText(`answer ${String(index + 1)}`);
    }
    expect(rig.texts).toEqual(['answer 1', 'answer 2', 'answer 3']);
    expect(rig.server.of('chat.interrupt')).toEqual([]);
  });

  it('a message behind those that waited interrupts all the same', async () => {
    rig = await AgentServerRig.start();
    rig.world.delivery.pause(true);
    await rig.connect();
    await rig.says('one');
    await rig.says('two');
    rig.server.onChat = (turn) => {
      if (turn.query === 'one') turn.event('chat.processing_status');
      else turn.answer(`echo: ${turn.query}`);
    };
    await rig.world.clock.advance(1);
    rig.world.delivery.pause(false);
    await rig.untilAsked(1);
    await rig.until(() => rig.pending === 1, 'the first begun');
    expect(rig.server.of('chat.interrupt')).toEqual([]);
    await rig.says('three');
    await rig.untilText('echo: three');
    expect(rig.server.cancelled).toHaveLength(1);
    expect(rig.texts).toEqual(['echo: two', 'echo: three']);
  });

  it('/stop interrupts it, and is no question to the agent', async () => {
    await working();
    await rig.says('/stop');
    await rig.untilText('Stopped.');
    expect(rig.texts).toEqual(['working', 'Stopped.']);
    expect(order()).toEqual(['chat.send', 'chat.interrupt']);
    expect(rig.pending).toBe(0);
  });

  it.each(['/stop', '/STOP', ' /stop@some_bot '])('%j with nothing to stop says so', async (text) => {
    rig = await AgentServerRig.start();
    await rig.connect();
    await rig.says(text);
    await rig.untilText('Nothing is running.');
    expect(rig.server.requests).toEqual([]);
  });

  it('/stop reaches a request that has not even begun; it is not asked again', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = () => undefined;
    await rig.says('first');
    await rig.untilAsked(1);
    await rig.says('/stop');
    await rig.untilText('Stopped.');
    await rig.until(() => rig.pending === 0, 'nothing pending', { passes: true });
    expect(rig.texts).toEqual(['Stopped.']);
    expect(rig.server.queries).toEqual(['first']);
    expect(rig.world.delivery.ended(ACCOUNT.accountId, 5)).toMatchObject([{ reason: 'stopped_by_person' }]);
  });

  it('an account that leaves takes back what has not begun; what has begun is still answered', async () => {
    const turns = await working('');
    rig.agentServer.leave(ACCOUNT.accountId);
    turns[0]?.answer('still here');
    await rig.untilText('still here');

    rig.attach();
    await rig.says('second');
    rig.server.onChat = () => undefined;
    await rig.says('third');
    await rig.until(() => rig.server.queries.length >= 2, 'asked');
    rig.agentServer.leave(ACCOUNT.accountId);
    await rig.until(() => rig.server.of('chat.interrupt').length >= 1, 'taken back');
    expect(rig.agentServer.facts().accounts).toBe(0);
    expect(rig.pending).toBeGreaterThan(0);
  });

  it('an account that leaves while an answer to a question is on its way ends what waits for it', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      if (turn.params['answers'] !== undefined) return;
      turn.event('chat.ask_user_question', { request_id: 'call_1', questions: [{ question: 'Sure?' }] });
      turn.delta('until then');
    };
    await rig.says('do it');
    await rig.untilText('Sure?');
    await rig.says('yes');
    await rig.untilAsked(2);
    rig.agentServer.leave(ACCOUNT.accountId);
    await rig.untilText('until then');
    await rig.until(() => rig.agentServer.facts().running === 0, 'nothing under way');
    expect(rig.agentServer.facts().counters).toMatchObject({ interrupted: 1, lost: 0 });
    expect(rig.pending).toBe(1);
  });

  it('an account that signs out cancels what runs, and nothing more is sent in its name', async () => {
    const turns = await working();
    await rig.agentServer.forget(ACCOUNT.accountId);
    await rig.until(() => rig.server.cancelled.includes(turns[0]?.id ?? ''), 'cancelled');
    expect(rig.agentServer.facts().waitingAnswers).toBe(0);
  });
});
