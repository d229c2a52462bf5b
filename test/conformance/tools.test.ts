import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LocalRig } from '../support/local-rig.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

const RIGS = [
  ['local', () => new LocalRig()],
  ['telegram', () => new TelegramNetwork()],
] as const;

describe.each(RIGS)('tools over /%s (sections 8.18, 8.19, 10)', (_name, makeRig) => {
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  beforeAll(async () => {
    world = await World.start(makeRig());
    const bound = await world.bound();
    channel = bound.channel;
    await world.farewell();
  });
  beforeEach(async () => {
    agent = await world.agent();
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  const count = async (text: string): Promise<number> =>
    (await world.rig.visible()).filter((shown) => shown === text).length;

  it('8.19: a text is sent once, the ack says so and names the message', async () => {
    const text = `sent ${id('t')}`;
    const ack = await agent.tool(channel, world.rig.messageTool, { connector_channel_id: channel, text });
    expect(ack.type).toBe('tool.invoke.ack');
    expect(ack.payload).toMatchObject({
      tool_id: world.rig.messageTool,
      result: { status: 'sent', message_id: expect.any(String) },
    });
    expect(await count(text)).toBe(1);
  });

  it('R22, R41: only the envelope routes: without, and with a false connector_channel_id in the arguments', async () => {
    const one = `no argument ${id('t')}`;
    const two = `false argument ${id('t')}`;
    expect((await agent.tool(channel, world.rig.messageTool, { text: one })).error).toBeUndefined();
    expect(
      (await agent.tool(channel, world.rig.messageTool, { connector_channel_id: 'cch_of_another', text: two })).error,
    ).toBeUndefined();
    expect([await count(one), await count(two)]).toEqual([1, 1]);
  });

  it.each([
    ['no text', {}],
    ['text of another kind', { text: 7 }],
    ['empty text', { text: '' }],
    ['text null', { text: null }],
  ])('10: arguments with %s are tool_invoke_failed and have no effect', async (_what, args) => {
    const before = (await world.rig.visible()).length;
    const ack = await agent.tool(channel, world.rig.messageTool, { connector_channel_id: channel, ...args });
    expect(ack.type).toBe('tool.invoke.ack');
    expect(ack.error?.code).toBe('tool_invoke_failed');
    expect((await world.rig.visible()).length).toBe(before);
  });

  it('R22: an unknown tool is tool_invoke_failed', async () => {
    for (const tool of ['no_such_tool', 'wechat_message_send', '__proto__']) {
      expect((await agent.tool(channel, tool, { text: 'x' })).error?.code).toBe('tool_invoke_failed');
    }
  });

  it('a tool.invoke without tool_id is invalid_packet', async () => {
    const answer = await agent.request('tool.invoke', { channel, payload: { arguments: { text: 'x' } } });
    expect(answer.error?.code).toBe('invalid_packet');
  });

  it('R22: a channel that is not signed in is connection_not_authenticated', async () => {
    const fresh = (await agent.open()).channel;
    const ack = await agent.tool(fresh, world.rig.messageTool, { text: 'x' });
    expect(ack.type).toBe('tool.invoke.ack');
    expect(ack.error?.code).toBe('connection_not_authenticated');
  });

  it('R23: the same session and tool call is one effect, whatever request and packet carry it', async () => {
    const text = `once ${id('t')}`;
    const context = { session_id: id('s'), tool_call_id: id('c') };
    const first = await agent.tool(channel, world.rig.messageTool, { text }, { context });
    const again = await agent.tool(channel, world.rig.messageTool, { text }, { context });
    const exact = await agent.tool(
      channel,
      world.rig.messageTool,
      { text },
      { context, requestId: first.request_id ?? '' },
    );
    expect(again.payload).toEqual(first.payload);
    expect(exact.payload).toEqual(first.payload);
    expect(await count(text)).toBe(1);
  });

  it('R23: repeated while it runs, the repeat joins it', async () => {
    const text = `joined ${id('t')}`;
    const context = { session_id: id('s'), tool_call_id: id('c') };
    const acks = await Promise.all(
      [1, 2, 3].map(() => agent.tool(channel, world.rig.messageTool, { text }, { context })),
    );
    for (const ack of acks) expect(ack.payload).toEqual(acks[0]?.payload);
    expect(await count(text)).toBe(1);
  });

  it('R23: the same call with other arguments is idempotency_conflict', async () => {
    const context = { session_id: id('s'), tool_call_id: id('c') };
    const text = `first ${id('t')}`;
    await agent.tool(channel, world.rig.messageTool, { text }, { context });
    const other = await agent.tool(channel, world.rig.messageTool, { text: `${text} other` }, { context });
    expect(other.type).toBe('tool.invoke.ack');
    expect(other.error?.code).toBe('idempotency_conflict');
    expect(await count(`${text} other`)).toBe(0);
  });

  it('R23: content is never a key: equal texts of two calls, and equal call ids of two sessions, are two effects', async () => {
    const text = `twice ${id('t')}`;
    const call = id('c');
    await agent.tool(
      channel,
      world.rig.messageTool,
      { text },
      { context: { session_id: id('s'), tool_call_id: call } },
    );
    await agent.tool(
      channel,
      world.rig.messageTool,
      { text },
      { context: { session_id: id('s'), tool_call_id: call } },
    );
    expect(await count(text)).toBe(2);
  });

  it.each([[undefined], [null], [{}]])('R23: with context %s the request id is the key', async (context) => {
    const text = `by request ${id('t')}`;
    const requestId = id('req');
    const payload = {
      tool_id: world.rig.messageTool,
      arguments: { text },
      ...(context === undefined ? {} : { context }),
    };
    await agent.request('tool.invoke', { channel, payload, requestId });
    await agent.request('tool.invoke', { channel, payload, requestId });
    expect(await count(text)).toBe(1);
    await agent.request('tool.invoke', { channel, payload, requestId: id('req') });
    expect(await count(text)).toBe(2);
  });

  it('R23: repeated-call detection is durable', async () => {
    const text = `durable ${id('t')}`;
    const context = { session_id: id('s'), tool_call_id: id('c') };
    const first = await agent.tool(channel, world.rig.messageTool, { text }, { context });
    await world.host.restart();
    await world.rig.attach(world.host);
    const next = await world.agent({ connectorId: agent.connectorId });
    await next.open(channel);
    await next.untilStatus(channel, 'connected');
    const again = await next.tool(channel, world.rig.messageTool, { text }, { context });
    expect(again.payload).toEqual(first.payload);
    expect(await count(text)).toBe(1);
  });

  it('8.20: an uploaded file is sent by its file_ref', async () => {
    const upload = await agent.files.upload(channel, {
      filename: 'report.txt',
      content: 'the report',
      contentType: 'text/plain',
    });
    const ack = await agent.tool(channel, world.rig.fileTool, {
      connector_channel_id: channel,
      file_ref: upload['file_ref'],
      text: 'see file',
    });
    expect(ack.error).toBeUndefined();
    expect(ack.payload).toMatchObject({ tool_id: world.rig.fileTool, result: { status: 'sent' } });
  });

  it('a file_ref that is unknown, or of another channel, is refused', async () => {
    const unknown = await agent.tool(channel, world.rig.fileTool, { file_ref: 'file_AAAAAAAAAAAAAAAAAAAAAAAAA' });
    expect(unknown.type).toBe('tool.invoke.ack');
    expect(unknown.error?.code).toMatch(/file_ref_not_found|tool_invoke_failed/);
    for (const trick of ['../../etc/passwd', '/etc/passwd', 'http://127.0.0.1/x', 'data:text/plain,x']) {
      expect((await agent.tool(channel, world.rig.fileTool, { file_ref: trick })).error).toBeDefined();
    }
  });

  it('a hundred calls at once are a hundred acks', async () => {
    const acks = await Promise.all(
      Array.from({ length: 100 }, (_, i) => agent.tool(channel, 'no_such_tool', { text: String(i) })),
    );
    expect(new Set(acks.map((ack) => ack.request_id)).size).toBe(100);
  });
});
