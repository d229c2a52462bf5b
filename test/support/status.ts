import type { HostProcess } from './host-process.js';
import { isRecord } from './http-client.js';
import { records } from './wire-rules.js';

/** Reads the local status API as a person's script would: by names, not by positions. */

export async function connectorStatus(host: HostProcess, cardId: string): Promise<Record<string, unknown>> {
  const found = records((await host.status())['connectors']).find((c) => c['connector_card_id'] === cardId);
  if (!found) throw new Error(`no connector ${cardId} in /status`);
  return found;
}

export async function channelStatus(
  host: HostProcess,
  cardId: string,
  channelId: string,
): Promise<Record<string, unknown>> {
  const channels = records((await connectorStatus(host, cardId))['channels']);
  const found = channels.find((channel) => channel['connector_channel_id'] === channelId);
  if (!found) throw new Error(`no channel ${channelId} in /status`);
  return found;
}

/** A channel's number of this name, wherever its report keeps counters. */
export async function counterOf(host: HostProcess, cardId: string, channelId: string, name: string): Promise<number> {
  const channel = await channelStatus(host, cardId, channelId);
  const places = [channel, channel['counters'], channel['queue']];
  for (const place of places) {
    if (isRecord(place) && typeof place[name] === 'number') return place[name];
  }
  return 0;
}
