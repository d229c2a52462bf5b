import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually } from '../../test/support/deadline.js';
import { hostInProcess, type HostInProcess } from '../../test/support/host-in-process.js';
import { id, SpecAgent } from '../../test/support/spec-agent.js';
import { TelegramNetwork } from '../../test/support/telegram-network.js';

/** Longer than a part needs to be cut off where nobody waits for it, much shorter than what a closing host allows. */
const SLOW_ANSWER_MS = 300;

const telegram = new TelegramNetwork();
let running: HostInProcess;

beforeEach(async () => {
  await telegram.start();
  const { simulator } = telegram;
  running = await hostInProcess({ connectors: { telegram: { enabled: true, apiRoot: simulator.apiRoot } } });
});

afterEach(async () => {
  telegram.release();
  await running.destroy();
  await telegram.stop();
});

async function connect(): Promise<SpecAgent> {
  const { apiKey } = await running.host.execute('api-key', {});
  return SpecAgent.connect({ baseUrl: `${running.host.url}/telegram`, apiKey });
}

test('an answer that is on its way when the host is told to stop comes through, and its repeat is a duplicate', async () => {
  const agent = await connect();
  const channel = await agent.bind(telegram.flowId, telegram.input());
  await agent.untilStatus(channel, 'connected');
  const messageId = id('a');
  const took = telegram.hangAfterEffect('sendMessage');
  agent.transmit(channel, 'slowly', { messageId });
  await took;
  const closed = running.host.close();
  // The server has given up waiting for the answer: from here on only delivery still does.
  await agent.closed;
  await new Promise((resolve) => setTimeout(resolve, SLOW_ANSWER_MS));
  telegram.release();
  await closed;

  running = await running.restart();
  const next = await connect();
  await next.open(channel);
  const ack = await next.say(channel, 'slowly', { messageId });
  expect(ack.payload).toMatchObject({ status: 'duplicate' });
  expect(await telegram.visible()).toEqual(['slowly']);
  await next.bye();
});

test('an answer that never ends holds up nobody: the host stops in time, and the repeat is in doubt', async () => {
  const agent = await connect();
  const channel = await agent.bind(telegram.flowId, telegram.input());
  await agent.untilStatus(channel, 'connected');
  const messageId = id('a');
  const took = telegram.hangAfterEffect('sendMessage');
  agent.transmit(channel, 'for ever', { messageId });
  await took;
  const began = performance.now();
  await running.host.close();
  expect(performance.now() - began).toBeLessThan(5_000);

  running = await running.restart();
  const next = await connect();
  await next.open(channel);
  await eventually(async () => {
    const ack = await next.say(channel, 'for ever', { messageId });
    return ack.payload?.['code'] === 'delivery_unknown';
  }, 'the answer to be in doubt');
  expect(await telegram.visible()).toEqual(['for ever']);
  await next.bye();
});
