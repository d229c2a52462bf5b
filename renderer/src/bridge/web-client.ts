import type {
  BridgeMessage,
  CommandName,
  HostStage,
  ParamsOf,
  ResultOf,
  ShellCommandName,
  ShellParamsOf,
  ShellResultOf,
  Snapshot,
} from '../../../src/bridge/index.js';
import { type BridgeClient, CommandRefused, type View } from './client.js';
import { ANSWER_MS, LineWatch } from './line-watch.js';
import { Listeners } from './listeners.js';
import { WebShell } from './web-shell.js';

/** Where the page finds its host, relative to itself. */
const SESSION_PATH = 'session';
const BRIDGE_PATH = 'bridge';

/** The first wait before the host is tried again, doubled up to {@link MAX_RETRY_MS}; milliseconds. */
const FIRST_RETRY_MS = 500;
/** A host that was started again is found within this; milliseconds. */
const MAX_RETRY_MS = 10_000;

interface Waiting {
  resolve(result: unknown): void;
  reject(error: CommandRefused): void;
}

/** The bridge of a page in a browser: a WebSocket beside the page, behind the session of a one-time link. */
export class WebClient implements BridgeClient {
  readonly #listeners = new Listeners();
  readonly #shell = new WebShell(() => this.#update());
  readonly #waiting = new Map<number, Waiting>();
  #host: HostStage | undefined;
  #hasSession = true;
  #view: View = { kind: 'loading' };
  #socket: WebSocket | undefined;
  #watch: LineWatch | undefined;
  #nextId = 0;
  #retryMs = FIRST_RETRY_MS;
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    const retryNow = (): void => {
      if (!document.hidden && this.#retry !== undefined) this.#connect();
    };
    window.addEventListener('online', retryNow);
    document.addEventListener('visibilitychange', retryNow);
    // A link that is pasted into the address of this very page does not load it again by itself.
    window.addEventListener('hashchange', () => {
      if (tokenInAddress() !== null) location.reload();
    });
    void this.#begin();
  }

  view(): View {
    return this.#view;
  }

  onView(fn: () => void): () => void {
    return this.#listeners.add(fn);
  }

  async call<C extends CommandName>(command: C, params: ParamsOf<C>): Promise<ResultOf<C>> {
    return (await this.#request(command, params)) as ResultOf<C>;
  }

  async shell<C extends ShellCommandName>(command: C, params: ShellParamsOf<C>): Promise<ShellResultOf<C>> {
    return (await this.#shell.run(command, params)) as ShellResultOf<C>;
  }

  /** Turns the link's token into a session first, and takes it out of the address before anything else can see it. */
  async #begin(): Promise<void> {
    const token = tokenInAddress();
    if (token !== null) history.replaceState(null, '', location.pathname + location.search);
    let answer = await askSession(token === null ? undefined : { token });
    // A used link does not end what an earlier one began.
    if (answer === 'refused' && token !== null) answer = await askSession();
    if (answer === 'refused') this.#lostSession();
    else this.#connect();
  }

  #connect(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    const address = new URL(BRIDGE_PATH, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    address.hash = '';
    const socket = new WebSocket(address);
    this.#socket = socket;
    let opened = false;
    // Its own end of a line that nobody answers comes late, or not at all.
    const giveUp = (): void => {
      socket.close();
      void this.#closed(socket, opened);
    };
    const tooLong = setTimeout(giveUp, ANSWER_MS);
    socket.addEventListener('open', () => {
      clearTimeout(tooLong);
      if (this.#socket !== socket) return;
      opened = true;
      this.#retryMs = FIRST_RETRY_MS;
      this.#subscribe();
      this.#watch = new LineWatch({ ask: () => this.#subscribe(), dead: giveUp });
    });
    socket.addEventListener('message', ({ data }) => {
      if (this.#socket !== socket) return;
      this.#watch?.heard();
      this.#receive(String(data));
    });
    socket.addEventListener('close', () => {
      clearTimeout(tooLong);
      void this.#closed(socket, opened);
    });
  }

  /** Asked once more, the host answers and sends a fresh snapshot; nothing is subscribed twice. */
  #subscribe(): void {
    this.#request('subscribe', {}).then(
      (snapshot) => this.#heard(snapshot),
      () => undefined, // The line is gone again: its end is told where it closes.
    );
  }

  #receive(line: string): void {
    const message = JSON.parse(line) as BridgeMessage;
    if ('event' in message) {
      this.#heard(message.snapshot);
      return;
    }
    if (message.id === null) return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('error' in message) waiting?.reject(new CommandRefused(message.error.code, message.error.message));
    else waiting?.resolve(message.result);
  }

  /** A snapshot, or the empty answer of a host that sends its first one by itself. */
  #heard(snapshot: unknown): void {
    if (!isSnapshot(snapshot)) return;
    this.#host = { stage: 'running', snapshot };
    this.#update();
  }

  async #closed(socket: WebSocket, opened: boolean): Promise<void> {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    this.#watch?.end();
    this.#watch = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(unreachable());
    this.#waiting.clear();
    // A refused upgrade looks like any other failure to a page: ask plainly whether the session is the reason.
    if (!opened && (await askSession()) === 'refused') {
      this.#lostSession();
      return;
    }
    if (this.#host?.stage !== 'unreachable') {
      const last = this.#host?.stage === 'running' ? this.#host.snapshot : undefined;
      this.#host = { stage: 'unreachable', last, since: Date.now() };
      this.#update();
    }
    this.#retry = setTimeout(() => this.#connect(), this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
  }

  #request(command: string, params: unknown): Promise<unknown> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return Promise.reject(unreachable());
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      socket.send(JSON.stringify({ id, command, params }));
    });
  }

  #lostSession(): void {
    this.#hasSession = false;
    this.#update();
  }

  #update(): void {
    if (!this.#hasSession) this.#view = { kind: 'no_session', shell: this.#shell.facts };
    else if (this.#host !== undefined) {
      this.#view = { kind: 'ready', state: { host: this.#host, shell: this.#shell.facts } };
    }
    this.#listeners.call();
  }
}

function tokenInAddress(): string | null {
  return new URLSearchParams(location.hash.slice(1)).get('token');
}

/** Takes up a session by a token, or asks whether there is one. */
async function askSession(token?: { readonly token: string }): Promise<'ok' | 'refused' | 'unreachable'> {
  try {
    const response = await fetch(SESSION_PATH, {
      method: token === undefined ? 'GET' : 'POST',
      cache: 'no-store',
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(token && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(token) }),
    });
    if (!response.ok) return 'refused';
    const { session } = (await response.json()) as { readonly session: boolean };
    return session ? 'ok' : 'refused';
  } catch {
    return 'unreachable';
  }
}

function isSnapshot(value: unknown): value is Snapshot {
  return typeof value === 'object' && value !== null && 'connectors' in value;
}

function unreachable(): CommandRefused {
  return new CommandRefused('unreachable', 'the host can not be reached');
}
