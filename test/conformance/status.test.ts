import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/deadline.js';
import { ask, isRecord } from '../support/http-client.js';
import { LocalRig } from '../support/local-rig.js';
import { channelStatus, connectorStatus, counterOf } from '../support/status.js';
import { World } from '../support/world.js';

describe('the local status API: /status and /metrics', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(new LocalRig(), {
      delivery: { ackTimeoutMs: 5_000, retryInitialMs: 50, retryMaxMs: 100 },
    });
  });
  afterEach(() => world.farewell());
  afterAll(() => world.end());

  it('asks for the key', async () => {
    for (const path of ['/status', '/metrics']) expect((await ask(`${world.host.url}${path}`)).status).toBe(401);
  });

  it('names version, uptime and each connector with identity and data planes', async () => {
    const agent = await world.agent();
    const status = await world.host.status();
    expect(status).toMatchObject({ version: expect.any(String) });
    expect(JSON.stringify(status)).toMatch(/"uptime[a-z_]*":\d+/);
    const local = await connectorStatus(world.host, 'im.local');
    expect(local).toMatchObject({ connector_card_id: 'im.local', connector_id: agent.connectorId, data_planes: 1 });
  });

  it('names per channel the binding state, last round trip, queue and counters', async () => {
    const { agent, channel } = await world.bound();
    agent.ack = () => ({ kind: 'reject', retryable: true, code: 'channel_busy' });
    await world.rig.personSays('waiting');
    await eventually(async () => (await counterOf(world.host, 'im.local', channel, 'pending')) === 1, 'pending');
    await eventually(async () => (await counterOf(world.host, 'im.local', channel, 'attempts')) >= 1, 'attempts');
    const waiting = JSON.stringify(await channelStatus(world.host, 'im.local', channel));
    expect(waiting).toContain('connected');
    expect(waiting).toContain('channel_busy');
    for (const name of ['delivered', 'duplicate', 'rejected', 'expired', 'evicted'])
      expect(waiting).toContain(`"${name}":`);
    const before = await counterOf(world.host, 'im.local', channel, 'delivered');
    agent.ack = () => ({ kind: 'accept' });
    await eventually(
      async () => (await counterOf(world.host, 'im.local', channel, 'delivered')) === before + 1,
      'delivered',
    );
    expect(await counterOf(world.host, 'im.local', channel, 'pending')).toBe(0);
    await world.signOut(agent, channel);
  });

  it('shows nothing anybody wrote', async () => {
    const { agent, channel } = await world.bound();
    await world.rig.personSays("words that are nobody else's business");
    await agent.messages.next((m) => m.text.startsWith('words'), 'message');
    const text = JSON.stringify(await world.host.status()) + (await world.host.get('/metrics')).text;
    expect(text).not.toContain('nobody else');
    expect(text).not.toContain(world.host.apiKey);
    await world.signOut(agent, channel);
  });

  it('/metrics is Prometheus text: each series typed once, each line well formed', async () => {
    const { agent, channel } = await world.bound();
    const answer = await world.host.get('/metrics');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^text\/plain/);
    const typed = new Set<string>();
    for (const line of answer.text.split('\n').filter((l) => l !== '')) {
      if (line.startsWith('# TYPE ')) {
        const name = line.split(' ')[2] ?? '';
        expect(typed.has(name)).toBe(false);
        typed.add(name);
      } else if (!line.startsWith('#')) {
        expect(line).toMatch(/^[a-z_][a-z0-9_]*(\{([a-z_]+="(\\.|[^"\\])*",?)*\})? -?[0-9.e+-]+$/);
        const name = /^[a-z0-9_]+/.exec(line)?.[0] ?? '';
        expect(typed.has(name)).toBe(true);
      }
    }
    expect(answer.text).toMatch(/pending/);
    await world.signOut(agent, channel);
  });

  it('the ready line is the promised object', () => {
    expect(world.host.ready).toMatchObject({ event: 'ready', pid: world.host.pid, ui_url: `${world.host.url}/ui/` });
    const connectors = world.host.ready['connectors'];
    expect(Array.isArray(connectors) && connectors.every(isRecord)).toBe(true);
    expect(connectors).toContainEqual({ connector_card_id: 'im.local', base_url: `${world.host.url}/local` });
    expect(connectors).toContainEqual({ connector_card_id: 'im.telegram', base_url: `${world.host.url}/telegram` });
  });

  it('every log line on standard error is one JSON object', () => {
    expect(world.host.logs.entries.length).toBeGreaterThan(0);
    for (const line of world.host.logs.entries) expect(isRecord(JSON.parse(line))).toBe(true);
  });
});
