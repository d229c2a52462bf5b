/** What is said between this process and the one that talks to the keychain. Secrets go this way only: no argument, no variable. */
export type KeychainRequest =
  | { readonly id: number; readonly call: 'probe'; readonly account: string }
  | { readonly id: number; readonly call: 'get'; readonly account: string; readonly probeAccount: string }
  | { readonly id: number; readonly call: 'set'; readonly account: string; readonly value: string }
  | { readonly id: number; readonly call: 'delete'; readonly account: string; readonly probeAccount: string };

export type KeychainReply =
  | { readonly id: number; readonly ok: true; readonly value: string | null }
  | { readonly id: number; readonly ok: false; readonly state: KeychainFault['state']; readonly code: string };

/** Why the keychain did not do as asked; the upstream text stays in the worker. */
export interface KeychainFault {
  readonly state: 'locked' | 'absent' | 'failed';
  readonly code: string;
}

export function isKeychainRequest(message: unknown): message is KeychainRequest {
  if (!isRecord(message) || typeof message['id'] !== 'number' || typeof message['account'] !== 'string') return false;
  switch (message['call']) {
    case 'probe':
      return true;
    case 'set':
      return typeof message['value'] === 'string';
    case 'get':
    case 'delete':
      return typeof message['probeAccount'] === 'string';
    default:
      return false;
  }
}

export function isKeychainReply(message: unknown): message is KeychainReply {
  if (!isRecord(message) || typeof message['id'] !== 'number') return false;
  if (message['ok'] === true) return message['value'] === null || typeof message['value'] === 'string';
  const states: readonly unknown[] = ['locked', 'absent', 'failed'];
  return message['ok'] === false && states.includes(message['state']) && typeof message['code'] === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
