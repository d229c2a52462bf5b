import { afterEach, describe, expect, it } from 'vitest';
import type { Config } from '../support/host-process.js';
import { LocalRig } from '../support/local-rig.js';
import { eventually } from '../support/deadline.js';
import { isRecord } from '../support/http-client.js';
import { records } from '../support/wire-rules.js';
import { World } from '../support/world.js';

/** Grace short enough to wait for, long enough that a reconnect on a busy machine fits inside. */
const SHORT: Config = { lease: { graceMs: 1_500 } };

describe('runtime lease (section 8.2, R43, R44)', () => {
  let world: World | undefined;
  afterEach(async () => {
    await world?.end();
    world = undefined;
  });
  const start = async (config: Config): Promise<World> => (world = await World.start(new LocalRig(), config));

  /** Resolves once the host holds no channel of the connector any more. */
  const unregistered = (w: World): Promise<true> =>
    eventually(async () => {
      const local = records((await w.host.status())['connectors']).find((c) => c['connector_card_id'] === 'im.local');
      return isRecord(local) && records(local['channels']).length === 0 ? (true as const) : false;
    }, 'lease to end every channel');

  it('one continuous grace offline ends the connector id with every channel; neither comes back', async () => {
    const w = await start(SHORT);
    const { agent, channel } = await w.bound();
    const id = agent.connectorId;
    await w.farewell();
    await unregistered(w);
    const next = await w.agent({ connectorId: id });
    expect(next.connectorId).not.toBe(id);
    expect((await next.open(channel)).channel).not.toBe(channel);
    await w.farewell();
  });

  it('a reconnect inside the grace keeps everything, and the next absence has the whole grace again', async () => {
    const w = await start({ lease: { graceMs: 3_000 } });
    const { agent, channel } = await w.bound();
    for (let i = 0; i < 3; i += 1) {
      agent.crash();
      await w.farewell();
      const next = await w.agent({ connectorId: agent.connectorId });
      expect(next.connectorId).toBe(agent.connectorId);
      expect((await next.open(channel)).channel).toBe(channel);
      await next.untilStatus(channel, 'connected');
    }
    await w.farewell();
  });

  it('a socket without hello does not hold the lease', async () => {
    const w = await start(SHORT);
    const { channel } = await w.bound();
    await w.farewell();
    const mute = await w.agent({ hello: false });
    await unregistered(w);
    await mute.hello();
    expect((await mute.open(channel)).channel).not.toBe(channel);
    await w.farewell();
  });

  it('two data planes: the lease begins only when the last is gone', async () => {
    const w = await start(SHORT);
    const { agent, channel } = await w.bound();
    const second = await w.agent({ connectorId: agent.connectorId });
    agent.crash();
    // Longer than the grace, measured by the host's own clock: the status shows it did not begin.
    const end = Date.now() + 2_000;
    await eventually(async () => {
      await second.settle();
      return Date.now() > end;
    }, 'a grace to pass');
    expect((await second.open(channel)).channel).toBe(channel);
    await w.farewell();
  });

  it('8.2: channels restored at startup that nobody claims end after one grace', async () => {
    const w = await start(SHORT);
    const { channel, agent } = await w.bound();
    const id = agent.connectorId;
    await w.host.restart();
    await w.rig.attach(w.host);
    await w.farewell();
    await unregistered(w);
    const next = await w.agent({ connectorId: id });
    expect(next.connectorId).not.toBe(id);
    expect((await next.open(channel)).channel).not.toBe(channel);
    await w.farewell();
  });

  it('a restart inside the grace keeps the channel', async () => {
    const w = await start({ lease: { graceMs: 60_000 } });
    const { channel, agent } = await w.bound();
    await w.host.restart();
    await w.rig.attach(w.host);
    const next = await w.agent({ connectorId: agent.connectorId });
    expect((await next.open(channel)).channel).toBe(channel);
    await w.farewell();
  });

  it('the cascade takes files with it: a ref of an ended channel is gone', async () => {
    const w = await start(SHORT);
    const { agent, channel } = await w.bound();
    const { file_ref: ref } = await agent.files.upload(channel, { filename: 'note.txt', content: 'words' });
    expect((await w.host.get(`/local/files/refs/${String(ref)}`)).status).toBe(200);
    await w.farewell();
    await unregistered(w);
    // What the channel left is cleared behind it, in the background.
    await eventually(async () => {
      const { status } = await w.host.get(`/local/files/refs/${String(ref)}`);
      return status === 404 ? (true as const) : false;
    }, 'the ref to go');
  });
});
