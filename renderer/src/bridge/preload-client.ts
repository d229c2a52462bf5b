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

/** The bridge inside the desktop app. */
export class PreloadClient implements BridgeClient {
  readonly #api: WindowApi;
  readonly #listeners = new Listeners();
  #view: View = { kind: 'loading' };

  constructor(api: WindowApi) {
    this.#api = api;
    let heard = false;
    api.onState((state) => {
      heard = true;
      this.#show({ kind: 'ready', state });
    });
    // A state that was pushed while this one was on its way is the newer one.
    void api.state().then((state) => {
      if (!heard) this.#show({ kind: 'ready', state });
    });
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
