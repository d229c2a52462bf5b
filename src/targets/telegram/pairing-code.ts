import { randomBytes } from 'node:crypto';

/** 160 random bits; base64url keeps to what Telegram allows in a start parameter, within its 64 characters. */
const CODE_BYTES = 20;
/** Pressing Start on a pairing link sends this. */
const START_WITH_CODE = /^\/start ([A-Za-z0-9_-]{27})$/;

export function newPairingCode(): string {
  return randomBytes(CODE_BYTES).toString('base64url');
}

/** The code in a message that looks like one of ours, valid or not; such a message is never an agent's business. */
export function pairingCodeIn(text: string | undefined): string | undefined {
  return START_WITH_CODE.exec(text ?? '')?.[1];
}
