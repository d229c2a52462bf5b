import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FakeConnector } from '../../../test/support/fake-connector.js';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ServerRig, type TestAgent } from '../../../test/support/server-rig.js';
import type { OfferedMessage } from '../../delivery/delivery.js';
import { IM_V1, type InboundFileItem, type Packet } from '../../protocol/index.js';

const OFFERED: OfferedMessage = {
  accountId: 'acc_1',
  messageId: 'msg_1',
  text: 'hello there',
  files: [],
  message: {
    id: 'msg_1',
    text: 'hello there',
    attachments: [],
    sender: { id: 'u_12345678', name: 'Alex' },
    conversation: { id: 'chat_9', type: 'p2p' },
    sentAt: 1_700_000_000_000,
  },
  receivedAt: 1_700_000_000_500,
};
const IMAGE: InboundFileItem = {
  type: 'image',
  file_ref: 'file_1',
  filename: 'a.png',
  mime_type: 'image/png',
  byte_size: 10,
  expires_at: 1,
  download_url: '/files/refs/file_1',
};

describe('messages to the agent (IM Profile v2)', () => {
  let clock: ManualClock;
  let rig: ServerRig;
  let agent: TestAgent;
  let channel: string;
  beforeEach(async () => {
    clock = new ManualClock();
    rig = await ServerRig.start({ clock });
    agent = await rig.agent();
    channel = await agent.open('acc_1', 'cch_1');
  });
  afterEach(() => rig.stop());
  const transmit = (offered = OFFERED) => rig.connector.lastLink.upstream(channel).transmit(offered);
  const received = async (count: number): Promise<Packet[]> => {
    await agent.settle();
    const messages = agent.received.entries.filter((packet) => packet.type === 'chat.message');
    expect(messages).toHaveLength(count);
    return messages;
  };
  const acknowledge = async (packet: Record<string, unknown>): Promise<void> => {
    agent.send({ type: 'chat.message.ack', connector_channel_id: channel, ...packet });
    await agent.settle();
  };

  it('carry what the person wrote and nothing else', async () => {
    expect(await transmit()).toBe('sent');
    await transmit({ ...OFFERED, messageId: 'msg_2', text: '', files: [IMAGE] });
    const [text, image] = await received(2);
    expect(text).toMatchObject({ connector_channel_id: channel, time: clock.now() });
    expect(text?.payload).toEqual({ message_id: 'msg_1', text: 'hello there', created_at: 1_700_000_000_000 });
    expect(image?.payload).toEqual({ message_id: 'msg_2', files: [IMAGE], created_at: 1_700_000_000_000 });
  });

  it('keep their message id over redelivery and take a new packet id', async () => {
    await transmit();
    await transmit();
    const [first, second] = await received(2);
    expect(second?.payload).toEqual(first?.payload);
    expect(second?.packet_id).not.toBe(first?.packet_id);
  });

  it('are acknowledged by an ack to any of their transmissions, once', async () => {
    await transmit();
    await transmit();
    const [first] = await received(2);
    const ack = { reply_to: first?.packet_id, payload: { message_id: 'msg_1', status: 'accepted' } };
    await acknowledge(ack);
    await acknowledge(ack);
    expect(rig.delivery.verdicts).toEqual([
      { accountId: 'acc_1', messageId: 'msg_1', verdict: { status: 'accepted' } },
    ]);
  });

  it('are acknowledged over a later socket of the channel too', async () => {
    await transmit();
    const [first] = await received(1);
    agent.socket.terminate();
    agent = await rig.agent();
    await acknowledge({ reply_to: first?.packet_id, payload: { message_id: 'msg_1', status: 'duplicate' } });
    expect(rig.delivery.verdicts).toMatchObject([{ verdict: { status: 'duplicate' } }]);
  });

  it('may be acknowledged after a temporary rejection', async () => {
    await transmit();
    const [first] = await received(1);
    const reply_to = first?.packet_id;
    await acknowledge({
      reply_to,
      payload: { message_id: 'msg_1', status: 'rejected', code: 'channel_busy', retryable: true },
    });
    await acknowledge({ reply_to, payload: { message_id: 'msg_1', status: 'accepted' } });
    expect(rig.delivery.verdicts.map(({ verdict }) => verdict)).toEqual([
      { status: 'rejected', code: 'channel_busy', retryable: true },
      { status: 'accepted' },
    ]);
  });

  it.each([
    [
      { code: 'no', retryable: false },
      { code: 'no', retryable: false },
    ],
    [
      { code: 'channel_busy', retryable: false },
      { code: 'channel_busy', retryable: false },
    ],
    [{ code: 'no' }, { code: 'no', retryable: true }],
    [
      { code: 'no', retryable: null },
      { code: 'no', retryable: true },
    ],
    [{ retryable: false }, { code: 'rejected_without_code', retryable: false }],
    [{ code: '' }, { code: 'rejected_without_code', retryable: true }],
  ])('rejected with %j are taken as %j', async (fields, verdict) => {
    await transmit();
    const [first] = await received(1);
    await acknowledge({
      reply_to: first?.packet_id,
      payload: { message_id: 'msg_1', status: 'rejected', ...fields },
    });
    expect(rig.delivery.verdicts).toMatchObject([{ verdict: { status: 'rejected', ...verdict } }]);
  });

  it('take no ack that differs in channel, message or transmission, and answer none', async () => {
    await transmit();
    const [first] = await received(1);
    const right = { reply_to: first?.packet_id, payload: { message_id: 'msg_1', status: 'accepted' } };
    const from = agent.received.mark;
    for (const wrong of [
      { ...right, connector_channel_id: 'cch_2' },
      { ...right, connector_channel_id: undefined },
      { ...right, reply_to: 'pkt_other' },
      { ...right, reply_to: undefined },
      { ...right, payload: { message_id: 'msg_2', status: 'accepted' } },
      { ...right, payload: { message_id: 'msg_1', status: 'maybe' } },
      { ...right, payload: { status: 'accepted' } },
      { ...right, payload: null },
    ]) {
      await acknowledge(wrong);
    }
    expect(rig.delivery.verdicts).toEqual([]);
    expect(new Set(agent.received.since(from).map((packet) => packet.type))).toEqual(new Set(['pong']));
  });

  it('can not be handed to a socket that is gone', async () => {
    const upstream = rig.connector.lastLink.upstream(channel);
    agent.socket.terminate();
    await (await rig.agent()).settle();
    await expect(upstream.transmit(OFFERED)).rejects.toMatchObject({ code: 'agent_not_connected', effect: 'none' });
  });
});

