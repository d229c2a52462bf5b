import { afterEach, describe, expect, it } from 'vitest';
import type { BindingState } from '../../src/targets/target.js';
import { FeishuRig, OWNER } from '../support/feishu-rig.js';
import { TestProxy } from '../support/test-proxy.js';
import { ADA, never, TelegramRig, text } from '../support/telegram-rig.js';
import { WechatRig } from '../support/wechat-rig.js';

/** Every network speaks through the proxy that the system names, says so when it is gone, and goes on when it is back. */

let at: TelegramRig | FeishuRig | WechatRig | undefined;
let proxy: TestProxy;

afterEach(async () => {
  await at?.stop();
  await proxy.stop();
  at = undefined;
});

const isStopped = ({ states }: { states: readonly BindingState[] }): boolean => {
  const last = states.at(-1);
  return last?.status === 'offline' && last.code === 'proxy_unreachable';
};

describe.each(['http', 'socks5'] as const)('through a proxy of kind %s', (kind) => {
  it('Telegram is polled and written to', async () => {
    proxy = await TestProxy.start(kind);
    const rig = (at = await TelegramRig.start((clock) => proxy.wayOut(clock)));
    const account = await rig.openChat();
    rig.telegram.say(ADA, 'through');
    await rig.telegram.until(() => rig.rig.intake.received.length === 1);
    await account.session.send(text('and back'), 'k', never);
    expect(rig.telegram.textsIn(ADA)).toEqual(['and back']);
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(rig.telegram.apiRoot).host]));
  });

  it('Feishu keeps its long connection', async () => {
    proxy = await TestProxy.start(kind);
    const rig = (at = await FeishuRig.start({}, (clock) => proxy.wayOut(clock)));
    const { session } = await rig.openAccount();
    rig.feishu.say(OWNER, 'through');
    await rig.until(() => rig.rig.intake.received.length === 1);
    await rig.settled(session.send(text('and back'), 'k', never));
    expect(rig.feishu.world.visible()).toEqual(['and back']);
    // Its bot, its token, where to connect to, the connection itself, and the answer.
    expect(proxy.asked.length).toBeGreaterThanOrEqual(4);
  });

  it('WeChat is signed in, polled and written to', async () => {
    proxy = await TestProxy.start(kind);
    const rig = (at = await WechatRig.start({}, (clock) => proxy.wayOut(clock)));
    const { session } = await rig.openConversation();
    await rig.passing(session.send(text('and back'), 'k', never));
    expect(rig.ilink.shownTexts).toEqual(['and back']);
    expect(proxy.asked.length).toBeGreaterThan(3);
  });
});

describe('a proxy that goes away', () => {
  it('is named by Telegram’s account, leaves a send without effect, and is found again', async () => {
    proxy = await TestProxy.start();
    const rig = (at = await TelegramRig.start((clock) => proxy.wayOut(clock)));
    const account = await rig.openChat();
    await proxy.stop();
    await rig.passUntil(() => isStopped(account));
    await expect(account.session.send(text('lost?'), 'k', never)).rejects.toMatchObject({
      code: 'proxy_unreachable',
      effect: 'none',
      message: expect.stringContaining(proxy.address),
    });
    expect(rig.telegram.textsIn(ADA)).toEqual([]);
    await proxy.resume();
    await rig.passUntil(() => account.state() === 'connected');
    rig.telegram.say(ADA, 'again');
    await rig.passUntil(() => rig.rig.intake.received.length === 1);
  });

  it('is named by Feishu’s account, and is found again', async () => {
    proxy = await TestProxy.start();
    const rig = (at = await FeishuRig.start({}, (clock) => proxy.wayOut(clock)));
    const account = await rig.openAccount();
    await proxy.stop();
    await rig.passUntil(() => isStopped(account), 100);
    await proxy.resume();
    await rig.passUntil(() => account.state() === 'connected', 100);
  });

  it('is named by WeChat’s account, and is found again', async () => {
    proxy = await TestProxy.start();
    const rig = (at = await WechatRig.start({}, (clock) => proxy.wayOut(clock)));
    const account = await rig.openConversation();
    await proxy.stop();
    await rig.passUntil(() => isStopped(account));
    await proxy.resume();
    await rig.passUntil(() => account.state() === 'connected');
  });

  it('is asked for anew after the network changed', async () => {
    proxy = await TestProxy.start();
    const [elsewhere, here] = [proxy, await TestProxy.start()];
    let now = elsewhere;
    const find = async (): Promise<string> => `PROXY ${now.address}`;
    const rig = (at = await TelegramRig.start((clock) => elsewhere.wayOut(clock, { find })));
    const account = await rig.openChat();
    now = here;
    rig.rig.runtime.wake!();
    await rig.passUntil(() => here.asked.length > 0 && account.state() === 'connected');
    await at.stop();
    at = undefined;
    await here.stop();
  });
});
