import { create } from 'qrcode';

/** ISO 18004 asks for this many modules of quiet on each side. */
const QUIET = 4;

export interface QrDrawing {
  /** Modules on a side, the quiet ones included. */
  readonly size: number;
  /** An SVG path over the dark ones. */
  readonly path: string;
}

/** The QR code of a text, error correction M, as one path of runs. @throws Error when the text is too long for any code */
export function drawQr(text: string): QrDrawing {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const runs: string[] = [];
  for (let row = 0; row < modules.size; row += 1) {
    let column = 0;
    while (column < modules.size) {
      let length = 0;
      while (column + length < modules.size && modules.get(row, column + length)) length += 1;
      if (length > 0) runs.push(`M${column + QUIET} ${row + QUIET}h${length}v1h-${length}z`);
      column += length + 1;
    }
  }
  return { size: modules.size + 2 * QUIET, path: runs.join('') };
}
