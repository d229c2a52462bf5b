import { ControlSocket } from './control-socket.js';
import type { Config, HostProcess } from './host-process.js';
import type { NetworkRig } from './rig.js';
import type { SpecAgent } from './spec-agent.js';
import { channelStatus } from './status.js';
import { records } from './wire-rules.js';

/** The chat inside the program, driven over the control socket as a person at this computer. */
export class LocalRig implements NetworkRig {
  readonly name = 'local';
  readonly cardId = 'im.local';
  readonly flowId = 'local_pairing';
  readonly messageTool = 'local_message_send';
  readonly fileTool = 'local_file_send';
  #host: HostProcess | undefined;
  #control: ControlSocket | undefined;
  #accountId = '';

  config(): Config {
    return {};
  }

  input(): Record<string, unknown> {
    return { display_name: 'Kim' };
  }

  async start(): Promise<void> {
    // The network is the host itself.
  }

  async attach(host: HostProcess): Promise<void> {
    this.#control?.close();
    this.#host = host;
    this.#control = await ControlSocket.open(host.dataDir);
  }

  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    await agent.bind(this.flowId, this.input(), channel);
  }

  async bound(_agent: SpecAgent, channel: string): Promise<void> {
    if (!this.#host) throw new Error('not attached');
    this.#accountId = String((await channelStatus(this.#host, this.cardId, channel))['account_id']);
  }

  async personSays(text: string): Promise<void> {
    await this.#command('local-send', { accountId: this.#accountId, text });
  }

  async visible(): Promise<readonly string[]> {
    const { messages } = await this.#command('local-read', { accountId: this.#accountId, after: 0 }).catch(() => ({
      messages: [],
    }));
    return records(messages)
      .filter((message) => message['from'] === 'agent')
      .map((message) => String(message['text']));
  }

  async sawTyping(): Promise<boolean> {
    return (await this.#command('local-read', { accountId: this.#accountId, after: 0 }))['typing'] === true;
  }

  async stop(): Promise<void> {
    this.#control?.close();
  }

  #command(name: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
    if (!this.#control) throw new Error('not attached');
    return this.#control.command(name, params);
  }
}
