/** What all sessions with a line of their own have in common. */
interface Line {
  wake(): void;
  close(): Promise<void>;
}

/** The open sessions of a network with one line per account; each leaves when it is closed. */
export class OpenSessions<S extends Line> {
  readonly #open = new Set<S>();

  /** @param create makes the session, which calls `onClose` when it is closed */
  open(create: (onClose: () => void) => S): S {
    const session: S = create(() => this.#open.delete(session));
    this.#open.add(session);
    return session;
  }

  wake(): void {
    for (const session of this.#open) session.wake();
  }

  /** Closes those that are left. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#open, (session) => session.close()));
  }
}
