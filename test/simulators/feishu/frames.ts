/** The frame of Feishu's long connection (`pbbp2.Frame`, protobuf): its wire format written out, as a second opinion on the SDK's. */
export interface Frame {
  readonly seqId: bigint;
  readonly logId: bigint;
  readonly service: number;
  /** 0 control, 1 data. */
  readonly method: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: Buffer;
}

const VARINT = 0;
const BYTES = 2;

export function encodeFrame(frame: Frame): Buffer {
  const headers = Object.entries(frame.headers).map(([key, value]) =>
    bytesField(5, Buffer.concat([bytesField(1, Buffer.from(key)), bytesField(2, Buffer.from(value))])),
  );
  return Buffer.concat([
    varintField(1, frame.seqId),
    varintField(2, frame.logId),
    varintField(3, BigInt(frame.service)),
    varintField(4, BigInt(frame.method)),
    ...headers,
    bytesField(8, frame.payload),
  ]);
}

export function decodeFrame(bytes: Buffer): Frame {
  const headers: Record<string, string> = {};
  const numbers = new Map<number, bigint>();
  let payload = Buffer.alloc(0);
  for (const { field, value } of fieldsIn(bytes)) {
    if (typeof value === 'bigint') numbers.set(field, value);
    else if (field === 5) {
      const entry = new Map(fieldsIn(value).map((part) => [part.field, String(part.value)]));
      headers[entry.get(1) ?? ''] = entry.get(2) ?? '';
    } else if (field === 8) payload = Buffer.from(value);
  }
  return {
    seqId: numbers.get(1) ?? 0n,
    logId: numbers.get(2) ?? 0n,
    service: Number(numbers.get(3) ?? 0n),
    method: Number(numbers.get(4) ?? 0n),
    headers,
    payload,
  };
}

function varintField(field: number, value: bigint): Buffer {
  return Buffer.concat([varint(BigInt(field * 8 + VARINT)), varint(value)]);
}

function bytesField(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(BigInt(field * 8 + BYTES)), varint(BigInt(value.length)), value]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let left = value;
  do {
    const low = Number(left & 0x7fn);
    left >>= 7n;
    bytes.push(left > 0n ? low + 0x80 : low);
  } while (left > 0n);
  return Buffer.from(bytes);
}

function fieldsIn(bytes: Buffer): { field: number; value: bigint | Buffer }[] {
  const found: { field: number; value: bigint | Buffer }[] = [];
  let at = 0;
  const readVarint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) throw new RangeError('a frame ends inside a number');
      value += BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const field = Math.floor(tag / 8);
    if (tag % 8 === VARINT) {
      found.push({ field, value: readVarint() });
    } else if (tag % 8 === BYTES) {
      const length = Number(readVarint());
      found.push({ field, value: bytes.subarray(at, at + length) });
      at += length;
    } else throw new RangeError('a frame holds a field of an unknown kind');
  }
  return found;
}
