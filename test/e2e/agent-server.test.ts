import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAgentServer, type AgentServerSimulator, type Turn } from '../simulators/agent-server/index.js';
import { ControlSocket } from '../support/control-socket.js';
import { eventually } from '../support/deadline.js';
import { HostProcess, runCli } from '../support/host-process.js';
import { isRecord } from '../support/http-client.js';
import { SpecAgent } from '../support/spec-agent.js';
import { TelegramNetwork } from '../support/telegram-network.js';

/** Telegram → the built product → an AgentServer → the streamed answer → Telegram. */
describe('a Telegram account that delivers to an AgentServer', () => {
  const telegram = new TelegramNetwork();
  let server: AgentServerSimulator;
  let host: HostProcess;
  let control: ControlSocket;
  let accountId: string;

  const shown = async (text: string): Promise<void> => {
    await eventually(async () => (await telegram.visible()).includes(text), `"${text}" in the chat`, 30_000);
  };
  const account = async (): Promise<Record<string, unknown>> => {
    const snapshot = await control.command('snapshot');
    const connectors = Array.isArray(snapshot['connectors']) ? snapshot['connectors'].filter(isRecord) : [];
    const found = connectors.find(({ name }) => name === 'telegram');
    const accounts = Array.isArray(found?.['accounts']) ? found['accounts'].filter(isRecord) : [];
    return accounts[0] ?? {};
  };
  const config = () => ({
    connectors: {
      wechat: { enabled: false },
      feishu: { enabled: false },
      xmpp: { enabled: false },
      telegram: { apiRoot: telegram.simulator.apiRoot, deliverTo: 'agentServer' },
    },
    agentServer: { url: server.url },
  });
  const openControl = async (): Promise<void> => {
    control = await ControlSocket.open(host.dataDir);
  };

  beforeAll(async () => {
    await telegram.start();
    server = await startAgentServer({ checksOrigin: true });
    host = await HostProcess.start({ config: config() });
    await openControl();
  });
  afterAll(async () => {
    control.close();
    await host.destroy();
    await server.close();
    await telegram.stop();
  });

  it('works with no agent of xAgent in sight, from a sign-in of the window alone', async () => {
    expect(server.origins).toEqual([]);
    await control.command('sign-in', { connector: 'telegram', input: telegram.input() });
    await eventually(
      async () => {
        const { state, agentConnected } = await account();
        return isRecord(state) && state['status'] === 'connected' && agentConnected === true;
      },
      'a connected account',
      30_000,
    );
    accountId = String((await account())['accountId']);
    expect(await account()).toMatchObject({ deliverTo: 'agentServer' });
    expect(await account()).not.toHaveProperty('channelId');
    expect(await host.status()).toMatchObject({
      agent_server: { status: 'connected', accounts: 1, counters: { answered: 0 } },
    });
  });

  it('shows the answer while it grows, and then as one message', async () => {
    let turn: Turn | undefined;
    server.onChat = (asked) => {
      asked.event('chat.processing_status', { is_processing: true });
      asked.delta('It is ');
      asked.delta('forty');
      turn = asked;
    };
    await telegram.personSays('What is it?');
    await eventually(() => telegram.everShown().some((text) => text.startsWith('It is forty')), 'the preview', 30_000);
    turn?.delta('-two');
    turn?.answer('It is forty-two.');
    await shown('It is forty-two.');
    expect(server.of('chat.send')[0]).toMatchObject({
      channel: 'telegram',
      params: { query: 'What is it?', mode: 'agent' },
    });
  });

  it('shows the answer of captured frames', async () => {
    server.onChat = (turn) => turn.replay('chat_send_stream');
    await telegram.personSays('Hello');
    await shown('Hello');
  });

  it('offers a question as a numbered choice and takes the number', async () => {
    server.onChat = (turn) => {
      if (turn.params['answers'] === undefined) turn.replay('chat_ask_user_question');
      else turn.answer(`you said ${JSON.stringify(turn.params['answers'])}`);
    };
    await telegram.personSays('do it');
    await shown('Permission\nAllow?\n1. yes\nReply with a number, or in your own words.');
    await telegram.personSays('1');
    await shown('you said [{"question":"Allow?","selected_options":["yes"]}]');
  });

  it('stops what runs when told to', async () => {
    server.onChat = (turn) => turn.event('chat.processing_status', { is_processing: true });
    await telegram.personSays('a long one');
    await eventually(() => server.queries.includes('a long one'), 'asked');
    await telegram.personSays('/stop');
    await shown('Stopped.');
    expect(server.of('chat.interrupt')).toHaveLength(1);
  });

  it('shows a failure with its type', async () => {
    server.onChat = (turn) => turn.replay('chat_send_stream_mid_failure');
    await telegram.personSays('fail');
    await shown('par\n\nThe agent could not answer (RateLimitError).');
  });

  it('tells after a kill what was broken off, and does not ask it again', async () => {
    server.onChat = (turn) => turn.delta('half of an answer');
    await telegram.personSays('before the kill');
    await eventually(() => telegram.everShown().some((text) => text.includes('half of an answer')), 'begun', 30_000);
    control.close();
    await host.kill();
    server.onChat = (turn) => turn.answer(`echo: ${turn.query}`);
    await host.restart();
    await openControl();
    await shown('The program was restarted while the agent was working. Please ask again.');
    await telegram.personSays('after the kill');
    await shown('echo: after the kill');
    expect(server.queries.filter((query) => query === 'before the kill')).toHaveLength(1);
  });

  it('keeps what is written while the server is away, over a kill too, and delivers it when it is back', async () => {
    await server.close();
    await telegram.personSays('into the dark');
    await eventually(
      async () => {
        const { queue } = await account();
        return isRecord(queue) && queue['pending'] === 1;
      },
      'a pending message',
      30_000,
    );
    control.close();
    await host.kill();
    await host.restart();
    await openControl();
    await server.listen();
    await shown('echo: into the dark');
    expect(server.queries.filter((query) => query === 'into the dark')).toHaveLength(1);
  });

  it('is told apart by doctor, which makes no connection that would cancel the work of the server', async () => {
    const made = server.origins.length;
    const flags = ['--config', host.configFile, '--data-dir', host.dataDir];
    const doctor = await runCli(['doctor', ...flags]);
    expect(doctor.stdout).toMatch(/ok +agent server: connected/);
    expect(server.origins).toHaveLength(made);
  });

  it('logs each response as a line, without a word of what was said', async () => {
    expect(await host.filesWith('"response_kind":"e2a.complete"')).toMatchObject([
      expect.stringContaining('agent-server'),
    ]);
    for (const path of await host.filesWith('half of an answer')) expect(path).not.toMatch(/\.log$/);
    expect(host.logs.entries.join('\n')).toContain('agent_server_second_gateway');
  });

  it('goes to xAgent and back at once when the person says so', async () => {
    await control.command('set-deliver-to', { accountId, upstream: 'xagent' });
    expect(await account()).toMatchObject({ deliverTo: 'xagent', ownDeliverTo: 'xagent', agentConnected: false });
    const asked = server.queries.length;
    await telegram.personSays('for xAgent');
    await eventually(
      async () => {
        const { queue } = await account();
        return isRecord(queue) && queue['pending'] === 1;
      },
      'pending for xAgent',
      30_000,
    );
    expect(server.queries).toHaveLength(asked);
    await control.command('set-deliver-to', { accountId, upstream: null });
    await shown('echo: for xAgent');
    expect(await account()).toMatchObject({ deliverTo: 'agentServer' });
    expect(await account()).not.toHaveProperty('ownDeliverTo');
  });

  it('is not to be had by an auth.start of xAgent, which is told so', async () => {
    const agent = await SpecAgent.connect({ baseUrl: host.base('telegram'), apiKey: host.apiKey });
    const { channel } = await agent.open();
    const ack = await agent.request('auth.start', {
      channel,
      payload: { flow_id: telegram.flowId, input: telegram.input() },
    });
    expect(ack.payload).toMatchObject({ status: 'failed' });
    expect(String(ack.payload?.['message'])).toMatch(/AgentServer/);
    agent.crash();
  });

  it('leaves nothing behind when it signs out', async () => {
    await control.command('sign-out', { accountId });
    await eventually(async () => {
      const { agentServer } = await control.command('snapshot');
      return isRecord(agentServer) && agentServer['accounts'] === 0 && agentServer['running'] === 0;
    }, 'nobody served');
    await telegram.personSays('anyone?');
    expect(server.queries).not.toContain('anyone?');
  });
});
