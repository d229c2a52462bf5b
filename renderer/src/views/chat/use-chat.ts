import { useEffect } from 'react';
import type { AccountSnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { type Read, useRead } from '../../bridge/use-read.js';
import { type Conversation, NEW_CONVERSATION, withReading } from './conversation.js';

/** An answer that grows is read this often; fast enough to look like writing, slow enough to cost nothing. Milliseconds. */
const GROWING_READ_MS = 250;

/** Reads the chat after every change the host tells of, and by itself while the agent is at work and somebody looks. */
export function useChat(snapshot: Snapshot, { accountId, activity }: AccountSnapshot): Read<Conversation> {
  const read = useRead<Conversation>(snapshot, async (bridge, known = NEW_CONVERSATION) =>
    withReading(known, await bridge.call('local-read', { accountId, after: known.cursor })),
  );
  const { value, again } = read;
  const atWork = activity.status !== 'idle' || value?.typing === true || (value?.growing.length ?? 0) > 0;
  useEffect(() => {
    if (!atWork) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) again();
    }, GROWING_READ_MS);
    return () => clearInterval(timer);
  }, [atWork, again]);
  return read;
}
