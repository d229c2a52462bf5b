import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type {
  CommandName,
  HostStage,
  ParamsOf,
  ResultOf,
  ShellCommandName,
  ShellFacts,
  ShellParamsOf,
  ShellResultOf,
  Snapshot,
  WindowState,
} from '../../../src/bridge/index.js';
import { asRefusal, type CommandRefused, type View } from './client.js';
import { windowClock } from './clock.js';
import { useBridge } from './context.js';

/** What the window knows about its host, live. */
export function useView(): View {
  const bridge = useBridge();
  return useSyncExternalStore(
    useCallback((fn) => bridge.onView(fn), [bridge]),
    () => bridge.view(),
  );
}

/** The window's state; only below the shell, which shows nothing else before there is one. */
function useWindowState(): WindowState {
  const view = useView();
  if (view.kind !== 'ready') throw new Error('there is no window state yet');
  return view.state;
}

export function useHost(): HostStage {
  return useWindowState().host;
}

export function useShellFacts(): ShellFacts {
  return useWindowState().shell;
}

/** The last good data of the host: what it says now, or said last before it was out of reach. */
export function snapshotOf(host: HostStage): Snapshot | undefined {
  if (host.stage === 'running') return host.snapshot;
  return host.stage === 'unreachable' ? host.last : undefined;
}

/** The host's snapshot, or undefined while there is none. */
export function useSnapshot(): Snapshot | undefined {
  return snapshotOf(useHost());
}

/** Unix ms, once a second while the window is seen. */
export function useWallNow(): number {
  return useSyncExternalStore(windowClock.subscribe, windowClock.now);
}

/**
 * The moment of which the window shows something, Unix ms: now, and while the host is out of reach the one since which it is.
 * What was heard last does not grow older by itself: nobody knows whether a round trip completed meanwhile.
 */
export function useNow(): number {
  const now = useWallNow();
  const host = useHost();
  return host.stage === 'unreachable' ? host.since : now;
}

/** Whether what is shown is so now, and not what the host said before it was out of reach. */
export function useIsLive(): boolean {
  return useHost().stage === 'running';
}

/** Calls once a second while the window is seen: for what has to be asked again and again. Keep `fn` the same between renders. */
export function useTick(fn: () => void): void {
  useEffect(() => windowClock.subscribe(fn), [fn]);
}

export type Outcome<R> =
  { readonly ok: true; readonly result: R } | { readonly ok: false; readonly refusal: CommandRefused };

/** A command as a button needs it: whether it runs, why it was refused last, and a way to run it that never throws. */
export interface Running<P, R> {
  readonly busy: boolean;
  readonly refusal: CommandRefused | undefined;
  readonly run: (params: P) => Promise<Outcome<R>>;
  /** Forgets the last refusal. */
  readonly reset: () => void;
}

function useRunning<P, R>(send: (params: P) => Promise<R>): Running<P, R> {
  const [running, setRunning] = useState(0);
  const [refusal, setRefusal] = useState<CommandRefused>();
  const run = useCallback(
    async (params: P): Promise<Outcome<R>> => {
      setRunning((count) => count + 1);
      setRefusal(undefined);
      try {
        return { ok: true, result: await send(params) };
      } catch (error) {
        const refused = asRefusal(error);
        setRefusal(refused);
        return { ok: false, refusal: refused };
      } finally {
        setRunning((count) => count - 1);
      }
    },
    [send],
  );
  const reset = useCallback(() => setRefusal(undefined), []);
  return { busy: running > 0, refusal, run, reset };
}

/** A command of the host. */
export function useCommand<C extends CommandName>(command: C): Running<ParamsOf<C>, ResultOf<C>> {
  const bridge = useBridge();
  return useRunning(useCallback((params: ParamsOf<C>) => bridge.call(command, params), [bridge, command]));
}

/** A command of the shell around the window. */
export function useShellCommand<C extends ShellCommandName>(command: C): Running<ShellParamsOf<C>, ShellResultOf<C>> {
  const bridge = useBridge();
  return useRunning(useCallback((params: ShellParamsOf<C>) => bridge.shell(command, params), [bridge, command]));
}
