import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, PASSPHRASE, runCli } from '../support/host-process.js';
import { ask } from '../support/http-client.js';
import { ControlSocket } from '../support/control-socket.js';
import type { SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';
import { World } from '../support/world.js';

/**
 * Secrets are planted, every flow that touches them is driven, and then everything that others can read is searched:
 * logs, packets, answers, plain files, command lines, environments of child processes.
 */
describe('no secret ever leaves its place (section 3, security boundaries of both profiles, B14)', () => {
  const rig = new TelegramNetwork();
  /** Tokens that were tried and refused are as secret as the right one: they may be a typing error away from it. */
  const REFUSED_TOKEN = '987654321:AAF-refused-canary-token-0123456789abcd';
  const MALFORMED_TOKEN = 'AAF-malformed-canary-0123456789abcdef-not-a-token';
  const QUERY_KEY = 'canary-key-in-a-query-0123456789';
  let world: World;
  let agent: SpecAgent;
  let channel: string;
  const answers: string[] = [];

  const secrets = (): [string, string][] => [
    ['the bot token', rig.token],
    ["the bot token's secret half", rig.token.split(':')[1] ?? ''],
    ['a refused bot token', REFUSED_TOKEN],
    ["a refused token's secret half", REFUSED_TOKEN.split(':')[1] ?? ''],
    ['a malformed bot token', MALFORMED_TOKEN],
    ['the system key', API_KEY],
    ['the passphrase', PASSPHRASE],
    ['a key given in a query', QUERY_KEY],
  ];

  const tryToken = async (token: unknown): Promise<void> => {
    const { channel: fresh } = await agent.open();
    const ack = await agent.request('auth.start', {
      channel: fresh,
      payload: { flow_id: rig.flowId, input: { bot_token: token, chat_id: '1' } },
      ms: 30_000,
    });
    const failed = ack.error !== undefined || ack.payload?.['status'] !== 'authenticated';
    expect(failed).toBe(true);
    await agent.request('auth.status', {
      channel: fresh,
      payload: { auth_session_id: ack.payload?.['auth_session_id'] ?? 'x' },
    });
  };

  beforeAll(async () => {
    world = await World.start(rig, {}, { isEmpty: true });
    agent = await world.agent();
    // Sign-in: refused, malformed, of another kind, then right.
    await tryToken(REFUSED_TOKEN);
    await tryToken(MALFORMED_TOKEN);
    await tryToken([MALFORMED_TOKEN]);
    await tryToken({ nested: REFUSED_TOKEN });
    channel = (await agent.open()).channel;
    await rig.signIn(agent, channel);
    await agent.untilStatus(channel, 'connected');
    // Life: messages, files, tools; then the network fails in every way it knows.
    await rig.personSays('hello');
    await agent.messages.next((m) => m.text === 'hello', 'message');
    await agent.say(channel, 'an answer');
    const upload = await agent.files.upload(channel, { filename: 'a.txt', content: 'x' });
    await agent.tool(channel, rig.fileTool, { file_ref: upload['file_ref'] });
    rig.outage();
    await agent.say(channel, 'into the void', { ms: 30_000 });
    rig.recover();
    // Keys in wrong places.
    for (const path of [
      `/status?token=${QUERY_KEY}`,
      `/telegram/health?api_key=${QUERY_KEY}`,
      `/nothing/${QUERY_KEY}`,
    ]) {
      answers.push(
        (
          await ask(`${world.host.url}${path}`, {
            headers: { authorization: `Bearer ${QUERY_KEY}`, cookie: `k=${QUERY_KEY}` },
          })
        ).text,
      );
    }
    for (const path of [
      '/status',
      '/metrics',
      '/telegram/connector-card.json',
      '/telegram/skill.md',
      '/telegram/health',
    ]) {
      answers.push((await world.host.get(path)).text);
    }
    const control = await ControlSocket.open(world.host.dataDir);
    answers.push(JSON.stringify(await control.command('snapshot')));
    control.close();
    const listed = await runCli([
      'accounts',
      '--json',
      '--data-dir',
      world.host.dataDir,
      '--config',
      world.host.configFile,
    ]);
    answers.push(listed.stdout, listed.stderr);
    // A restart opens the stored account again; a crash before it leaves whatever a crash leaves.
    await world.host.restart();
    agent = await world.agent({ connectorId: agent.connectorId });
    await agent.open(channel);
    await agent.untilStatus(channel, 'connected');
  }, 180_000);
  afterAll(async () => {
    await world.farewell();
    await world.end();
  });

  it('not in a log line, not even at debug level', () => {
    const log = world.host.logs.entries.join('\n');
    for (const [what, secret] of secrets()) expect([what, log.includes(secret)]).toEqual([what, false]);
  });

  it('not in a packet', () => {
    const packets = JSON.stringify(agent.received.entries);
    for (const [what, secret] of secrets()) expect([what, packets.includes(secret)]).toEqual([what, false]);
  });

  it('not in an HTTP answer, a snapshot or what the command line prints', () => {
    const text = answers.join('\n');
    for (const [what, secret] of secrets()) expect([what, text.includes(secret)]).toEqual([what, false]);
  });

  it('not in any file of the data directory, before and after sign-out', async () => {
    for (const [what, secret] of secrets()) expect([what, await world.host.filesWith(secret)]).toEqual([what, []]);
    await world.signOut(agent, channel);
    for (const [what, secret] of secrets()) expect([what, await world.host.filesWith(secret)]).toEqual([what, []]);
  });

  it('not in a command line, and not in the environment of a child process', async () => {
    const table = await world.host.processTable();
    expect(table.some((row) => row.pid === world.host.pid)).toBe(true);
    for (const row of table) {
      for (const [what, secret] of secrets()) {
        expect([what, row.argv.includes(secret)]).toEqual([what, false]);
        // The passphrase came in by this process's own environment; it goes no further.
        if (row.pid !== world.host.pid) expect([what, row.environ.includes(secret)]).toEqual([what, false]);
      }
    }
  });

  it('what a sign-out leaves of the account is nothing that could sign in again', async () => {
    await world.host.restart();
    const next = await world.agent({ connectorId: agent.connectorId });
    const opened = await next.open(channel);
    expect(JSON.stringify(opened.descriptor)).not.toContain('connected');
  });
});
