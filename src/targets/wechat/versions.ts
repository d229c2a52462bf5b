/**
 * What we say about ourselves on the wire. Phones refuse a bind when the client version is too low, so the numbers follow the
 * official client's protocol level and stand here alone; `connectors.wechat.clientVersion` and `.botAgent` override them.
 */
export interface WireVersions {
  /** `channel_version` in `base_info`; also the source of the numeric client version header. `major.minor.patch`. */
  readonly channelVersion: string;
  /** `bot_agent` in `base_info`: for the server's logs only. `Name/Version` tokens. */
  readonly botAgent: string;
}

export const DEFAULT_VERSIONS: WireVersions = { channelVersion: '2.4.9', botAgent: 'xAgentConnector/0.1.0' };

/** `iLink-App-Id`, the only known value for bots. */
export const APP_ID = 'bot';

/** The only `bot_type` known to work. */
export const BOT_TYPE = '3';

/** `iLink-App-ClientVersion`: major, minor and patch packed into one decimal number, as 2.4.9 becomes 132105. */
export function clientVersion(channelVersion: string): string {
  const [major = 0, minor = 0, patch = 0] = channelVersion.split('.').map((part) => Number.parseInt(part, 10) || 0);
  return String(((major & 0xff) << 16) | ((minor & 0xff) << 8) | (patch & 0xff));
}
