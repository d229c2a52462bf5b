import type { FileType } from '../../protocol/index.js';

/** The iLink messages: what we send as the network spells it, what we receive as {@link readMessage} reads it. */

export const ItemType = { none: 0, text: 1, image: 2, voice: 3, file: 4, video: 5 } as const;
export const MessageType = { none: 0, user: 1, bot: 2 } as const;
export const MessageState = { generating: 1, finish: 2 } as const;
export const UploadType = { image: 1, video: 2, file: 3 } as const;
export const TypingStatus = { typing: 1, cancel: 2 } as const;

// ---------------------------------------------------------------- sent

export interface OutboundMedia {
  readonly encrypt_query_param: string;
  readonly aes_key: string;
  readonly encrypt_type: 1;
}

export type OutboundItem =
  | { readonly type: typeof ItemType.text; readonly text_item: { readonly text: string } }
  | {
      readonly type: typeof ItemType.image;
      readonly image_item: { readonly media: OutboundMedia; readonly mid_size: number };
    }
  | {
      readonly type: typeof ItemType.video;
      readonly video_item: { readonly media: OutboundMedia; readonly video_size: number };
    }
  | {
      readonly type: typeof ItemType.file;
      readonly file_item: { readonly media: OutboundMedia; readonly file_name: string; readonly len: string };
    };

// ---------------------------------------------------------------- received

/** Where a file of a message lies, and the key to it in whichever form it came. */
export interface InboundMedia {
  readonly url: string | undefined;
  readonly param: string | undefined;
  readonly hexKey: string | undefined;
  readonly key: string | undefined;
}

export type InboundItem =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'media';
      readonly fileType: FileType;
      /** Undefined when the item names no file that could be fetched. */
      readonly media: InboundMedia | undefined;
      /** What the server heard in a voice message; empty otherwise. */
      readonly transcript: string;
      readonly filename: string | undefined;
      /** Bytes, as the sender's client counted them. */
      readonly size: number | undefined;
    }
  | { readonly kind: 'unknown'; readonly type: number | undefined };

export interface MessageItem {
  readonly id: string | undefined;
  readonly content: InboundItem;
  readonly quote: Quote | undefined;
}

export interface Quote {
  readonly item: InboundItem | undefined;
  readonly title: string | undefined;
  /** The server's id of the quoted message; newer phones send nothing else. */
  readonly serverId: string | undefined;
  readonly partial: PartialQuote | undefined;
}

/** Marks a part of the quoted text by its first and last words and which occurrence of them is meant. */
export interface PartialQuote {
  readonly start: string;
  readonly end: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly md5: string | undefined;
}

export interface WireMessage {
  readonly messageId: string | undefined;
  readonly clientId: string | undefined;
  readonly seq: string | undefined;
  readonly from: string | undefined;
  readonly groupId: string | undefined;
  /** Unix ms. */
  readonly createdAt: number | undefined;
  readonly isDeleted: boolean;
  readonly type: number | undefined;
  readonly state: number | undefined;
  readonly items: readonly MessageItem[];
  readonly contextToken: string | undefined;
}

export interface QrCode {
  readonly handle: string;
  /** The URL to draw as a QR code. */
  readonly text: string;
}

/** The eight answers of the QR status call; a value not among them counts as `wait`. */
export type QrStatus =
  | { readonly status: 'wait' | 'scaned' | 'need_verifycode' | 'verify_code_blocked' | 'expired' | 'binded_redirect' }
  | { readonly status: 'scaned_but_redirect'; readonly redirectHost: string | undefined }
  /** Undefined when the server confirmed without all that a sign-in needs. */
  | { readonly status: 'confirmed'; readonly login: WireLogin | undefined };

export interface WireLogin {
  readonly botToken: string;
  readonly botId: string;
  readonly baseUrl: string | undefined;
  /** The person who scanned, the only peer by default; not the bot. */
  readonly userId: string;
}

export interface UpdateBatch {
  /** Entries as they came: each is read by itself. */
  readonly entries: readonly unknown[];
  /** Undefined when the server sent none or an empty one: then the last cursor stays. */
  readonly cursor: string | undefined;
  /** How long the server will hold the next poll, milliseconds. */
  readonly holdMs: number | undefined;
}
