import type { Fault as FeishuFault } from '../simulators/feishu/index.js';
import { faults as ilinkFaults, type Fault as IlinkFault } from '../simulators/ilink/index.js';
import { refusals, type Fault as TelegramFault } from '../simulators/telegram/index.js';
import type { Random } from './random.js';

/** Calls by how often they go wrong; those that send most of all. */
export const TELEGRAM_CALLS = [
  ['getUpdates', 4],
  ['sendMessage', 6],
  ['sendDocument', 3],
  ['getFile', 1],
  ['download', 1],
] as const;
export const ILINK_CALLS = [
  ['getupdates', 4],
  ['sendmessage', 6],
  ['getuploadurl', 2],
  ['upload', 2],
  ['download', 1],
] as const;
export const FEISHU_CALLS = [
  ['POST im/v1/messages', 6],
  ['POST im/v1/files', 2],
  ['POST auth/v3/tenant_access_token/internal', 1],
  ['POST callback/ws/endpoint', 2],
] as const;

/** A page of somebody's gateway, where an answer should be. */
const GATEWAY = '<html><body>Bad Gateway</body></html>';
/** A redirect to where nobody may be sent. */
const ELSEWHERE = 'http://127.0.0.1:9/elsewhere';
/** The beginning of an answer. */
const HALF = '{"ok":true,"resu';
/** Longer than a person notices, shorter than any deadline; milliseconds. */
const SLOW_MS = 1_500;

export function telegramFault(random: Random): TelegramFault {
  return random.weighted<TelegramFault>([
    [{ kind: 'cutBefore' }, 3],
    [{ kind: 'cutAfter' }, 2],
    [{ kind: 'truncate' }, 1],
    [{ kind: 'slow', ms: SLOW_MS }, 3],
    [{ kind: 'garbage', status: 502, body: GATEWAY }, 2],
    [{ kind: 'garbage', status: 200, body: HALF }, 1],
    [{ kind: 'garbage', status: 302, body: '', headers: { location: ELSEWHERE } }, 1],
    [refusals.tooMany(1), 3],
    [refusals.internal, 1],
  ]);
}

export function ilinkFault(random: Random): IlinkFault {
  return random.weighted<IlinkFault>([
    [{ kind: 'cutBefore' }, 3],
    [{ kind: 'cutAfter' }, 2],
    [{ kind: 'truncate' }, 1],
    [{ kind: 'slow', ms: SLOW_MS }, 3],
    [ilinkFaults.status(502), 2],
    [{ kind: 'garbage', status: 200, body: HALF }, 1],
    [ilinkFaults.redirect(ELSEWHERE), 1],
    [ilinkFaults.status(429), 3],
  ]);
}

export function feishuFault(random: Random): FeishuFault {
  return random.weighted<FeishuFault>([
    [{ kind: 'cutBefore' }, 3],
    [{ kind: 'cutAfter' }, 3],
    [{ kind: 'truncate' }, 1],
    [{ kind: 'slow', ms: SLOW_MS }, 3],
    [{ kind: 'garbage' }, 2],
    [{ kind: 'redirect', location: ELSEWHERE }, 1],
    [{ kind: 'refuse', code: 99991400, status: 429, resetS: 1 }, 2],
  ]);
}
