import type { Config, HostProcess } from './host-process.js';
import type { SpecAgent } from './spec-agent.js';

/** A chat network as a test drives it: the person's side of one conversation. */
export interface NetworkRig {
  /** Path prefix of the connector: `telegram`. */
  readonly name: string;
  readonly cardId: string;
  readonly flowId: string;
  readonly messageTool: string;
  readonly fileTool: string;
  /** Configuration that points the host at this network. */
  config(): Config;
  /** Sign-in fields of the one account and conversation this rig speaks for. */
  input(): Record<string, unknown>;
  start(): Promise<void>;
  /** Called once the host runs, and again after each restart. */
  attach(host: HostProcess): Promise<void>;
  /** Signs the rig's account in on an open channel and resolves once the agent was told so. */
  signIn(agent: SpecAgent, channel: string): Promise<void>;
  /** Called once an account is signed in. */
  bound(agent: SpecAgent, channel: string): Promise<void>;
  /** The person writes. Resolves when the network took it, not when anybody read it. */
  personSays(text: string): Promise<void>;
  /** What the person sees of the agent, in order, each message as it stands now. */
  visible(): Promise<readonly string[]>;
  /** Whether the network shows that the agent is typing, or showed it since the last call. */
  sawTyping(): Promise<boolean>;
  stop(): Promise<void>;
}
