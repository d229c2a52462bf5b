import { inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;
const RGBA_BYTES = 4;

/** Pixels of an 8-bit RGBA PNG that is not interlaced, such as a QR code of ours: enough to read back what a person would scan. */
export function decodePng(png: Buffer): { width: number; height: number; data: Uint8ClampedArray } {
  let width = 0;
  let height = 0;
  const compressed: Buffer[] = [];
  for (let at = SIGNATURE_BYTES; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      width = body.readUInt32BE(0);
      height = body.readUInt32BE(4);
      if (body[8] !== 8 || body[9] !== 6 || body[12] !== 0) throw new Error('not an 8-bit RGBA PNG without interlace');
    }
    if (type === 'IDAT') compressed.push(body);
    at += 12 + length;
  }
  return { width, height, data: unfilter(inflateSync(Buffer.concat(compressed)), width * RGBA_BYTES, height) };
}

/** Undoes the five row filters of the PNG specification. */
function unfilter(raw: Buffer, stride: number, height: number): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const left = x < RGBA_BYTES ? 0 : (pixels[y * stride + x - RGBA_BYTES] ?? 0);
      const up = y === 0 ? 0 : (pixels[(y - 1) * stride + x] ?? 0);
      const upLeft = x < RGBA_BYTES || y === 0 ? 0 : (pixels[(y - 1) * stride + x - RGBA_BYTES] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter] ?? 0;
      pixels[y * stride + x] = ((raw[y * (stride + 1) + 1 + x] ?? 0) + predicted) & 0xff;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, upLeft: number): number {
  const guess = left + up - upLeft;
  const [byLeft, byUp, byUpLeft] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - upLeft)];
  if (byLeft <= byUp && byLeft <= byUpLeft) return left;
  return byUp <= byUpLeft ? up : upLeft;
}
