import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { TargetContext } from '../target.js';
import type { BareJid } from './addresses.js';
import { endpointsOf, type ResolveSrv } from './endpoints.js';
import { lineLost } from './errors.js';
import type { LoadXmpp } from './library.js';
import { Line, type LineOptions } from './line.js';

/** How lines are made: what the runtime gives every account. */
export interface Connecting {
  readonly context: TargetContext;
  readonly load: LoadXmpp;
  /** `connectors.xmpp.service` */
  readonly service: string | null;
  readonly resolveSrv: ResolveSrv;
}

export interface Who {
  readonly account: BareJid;
  readonly password: string;
  readonly resource: string;
}

/**
 * Opens a line at the first place that lets us in.
 * @throws TargetRefusal, TransportError of the last place that was tried; a refused password is final at once
 */
export async function openLine(
  { context, load, service, resolveSrv }: Connecting,
  who: Who,
  handlers: Pick<LineOptions, 'onMessage' | 'onPresence'>,
  signal: AbortSignal,
): Promise<Line> {
  const library = await load();
  const endpoints = await endpointsOf(who.account.domain, service, resolveSrv, context.random);
  let failure: Error = lineLost('unreachable', 'The server could not be reached', 'none');
  for (const endpoint of endpoints) {
    try {
      return await Line.open({ ...who, ...handlers, endpoint, library, ...context }, signal);
    } catch (error) {
      if (signal.aborted || !isPlacesFault(error)) throw error;
      // A refusal tells more than a port that is closed.
      if (!(failure instanceof TargetRefusal)) failure = error;
    }
  }
  throw failure;
}

/** Whether another place of the same domain may do better. */
function isPlacesFault(error: unknown): error is TargetRefusal | TransportError {
  if (error instanceof TransportError) return true;
  return error instanceof TargetRefusal && error.account === undefined;
}
