import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dumpsAmong } from '../support/files-with.js';
import { API_KEY, PASSPHRASE } from '../support/host-process.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

/** A host that dies in the middle of a sign-in, of a send and of nothing, and what each death leaves where others can look. */
describe('a crash tells no secret', () => {
  const rig = new TelegramNetwork();
  let world: World;
  const secrets = [rig.token, rig.token.split(':')[1] ?? '', API_KEY, PASSPHRASE];

  beforeAll(async () => {
    world = await World.start(rig, {}, { isEmpty: true });
  });
  afterAll(async () => {
    await world.end();
  });

  const leavesNothing = async (): Promise<void> => {
    const printed = [...world.host.logs.entries, ...world.host.stdout.entries].join('\n');
    for (const secret of secrets) {
      expect(printed.includes(secret)).toBe(false);
      expect(await world.host.filesWith(secret)).toEqual([]);
    }
    expect(dumpsAmong(await readdir(world.host.dataDir, { recursive: true }))).toEqual([]);
  };

  it('during a sign-in, killed', async () => {
    const agent = await world.agent();
    const { channel } = await agent.open();
    rig.simulator.faults.add('getMe', { kind: 'hang' });
    agent.send({
      type: 'auth.start',
      request_id: 'sign-in',
      connector_channel_id: channel,
      payload: { flow_id: rig.flowId, input: rig.input() },
    });
    await rig.simulator.until(() => rig.simulator.countOf('getMe') > 0);
    await world.host.kill();
    await leavesNothing();
    rig.simulator.faults.clear();
    await world.host.restart();
  });

  it.each(['SIGABRT', 'SIGSEGV'] as const)('with an account at work, by %s', async (signal) => {
    const { agent, channel } = await world.bound();
    const took = rig.hangAfterEffect('sendMessage');
    agent.transmit(channel, 'under way');
    await took;
    await world.host.stop(signal);
    rig.release();
    await leavesNothing();
    await world.host.restart();
  });
});
