import { isRecord } from '../json-fields.js';

/** When a line is asked whether it is still there; seconds. */
export interface PingRules {
  /**
   * A quiet line is asked at least this often, whatever the server announces. It announces two minutes: a line that died without a
   * word would look well, and bring nothing, for longer than that.
   */
  readonly intervalS: number;
  /**
   * A ping that nothing follows within this breaks the connection. The SDK starts this time anew with every ping, so it must be
   * shorter than the interval, or it never ends.
   */
  readonly timeoutS: number;
}

export const PING_RULES: PingRules = { intervalS: 45, timeoutS: 10 };

/**
 * Bounds the interval that the SDK takes from the server, with the connection and with each answer to a ping. There is no option for
 * it; in a later SDK that keeps it elsewhere, the server's interval counts again.
 * @param client a WSClient
 * @param maxS the longest interval; also used where the server names none that makes sense, which the SDK would take for none at all
 */
export function boundPingInterval(client: object, maxS: number): void {
  const config: unknown = Reflect.get(client, 'wsConfig');
  if (!isRecord(config)) return;
  const { updateWs } = config;
  if (typeof updateWs !== 'function') return;
  const bounded = (values: unknown): void => {
    const known =
      isRecord(values) && 'pingInterval' in values
        ? { ...values, pingInterval: bound(values['pingInterval'], maxS) }
        : values;
    Reflect.apply(updateWs, config, [known]);
  };
  Reflect.set(config, 'updateWs', bounded);
}

/** Milliseconds, as the SDK counts here. */
function bound(interval: unknown, maxS: number): number {
  const maxMs = maxS * 1_000;
  return typeof interval === 'number' && interval > 0 ? Math.min(interval, maxMs) : maxMs;
}
