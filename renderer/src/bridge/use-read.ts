import { useCallback, useEffect, useEffectEvent, useState } from 'react';
import { asRefusal, type BridgeClient, type CommandRefused } from './client.js';
import { useBridge } from './context.js';
import { NOTHING_TOLD, Reader, type Told } from './reader.js';

export interface Read<R> extends Omit<Told<R>, 'refusal'> {
  readonly refusal: CommandRefused | undefined;
  /** Asks once more now. */
  readonly again: () => void;
}

/**
 * Reads from the host at once, and again whenever `mark` is another one.
 * @param read given what it read before, for answers that go on where the last one ended
 */
export function useRead<R>(mark: unknown, read: (bridge: BridgeClient, before: R | undefined) => Promise<R>): Read<R> {
  const bridge = useBridge();
  const [told, setTold] = useState<Told<R>>(NOTHING_TOLD);
  const [reader] = useState(() => new Reader<R>(setTold));
  const [turn, setTurn] = useState(0);
  const ask = useEffectEvent((before: R | undefined) => read(bridge, before));
  useEffect(() => reader.read((before) => ask(before)), [reader, bridge, mark, turn]);
  return {
    ...told,
    refusal: told.refusal === undefined ? undefined : asRefusal(told.refusal),
    again: useCallback(() => setTurn((count) => count + 1), []),
  };
}
