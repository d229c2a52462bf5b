import { afterEach, describe, expect, it } from 'vitest';
import { AgentServerRig } from '../../test/support/agent-server-rig.js';
import type { Turn } from '../../test/simulators/agent-server/index.js';

const QUESTION = {
  request_id: 'call_1',
  source: 'ask_user_interrupt',
  questions: [
    {
      header: 'Format',
      question: 'Which one?',
      options: [
        { label: 'PDF', description: '' },
        { label: 'Word', description: 'a .docx' },
      ],
      multi_select: false,
    },
  ],
};

/** A question of the agent is a numbered choice in the chat, answered by a new request. */
describe('a question of the agent', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  const answers = () => rig.server.of('chat.send').map(({ params }) => (params as Record<string, unknown>)['answers']);

  async function asked(question: object = QUESTION, before?: (turn: Turn) => void): Promise<void> {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      if (turn.params['answers'] !== undefined) turn.answer('thanks');
      else {
        before?.(turn);
        turn.event('chat.ask_user_question', { ...question });
        turn.end();
      }
    };
    await rig.says('make it');
    await rig.until(() => rig.texts.length === 1, 'the question');
  }

  it('of a real server is put with its choices, and answered by number', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      if (turn.params['answers'] === undefined) turn.replay('chat_ask_user_question');
      else turn.answer('thanks');
    };
    await rig.says('ask');
    await rig.untilText('Permission\nAllow?\n1. yes\nReply with a number, or in your own words.');
    await rig.says('1');
    await rig.untilText('thanks');
    expect(rig.server.of('chat.send')[1]).toMatchObject({
      is_stream: true,
      session_id: rig.server.of('chat.send')[0]?.['session_id'],
      params: {
        request_id: 'call_1',
        source: 'permission_interrupt',
        answers: [{ question: 'Allow?', selected_options: ['yes'] }],
        query: '',
        mode: 'agent',
      },
    });
    expect(rig.texts).toHaveLength(2);
  });

  it.each([
    ['2', { selected_options: ['Word'] }],
    ['pdf', { selected_options: ['PDF'] }],
    ['3', { selected_options: [], custom_input: '3' }],
    ['1,2', { selected_options: [], custom_input: '1,2' }],
    ['rather HTML', { selected_options: [], custom_input: 'rather HTML' }],
  ])('takes %j as an answer', async (text, answer) => {
    await asked();
    expect(rig.texts).toEqual([
      'Format\nWhich one?\n1. PDF\n2. Word – a .docx\nReply with a number, or in your own words.',
    ]);
    await rig.says(text);
    await rig.untilText('thanks');
    expect(answers()[1]).toEqual([{ question: 'Which one?', ...answer }]);
  });

  it('with several choices takes several numbers', async () => {
    await asked({ ...QUESTION, questions: [{ ...QUESTION.questions[0], multi_select: true }] });
    await rig.says('2、1');
    await rig.untilText('thanks');
    expect(answers()[1]).toEqual([{ question: 'Which one?', selected_options: ['Word', 'PDF'] }]);
  });

  it('of several parts is put part by part, over a restart too, and answered as a whole', async () => {
    const second = { question: 'How many pages?', header: '', options: [], multi_select: false };
    await asked({ ...QUESTION, questions: [QUESTION.questions[0], second] });
    await rig.says('1');
    await rig.untilText('How many pages?');
    await rig.world.store.flush();
    await rig.crash();
    await rig.says('about ten');
    await rig.untilText('thanks');
    expect(answers().at(-1)).toEqual([
      { question: 'Which one?', selected_options: ['PDF'] },
      { question: 'How many pages?', selected_options: [], custom_input: 'about ten' },
    ]);
  });

  it('comes with what was said before it, in one message', async () => {
    await asked(QUESTION, (turn) => turn.delta('I can do both.'));
    expect(rig.texts[0]).toMatch(/^I can do both\.\n\nFormat\nWhich one\?/);
  });

  it('is never open on the disk without the words that put it', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    const { store } = rig.world;
    const unseen: unknown[] = [];
    store.step = () => {
      const open = store.sql.prepare('SELECT question FROM agent_session WHERE question IS NOT NULL').get();
      const words = rig.texts[0] ?? store.sql.prepare('SELECT 1 FROM agent_answer').get();
      if (open !== undefined && words === undefined) unseen.push(open);
    };
    rig.server.onChat = (turn) => turn.replay('chat_ask_user_question');
    await rig.says('ask');
    await rig.until(() => rig.texts.length === 1, 'the question');
    expect(unseen).toEqual([]);
  });

  it('does not interrupt a request that waits for its answer', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let waiting: Turn | undefined;
    rig.server.onChat = (turn) => {
      if (turn.params['answers'] !== undefined) {
        turn.end({ content: 'noted' });
        waiting?.answer('made');
      } else {
        waiting = turn;
        turn.event('chat.ask_user_question', QUESTION);
      }
    };
    await rig.says('make it');
    await rig.until(() => rig.texts.length === 1, 'the question');
    await rig.says('1');
    await rig.untilText('made');
    expect(rig.server.of('chat.interrupt')).toEqual([]);
  });

  describe('ends with the request that waits for its answer', () => {
    let waiting: Turn | undefined;
    const askedWithin = async (): Promise<void> => {
      rig = await AgentServerRig.start();
      await rig.connect();
      rig.server.onChat = (turn) => {
        waiting = turn;
        turn.event('chat.ask_user_question', QUESTION);
      };
      await rig.says('make it');
      await rig.until(() => rig.texts.length === 1 && rig.pending === 0, 'the question');
      await rig.world.store.flush();
      rig.server.onChat = (turn) => turn.answer(`echo: ${turn.query}`);
    };
    const isMessageAgain = async (): Promise<void> => {
      await rig.says('1');
      await rig.untilText('echo: 1');
    };

    it('when the connection is lost', async () => {
      await askedWithin();
      rig.server.cut();
      await rig.until(() => rig.texts.length === 2, 'told');
      await rig.until(() => rig.agentServer.facts().state.status === 'connected', 'connected again', { passes: true });
      await isMessageAgain();
    });

    it('when it fails', async () => {
      await askedWithin();
      waiting?.fail({ error: 'x' });
      await rig.until(() => rig.texts.length === 2, 'told');
      await isMessageAgain();
    });

    it('when the program ends', async () => {
      await askedWithin();
      await rig.crash();
      await rig.until(() => rig.texts.length === 1, 'told');
      await isMessageAgain();
    });

    it('when it fails in the same breath, over a restart too', async () => {
      rig = await AgentServerRig.start();
      await rig.connect();
      rig.server.onChat = (turn) => {
        turn.event('chat.ask_user_question', QUESTION);
        turn.fail({ error: 'x' });
      };
      await rig.says('make it');
      await rig.until(() => rig.texts.length === 2, 'told');
      await rig.world.store.flush();
      await rig.crash();
      rig.server.onChat = (turn) => turn.answer(`echo: ${turn.query}`);
      await isMessageAgain();
    });
  });

  it('is dropped by /stop: what comes next is a message again', async () => {
    await asked();
    await rig.says('/stop');
    await rig.untilText('Stopped.');
    rig.server.onChat = (turn) => turn.answer(`echo: ${turn.query}`);
    await rig.says('1');
    await rig.untilText('echo: 1');
  });

  it('that was damaged on the disk is none: what the person writes next goes to the agent as a message', async () => {
    await asked();
    await rig.world.store.write((sql) => void sql.exec(`UPDATE agent_session SET question = '{"requ'`));
    await rig.crash();
    rig.server.onChat = (turn) => turn.answer(`echo: ${turn.query}`);
    await rig.says('PDF');
    await rig.untilText('echo: PDF');
    expect(rig.logged).toContainEqual(expect.objectContaining({ code: 'row_damaged', level: 'error' }));
  });

  it('that is pushed later finds its conversation, after a restart by the session', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    let turn: Turn | undefined;
    rig.server.onChat = (asked) => {
      turn = asked;
      asked.answer('done');
    };
    await rig.says('make it');
    await rig.untilText('done');
    await rig.world.store.flush();
    await rig.crash();
    turn?.push({ event_type: 'chat.ask_user_question', ...QUESTION });
    await rig.until(() => rig.texts.length === 1, 'the question');
    expect(rig.texts[0]).toContain('Which one?');
  });
});

describe('a plan to approve', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  it('is put to the person when it comes within an answer, too', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => {
      turn.event('plan.approval_required', { plan_content: '# P' });
      turn.end();
    };
    await rig.says('plan it');
    await rig.untilText('# P\n\nThe agent asks you to approve this plan. Reply with what you think of it.');
    await rig.until(() => rig.agentServer.facts().counters.answered === 1, 'ended');
    expect(rig.texts).toHaveLength(1);
  });
});

describe('what a server pushes', () => {
  let rig: AgentServerRig;
  afterEach(() => rig.stop());

  it('is no part of the answer, though it carries its id and says it is final', async () => {
    rig = await AgentServerRig.start();
    await rig.connect();
    rig.server.onChat = (turn) => turn.replay('server_push_during_stream');
    await rig.says('push');
    await rig.until(() => rig.texts.some((text) => text.startsWith('Hello')), 'the answer');
    expect(rig.texts).toContainEqual(
      '# P\n\nThe agent asks you to approve this plan. Reply with what you think of it.',
    );
    expect(rig.texts).toContainEqual('Hello\n\n[file "report.pdf" could not be fetched]');
    expect(rig.texts).toHaveLength(2);
  });
});
