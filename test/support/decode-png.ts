import { inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const RGBA_BYTES = 4;
/** Colour types of PNG: red, green, blue, and the same with alpha; each with the bytes of a pixel. */
const PIXEL_BYTES: Readonly<Record<number, number>> = { 2: 3, 6: RGBA_BYTES };

/**
 * Pixels of an 8-bit colour PNG that is not interlaced, such as a QR code of ours or a picture of a page: enough to read back
 * what a person would scan.
 */
export function decodePng(png: Buffer): { width: number; height: number; data: Uint8ClampedArray } {
  let width = 0;
  let height = 0;
  let pixelBytes = RGBA_BYTES;
  const compressed: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      const bytes = PIXEL_BYTES[body[9] ?? 0];
      if (body[8] !== 8 || bytes === undefined || body[12] !== 0)
        throw new Error('not an 8-bit colour PNG without interlace');
      pixelBytes = bytes;
    }
    if (type === 'IDAT') compressed.push(body);
    at += 12 + length;
  }
  const pixels = unfilter(inflateSync(Buffer.concat(compressed)), { stride: width * pixelBytes, height, pixelBytes });
  return { width, height, data: pixelBytes === RGBA_BYTES ? pixels : opaque(pixels, pixelBytes) };
}

interface Rows {
  /** Bytes of a row. */
  readonly stride: number;
  readonly height: number;
  readonly pixelBytes: number;
}

/** Undoes the five row filters of the PNG specification. */
function unfilter(raw: Buffer, { stride, height, pixelBytes }: Rows): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < pixelBytes ? 0 : (pixels[y * stride + x - pixelBytes] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const upLeft = x < pixelBytes || y === 0 ? 0 : (pixels[(y - 1) * stride + x - pixelBytes] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
      pixels[y * stride + x] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + predicted) & 0xff;
    }
  }
  return pixels;
}

/** The same pixels with an alpha that lets nothing through. */
function opaque(pixels: Uint8ClampedArray, pixelBytes: number): Uint8ClampedArray {
  const count = pixels.length / pixelBytes;
  const rgba = new Uint8ClampedArray(count * RGBA_BYTES).fill(0xff);
  for (let at = 0; at < count; at += 1) {
    rgba.set(pixels.subarray(at * pixelBytes, (at + 1) * pixelBytes), at * RGBA_BYTES);
  }
  return rgba;
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [byLeft, byUp, byUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  if (byLeft <= byUp && byLeft <= byUpLeft) return left;
  return byUp <= byUpLeft ? up : upLeft;
}
