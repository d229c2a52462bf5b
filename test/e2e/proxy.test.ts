import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { createXmppTarget } from '../../src/targets/xmpp/index.js';
import { ControlSocket } from '../support/control-socket.js';
import { eventually } from '../support/deadline.js';
import { FAR_HOST, FarTelegram } from '../support/far-telegram.js';
import { HostProcess, runCli } from '../support/host-process.js';
import { Prosody } from '../support/prosody.js';
import { id, type SpecAgent } from '../support/spec-agent.js';
import { TargetRig } from '../support/target-rig.js';
import { TestProxy } from '../support/test-proxy.js';
import { World } from '../support/world.js';
import { XmppPerson } from '../support/xmpp-person.js';
import { XmppRig } from '../support/xmpp-rig.js';

/** The product behind a proxy that alone knows where its network is (B35). */

const PASSWORD = 'canary-proxy-password';

interface Finding {
  readonly check: string;
  readonly code: string;
  readonly values: Readonly<Record<string, unknown>>;
}

describe('serve, with a proxy in the environment', () => {
  const rig = new FarTelegram();
  let proxy: TestProxy;
  let env: Readonly<Record<string, string>>;
  let world: World;
  let agent: SpecAgent;
  let channel: string;

  beforeAll(async () => {
    proxy = await rig.prepare({ credentials: `ada:${PASSWORD}` });
    env = { ...rig.trust, HTTPS_PROXY: `http://ada:${PASSWORD}@${proxy.address}` };
    world = await World.start(rig, {}, { env });
    ({ agent, channel } = await world.bound());
  });

  afterAll(async () => {
    await world.farewell();
    await world.end();
  });

  const snapshot = async (): Promise<Record<string, unknown>> => {
    const control = await ControlSocket.open(world.host.dataDir);
    const taken = await control.command('snapshot');
    control.close();
    return taken;
  };
  const telegramOf = (taken: Record<string, unknown>) =>
    (taken['connectors'] as { name: string; way: unknown; accounts: { state: unknown }[] }[]).find(
      ({ name }) => name === 'telegram',
    );
  const doctor = async (): Promise<readonly Finding[]> => {
    const places = ['--data-dir', world.host.dataDir, '--config', world.host.configFile];
    const { stdout } = await runCli(['doctor', '--json', ...places], { env });
    return (JSON.parse(stdout) as { checks: Finding[] }).checks.filter(({ check }) => check === 'telegram');
  };

  it('receives and answers through it', async () => {
    await rig.personSays('through the proxy');
    await agent.messages.next((m) => m.text === 'through the proxy', 'message');
    await agent.say(channel, 'and back');
    expect(await rig.visible()).toContain('and back');
    expect(new Set(proxy.asked)).toEqual(new Set([`${FAR_HOST}:443`]));
  });

  it('says which way it goes, and so does doctor, which goes the same way', async () => {
    const proxied = { source: 'system', proxy: { kind: 'http', address: proxy.address } };
    expect(telegramOf(await snapshot())?.way).toEqual(proxied);
    expect(await doctor()).toMatchObject([
      { code: 'network_answers_through_proxy', values: { host: FAR_HOST, proxy: proxy.address } },
    ]);
  });

  it('goes through a SOCKS proxy likewise, and past none that the variables except', async () => {
    const socks = await TestProxy.start('socks5', { hosts: rig.hosts });
    const places = ['--data-dir', `${world.host.dataDir}-none`, '--config', world.host.configFile];
    const look = async (more: Record<string, string>): Promise<Finding | undefined> => {
      const { stdout } = await runCli(['doctor', '--json', ...places], { env: { ...rig.trust, ...more } });
      return (JSON.parse(stdout) as { checks: Finding[] }).checks.find(({ check }) => check === 'telegram');
    };
    const variables = { ALL_PROXY: `socks5://${socks.address}` };
    expect(await look(variables)).toMatchObject({
      code: 'network_answers_through_proxy',
      values: { host: FAR_HOST, proxy: socks.address },
    });
    expect(await look({ ...variables, NO_PROXY: '.test' })).toMatchObject({ code: 'network_unreachable_unused' });
    expect(socks.asked).toEqual([`${FAR_HOST}:443`]);
    await socks.stop();
  });

  it('names a proxy that is gone, loses and doubles nothing, and goes on when it is back', async () => {
    await proxy.stop();
    await eventually(async () => {
      const [account] = telegramOf(await snapshot())?.accounts ?? [];
      return JSON.stringify(account?.state).includes('"proxy_unreachable"');
    }, 'the account to name its proxy');
    expect(await doctor()).toMatchObject([
      { code: 'proxy_unreachable', values: { host: FAR_HOST, proxy: proxy.address } },
    ]);
    const messageId = id('a');
    const refused = await agent.say(channel, 'while it is gone', { messageId, ms: 60_000 });
    expect(refused.payload).toMatchObject({
      status: 'rejected',
      code: 'target_unreachable',
      retryable: true,
    });
    await rig.personSays('written meanwhile');
    await proxy.resume();
    await agent.messages.next((m) => m.text === 'written meanwhile', 'message', { ms: 60_000 });
    await agent.say(channel, 'while it is gone', { messageId, ms: 60_000 });
    expect((await rig.visible()).filter((shown) => shown === 'while it is gone')).toHaveLength(1);
  });

  it('shows the proxy’s password to nobody', async () => {
    const basic = Buffer.from(`ada:${PASSWORD}`).toString('base64');
    for (const secret of [PASSWORD, basic]) {
      expect(world.host.logs.entries.join('\n')).not.toContain(secret);
      expect(JSON.stringify(await snapshot())).not.toContain(secret);
      expect(await world.host.filesWith(secret)).toEqual([]);
      const children = (await world.host.processTable()).filter(({ pid }) => pid !== world.host.pid);
      expect(children.filter(({ environ }) => environ.includes(secret))).toEqual([]);
    }
    expect(world.host.logs.entries.join('\n')).toContain(proxy.address);
  });

  it('shows no token to a server that nobody vouches for, whatever the environment says of certificates', async () => {
    const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: '0', HTTPS_PROXY: env['HTTPS_PROXY'] ?? '' };
    const host = await HostProcess.start({ config: rig.config(), env: unchecked });
    const calls = rig.simulator.calls.length;
    const places = ['--data-dir', host.dataDir, '--config', host.configFile];
    const signIn = ['sign-in', 'telegram', '--input-stdin', ...places];
    const { code } = await runCli(signIn, { input: JSON.stringify(rig.input()) });
    const { stdout } = await runCli(['doctor', '--json', ...places], { env: unchecked });
    await host.destroy();
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { checks: Finding[] }).checks.map(({ code }) => code)).toContain(
      'network_unreachable_through_proxy',
    );
    expect(rig.simulator.calls.slice(calls).filter(({ method }) => method === 'getMe')).toEqual([]);
    expect(host.logs.entries.join('\n')).toContain('NODE_TLS_REJECT_UNAUTHORIZED is not heeded');
  });

  it('is refused by name where a variable is no proxy, without repeating it', async () => {
    const { code, stderr } = await runCli(['serve'], { env: { HTTPS_PROXY: `ftp://ada:${PASSWORD}@proxy.test` } });
    expect([code, stderr.includes('HTTPS_PROXY'), stderr.includes(PASSWORD)]).toEqual([2, true, false]);
  });
});