describe('messages to the agent (IM Profile v1)', () => {
  let rig: ServerRig;
  let agent: TestAgent;
  let channel: string;
  beforeEach(async () => {
    rig = await ServerRig.start({ connectors: [new FakeConnector('alpha', IM_V1)] });
    agent = await rig.agent();
    channel = await agent.open();
  });
  afterEach(() => rig.stop());

  it('a message is one message.push, done once it is written', async () => {
    expect(await rig.connector.lastLink.upstream(channel).transmit(OFFERED)).toBe('done');
    const push = await agent.received.next((packet) => packet.type === 'message.push', 'push');
    expect(push.connector_channel_id).toBe(channel);
    const text =
      'User message from Fake:\nSender: Alex\nConversation type: p2p\nMessage type: text\nUser text: hello there';
    expect(push.payload).toEqual({
      provider: 'alpha',
      profile: 'xagent.im.v1',
      event_kind: 'im.message.received',
      message_id: 'msg_1',
      sender_id: 'u_12345678',
      sender_name: 'Alex',
      display_name: 'Alex',
      chat_id: 'chat_9',
      chat_type: 'p2p',
      message_type: 'text',
      raw_text: 'hello there',
      text,
      content: text,
      activation_message:
        'Answer this message by calling alpha_message_send: nothing else reaches the person who wrote it.',
      reply: { required: true, tool_id: 'alpha_message_send' },
      skill: { skill_id: 'connector-im-alpha', tool_ids: ['alpha_message_send', 'alpha_file_send'] },
    });
    await agent.settle();
    expect(agent.received.entries.some((packet) => packet.type === 'chat.message')).toBe(false);
  });

  it('files come with it; without a name the sender is shown redacted, without text as "none"', async () => {
    const { name: _name, ...sender } = OFFERED.message.sender;
    const message = {
      ...OFFERED.message,
      sender,
      text: '',
      attachments: [{ fileType: 'image' as const, locator: null }],
    };
    await rig.connector.lastLink.upstream(channel).transmit({ ...OFFERED, text: '', files: [IMAGE], message });
    const push = await agent.received.next((packet) => packet.type === 'message.push', 'push');
    expect(push.payload).toMatchObject({
      message_type: 'image',
      raw_text: '',
      display_name: 'u_12***',
      files: [IMAGE],
    });
    expect(push.payload?.['text']).toContain('Sender: u_12***\n');
    expect(push.payload?.['text']).toContain('User text: none');
  });

  it('chat packets are unsupported, and an ack nobody waits for is ignored', async () => {
    for (const type of ['chat.message', 'chat.message.delta', 'chat.activity']) {
      const answer = await agent.request({
        type,
        connector_channel_id: channel,
        payload: { message_id: 'm', sequence: 1, text: 'x' },
      });
      expect([type, answer.error?.code]).toEqual([type, 'unsupported_packet']);
    }
    const from = agent.received.mark;
    agent.send({
      type: 'chat.message.ack',
      connector_channel_id: channel,
      reply_to: 'p',
      payload: { message_id: 'm', status: 'accepted' },
    });
    await agent.settle();
    expect(agent.received.since(from).map((packet) => packet.type)).toEqual(['pong']);
    expect(rig.delivery.requests).toEqual([]);
  });

  it('a message whose socket goes during the write is not done', async () => {
    const link = rig.connector.lastLink;
    agent.socket.pause();
    const upstream = link.upstream(channel);
    const text = 'x'.repeat(900_000);
    const tries = Array.from({ length: 20 }, () =>
      upstream.transmit({ ...OFFERED, text }).catch((error: unknown) => error),
    );
    agent.socket.terminate();
    const results = await Promise.all(tries);
    expect(results.filter((result) => result instanceof Error)).not.toEqual([]);
    for (const result of results) {
      expect(result === 'done' || (result as { name: string }).name === 'TransportError').toBe(true);
    }
  });
});
