/** An account that delivers to an AgentServer, as that upstream needs to know it. */
export interface ServedAccount {
  readonly accountId: string;
  readonly cardId: string;
  /** The connector's name, which an AgentServer knows as the channel a message came by: `telegram`. */
  readonly connector: string;
}

/**
 * Where accounts deliver that are not xAgent's (`deliverTo: "agentServer"`). It routes what they deliver by itself: an
 * account has a route exactly while it is served and the server is connected.
 */
export interface AgentServerPort {
  /** The account has a session and delivers there from now on. Idempotent. */
  serve(account: ServedAccount): void;
  /** It has no session any more, or delivers to xAgent; what the agent is answering is still delivered. Idempotent. */
  leave(accountId: string): void;
  /** The account ended: its sessions, answers and files at this upstream are forgotten. Never rejects. */
  forget(accountId: string): Promise<void>;
}