describe.each(['http', 'socks5'] as const)('XMPP through a proxy of kind %s', (kind) => {
  it('signs in, receives and answers over one tunnel', async () => {
    const prosody = await Prosody.start();
    const proxy = await TestProxy.start(kind);
    const jid = await prosody.account('agent', 'secret');
    const peer = await prosody.account('ada', 'secret');
    const target = createXmppTarget({ service: prosody.service });
    const rig = new TargetRig(target, systemClock, proxy.wayOut(systemClock));
    const attempt = rig.signIn('xmpp_account_login', { jid, password: 'secret', peer_jid: peer });
    const account = rig.open('acc_proxied', await attempt.done);
    await eventually(() => account.state() === 'connected', 'to be connected');
    const person = await XmppPerson.login(prosody.port, peer, 'secret', jid);
    await person.says('hello');
    await eventually(() => rig.intake.received.length === 1, 'the message');
    await account.session.send({ kind: 'text', text: 'hello back' }, 'k', new AbortController().signal);
    await eventually(() => person.texts.includes('hello back'), 'the answer');
    const to = `127.0.0.1:${String(prosody.port)}`;
    expect(new Set(proxy.asked)).toEqual(new Set([to]));
    await proxy.stop();
    await eventually(() => account.state() === 'offline:proxy_unreachable', 'the account to name its proxy');
    await proxy.resume();
    await eventually(() => account.state() === 'connected', 'to be connected again');
    await rig.close();
    await person.leave();
    await proxy.stop();
    await prosody.stop();
  });
});

describe('XMPP with TLS, the server behind the proxy alone', () => {
  it('is signed in to over STARTTLS and TLS, its certificate checked for its own domain', async () => {
    const prosody = await Prosody.start({ tls: true });
    const hosts = { 'far.test:5222': prosody.port, 'far.test:5223': Number(new URL(prosody.tlsService).port) };
    const proxy = await TestProxy.start('http', { hosts });
    const jid = await prosody.account('agent', 'secret');
    const input = { jid, password: 'secret', peer_jid: await prosody.account('ada', 'secret') };
    const trying = async (service: string, env: Record<string, string>): Promise<unknown> => {
      const rig = new XmppRig();
      const config = () => ({ connectors: { xmpp: { service, proxy: `http://${proxy.address}` } } });
      const world = await World.start(Object.assign(rig, { start: async () => undefined, config }), {}, { env });
      try {
        const agent = await world.agent();
        const { channel } = await agent.open();
        const payload = { flow_id: rig.flowId, input };
        return (await agent.request('auth.start', { channel, payload, ms: 30_000 })).payload?.['status'];
      } finally {
        await world.end();
      }
    };
    const trusted = { NODE_EXTRA_CA_CERTS: prosody.caFile };
    expect(await trying('xmpp://far.test', trusted)).toBe('authenticated');
    expect(await trying('xmpps://far.test', trusted)).toBe('authenticated');
    expect(await trying('xmpps://far.test', {})).toBe('failed');
    expect(new Set(proxy.asked)).toEqual(new Set(Object.keys(hosts)));
    await proxy.stop();
    await prosody.stop();
  });
});
