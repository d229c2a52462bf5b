import { fieldsOf } from '../json-fields.js';
import type { Json } from '../target.js';
import type { Brand } from './brand.js';

/** What is stored of an account besides the app's secret. */
export interface FeishuBinding {
  readonly appId: string;
  /** The person who scanned the QR code, as this app knows them. */
  readonly ownerId: string;
  readonly brand: Brand;
}

/** @throws TypeError when the row was written by something else */
export function readBinding(binding: Json): FeishuBinding {
  const { appId, ownerId, brand } = fieldsOf(binding);
  if (typeof appId !== 'string' || typeof ownerId !== 'string' || (brand !== 'feishu' && brand !== 'lark')) {
    throw new TypeError('not a Feishu binding');
  }
  return { appId, ownerId, brand };
}

export function bindingToJson({ appId, ownerId, brand }: FeishuBinding): Json {
  return { appId, ownerId, brand };
}

/** Names the one reader of an app's events. */
export function consumerOf(appId: string): string {
  return `feishu/${appId}`;
}

/** How many characters at the end of an app's id are shown to people. */
const SHOWN_CHARS = 4;

export function namesOf({ appId, brand }: FeishuBinding): { displayName: string; accountHint: string } {
  const hint = `cli_***${appId.slice(-SHOWN_CHARS)}`;
  return { displayName: `${brand === 'lark' ? 'Lark' : 'Feishu'} ${hint}`, accountHint: hint };
}
