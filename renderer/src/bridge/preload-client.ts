import type {
  Answer,
  CommandName,
  ParamsOf,
  ResultOf,
  ShellCommandName,
  ShellParamsOf,
  ShellResultOf,
  WindowApi,
} from '../../../src/bridge/index.js';
import { type BridgeClient, CommandRefused, type View } from './client.js';
import { Listeners } from './listeners.js';

declare global {
  interface Window {
    /** Offered by the preload script of the desktop app; absent in a browser. */
    readonly xagentConnector?: WindowApi;
  }
}

/** Between two tries to read the first state; milliseconds. */
const RETRY_MS = 500;

/** The bridge inside the desktop app. */
export class PreloadClient implements BridgeClient {
  readonly #api: WindowApi;
  readonly #listeners = new Listeners();
  #view: View = { kind: 'loading' };
  #heard = false;

  constructor(api: WindowApi) {
    this.#api = api;
    api.onState((state) => {
      this.#heard = true;
      this.#show({ kind: 'ready', state });
    });
    void this.#readFirst();
  }

  view(): View {
    return this.#view;
  }

  onView(fn: () => void): () => void {
    return this.#listeners.add(fn);
  }

  async call<C extends CommandName>(command: C, params: ParamsOf<C>): Promise<ResultOf<C>> {
    return resultOf(await this.#api.call(command, params)) as ResultOf<C>;
  }

  async shell<C extends ShellCommandName>(command: C, params: ShellParamsOf<C>): Promise<ShellResultOf<C>> {
    return resultOf(await this.#api.shell(command, params)) as ShellResultOf<C>;
  }

  /** Until there is a state: the window is empty without one, and says nothing of why. */
  async #readFirst(): Promise<void> {
    try {
      const state = await this.#api.state();
      // A state that was pushed while this one was on its way is the newer one.
      if (!this.#heard) this.#show({ kind: 'ready', state });
    } catch {
      setTimeout(() => {
        if (!this.#heard) void this.#readFirst();
      }, RETRY_MS);
    }
  }

  #show(view: View): void {
    this.#view = view;
    this.#listeners.call();
  }
}

/** The two ends of a bridge are built together: what a command answers is what the contract says. */
function resultOf(answer: Answer): unknown {
  if ('error' in answer) throw new CommandRefused(answer.error.code, answer.error.message);
  return answer.result;
}
