import busboy from 'busboy';
import type { IncomingMessage } from 'node:http';

export interface UploadedFile {
  readonly filename: string;
  readonly bytes: Buffer;
}

export interface ParsedBody {
  readonly fields: Record<string, unknown>;
  readonly files: Record<string, UploadedFile>;
}

/** Reads a call's parameters as the Bot API takes them: JSON, a form, or multipart with `attach://` references. */
export async function readBody(request: IncomingMessage): Promise<ParsedBody> {
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) return readMultipart(request);
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  if (text === '') return { fields: {}, files: {} };
  const fields: unknown = type.startsWith('application/json')
    ? JSON.parse(text)
    : Object.fromEntries(new URLSearchParams(text));
  return { fields: typeof fields === 'object' && fields !== null ? { ...fields } : {}, files: {} };
}

function readMultipart(request: IncomingMessage): Promise<ParsedBody> {
  return new Promise((resolve, reject) => {
    const fields: Record<string, unknown> = {};
    const files: Record<string, UploadedFile> = {};
    const parser = busboy({ headers: request.headers, defParamCharset: 'utf8' });
    parser.on('field', (name, value) => (fields[name] = value));
    parser.on('file', (name, stream, { filename }) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => (files[name] = { filename: filename ?? 'unnamed', bytes: Buffer.concat(chunks) }));
    });
    parser.on('close', () => resolve({ fields, files }));
    parser.on('error', reject);
    request.on('error', reject);
    request.pipe(parser);
  });
}
