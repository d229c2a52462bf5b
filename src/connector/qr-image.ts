import type { Logger } from '../base/logger.js';

/** Pixels per module: a code of the usual size is then drawn about 300 pixels wide, sharp on dense screens. */
const SCALE = 6;
/** Quiet zone, modules; the standard asks for four. */
const MARGIN = 4;

/**
 * A QR code as a PNG data URL, or an empty text when the content does not fit into one. The encoder is loaded with the
 * first code.
 */
export async function renderQr(content: string, log: Logger): Promise<string> {
  try {
    const { toDataURL } = await import('qrcode');
    return await toDataURL(content, { type: 'image/png', errorCorrectionLevel: 'M', margin: MARGIN, scale: SCALE });
  } catch {
    // Not the error itself: it may quote the content, which is a one-time secret.
    log.warn({ length: content.length }, 'a QR code could not be drawn');
    return '';
  }
}
