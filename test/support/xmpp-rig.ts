import type { Config, HostProcess } from './host-process.js';
import { Prosody } from './prosody.js';
import type { NetworkRig } from './rig.js';
import type { SpecAgent } from './spec-agent.js';
import { XmppPerson } from './xmpp-person.js';

const AGENT_PASSWORD = 'agent secret';
const PERSON_PASSWORD = 'person secret';

/** XMPP as it really is: a Prosody of this test's own, and a person at a client. */
export class XmppRig implements NetworkRig {
  readonly name = 'xmpp';
  readonly cardId = 'im.xmpp';
  readonly flowId = 'xmpp_account_login';
  readonly messageTool = 'xmpp_message_send';
  readonly fileTool = 'xmpp_file_send';
  agentJid = '';
  personJid = '';
  #prosody: Prosody | undefined;
  #person: XmppPerson | undefined;
  #typed = 0;

  get prosody(): Prosody {
    if (!this.#prosody) throw new Error('prosody does not run');
    return this.#prosody;
  }

  get person(): XmppPerson {
    if (!this.#person) throw new Error('the person is not signed in');
    return this.#person;
  }

  config(): Config {
    return { connectors: { xmpp: { service: this.prosody.service } } };
  }

  input(): Record<string, unknown> {
    return { jid: this.agentJid, password: AGENT_PASSWORD, peer_jid: this.personJid };
  }

  async start(): Promise<void> {
    this.#prosody = await Prosody.start();
    this.agentJid = await this.#prosody.account('agent', AGENT_PASSWORD);
    this.personJid = await this.#prosody.account('ada', PERSON_PASSWORD);
    await this.personComes();
  }

  /** The person signs in at their client, again after the server was restarted. */
  async personComes(): Promise<void> {
    this.#person = await XmppPerson.login(this.prosody.port, this.personJid, PERSON_PASSWORD, this.agentJid);
  }

  async attach(_host: HostProcess): Promise<void> {
    // The server knows its accounts; a host needs no introduction.
  }

  async signIn(agent: SpecAgent, channel: string): Promise<void> {
    const ack = await agent.request('auth.start', { channel, payload: { flow_id: this.flowId, input: this.input() } });
    if (ack.payload?.['status'] !== 'authenticated') throw new Error(`not signed in: ${JSON.stringify(ack.payload)}`);
  }

  async bound(): Promise<void> {
    // One account, one person: nothing to look up.
  }

  async personSays(text: string): Promise<void> {
    await this.person.says(text);
  }

  async visible(): Promise<readonly string[]> {
    return this.person.texts;
  }

  async sawTyping(): Promise<boolean> {
    const states = this.person.states.since(this.#typed);
    this.#typed = this.person.states.mark;
    return states.includes('composing');
  }

  async stop(): Promise<void> {
    await this.#person?.leave();
    await this.#prosody?.stop();
  }
}
