import type { IncomingHttpHeaders } from 'node:http';

export type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const AGENT = /^[\w.-]{1,32}(\/[\w.+-]{1,32})?( [\w.-]{1,32}\/[\w.+-]{1,32}| \([ -'*-~]{1,64}\))*$/;

/** Header rules of section 2 of the wire facts. Each returns what is wrong; nothing when all is well. */
export function checkAppHeaders(headers: IncomingHttpHeaders): string[] {
  const faults: string[] = [];
  if (headers['ilink-app-id'] !== 'bot') faults.push('iLink-App-Id is not "bot"');
  if (!/^[1-9]\d*$/.test(String(headers['ilink-app-clientversion'])))
    faults.push('iLink-App-ClientVersion is no number');
  return faults;
}

export function checkGet(headers: IncomingHttpHeaders): string[] {
  const faults = checkAppHeaders(headers);
  for (const name of ['authorization', 'authorizationtype', 'x-wechat-uin', 'content-type']) {
    if (headers[name] !== undefined) faults.push(`a GET carries ${name}`);
  }
  return faults;
}

/** Every POST proves itself anew: the UIN is random per request, so a repeated one is a client that treats it as an identity. */
export class PostRules {
  readonly #uins = new Set<string>();

  check(headers: IncomingHttpHeaders, authenticated: boolean): string[] {
    const faults = checkAppHeaders(headers);
    if (!/^application\/json\b/.test(headers['content-type'] ?? ''))
      faults.push('Content-Type is not application/json');
    if (headers['authorizationtype'] !== 'ilink_bot_token') faults.push('AuthorizationType is not ilink_bot_token');
    faults.push(...this.#checkUin(headers['x-wechat-uin']));
    if (authenticated && !/^Bearer \S+$/.test(headers.authorization ?? '')) faults.push('no Bearer token');
    if (!authenticated && headers.authorization !== undefined) faults.push('a token where none belongs');
    return faults;
  }

  #checkUin(value: string | string[] | undefined): string[] {
    const text = Buffer.from(String(value), 'base64').toString('utf8');
    if (!/^\d{1,10}$/.test(text) || Number(text) > 0xffff_ffff) return ['X-WECHAT-UIN is no base64 of a uint32'];
    if (this.#uins.has(text)) return ['X-WECHAT-UIN was used before'];
    this.#uins.add(text);
    return [];
  }
}

/** `base_info`, and that it speaks of the same version as the header. */
export function checkBaseInfo(body: Json, headers: IncomingHttpHeaders): string[] {
  const info = body['base_info'];
  if (!isRecord(info)) return ['no base_info'];
  const faults: string[] = [];
  const { channel_version: version, bot_agent: agent } = info;
  const [major = 0, minor = 0, patch = 0] = String(version).split('.').map(Number);
  if (String((major << 16) | (minor << 8) | patch) !== headers['ilink-app-clientversion']) {
    faults.push('channel_version and iLink-App-ClientVersion differ');
  }
  if (typeof agent !== 'string' || !AGENT.test(agent) || agent.length > 256) faults.push('bot_agent is malformed');
  return faults;
}

/** The envelope of a sent message, section 3.5. */
export function checkEnvelope(message: unknown): string[] {
  if (!isRecord(message)) return ['no msg'];
  const faults: string[] = [];
  if (message['from_user_id'] !== '') faults.push('from_user_id is not empty');
  if (typeof message['client_id'] !== 'string' || message['client_id'] === '') faults.push('no client_id');
  if (message['message_type'] !== 2) faults.push('message_type is not 2');
  if (message['message_state'] !== 2) faults.push('message_state is not 2');
  const items = message['item_list'];
  if (!Array.isArray(items)) faults.push('no item_list');
  return faults;
}

const HEX_32 = /^[0-9a-f]{32}$/;

/** What getuploadurl is told about a file, section 3.6. */
export function checkUploadRequest(body: Json): string[] {
  const faults: string[] = [];
  for (const name of ['filekey', 'rawfilemd5', 'aeskey']) {
    if (!HEX_32.test(String(body[name]))) faults.push(`${name} is not 32 hex characters`);
  }
  const { rawsize, filesize, media_type } = body;
  if (media_type !== 1 && media_type !== 2 && media_type !== 3) faults.push('media_type is none that is shown');
  if (typeof rawsize !== 'number' || filesize !== (Math.floor(rawsize / 16) + 1) * 16)
    faults.push('filesize does not fit');
  if (body['no_need_thumb'] !== true) faults.push('a thumbnail is promised');
  return faults;
}
