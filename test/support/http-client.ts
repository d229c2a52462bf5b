import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { within } from './deadline.js';

/** An HTTP client that sends exactly what it is told: any Host, Origin or method, nothing added, no redirects followed. */

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
  json(): Record<string, unknown>;
}

export interface Ask {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
}

export async function ask(url: string, options: Ask = {}): Promise<Answer> {
  const target = new URL(url);
  const body = typeof options.body === 'string' ? Buffer.from(options.body) : options.body;
  const headers: Record<string, string> = { ...options.headers };
  if (body && !hasHeader(headers, 'content-length')) headers['content-length'] = String(body.length);
  const answer = new Promise<Answer>((resolve, reject) => {
    const outgoing = httpRequest(
      {
        host: target.hostname,
        port: target.port,
        // Not target.pathname: that would tidy up the very paths a hostile client sends.
        path: url.slice(target.origin.length) || '/',
        method: options.method ?? 'GET',
        headers,
        agent: false,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            body: whole,
            text: whole.toString('utf8'),
            json: () => parseObject(whole.toString('utf8')),
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
  return within(answer, `${options.method ?? 'GET'} ${target.pathname}`);
}

/** Writes raw bytes to a port and gives back everything answered until the server closes. */
export async function speakRaw(port: number, bytes: string | Buffer, ms?: number): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
  return within(answer, 'raw exchange to end', ms);
}

/** Status of the first response in what {@link speakRaw} gave back. */
export function rawStatus(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
}

export interface Part {
  readonly name: string;
  readonly filename?: string;
  readonly contentType?: string;
  readonly content: Buffer | string;
}

/** A multipart/form-data body as xAgent sends one (protocol 3.0 section 5.1). */
export function multipart(parts: readonly Part[]): { contentType: string; body: Buffer } {
  const boundary = `----form${Math.random().toString(16).slice(2)}`;
  const pieces: Buffer[] = [];
  for (const part of parts) {
    const filename = part.filename === undefined ? '' : `; filename="${part.filename.replaceAll('"', '%22')}"`;
    const type = part.contentType === undefined ? '' : `Content-Type: ${part.contentType}\r\n`;
    pieces.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${part.name}"${filename}\r\n${type}\r\n`),
      Buffer.from(part.content),
      Buffer.from('\r\n'),
    );
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

function hasHeader(headers: Readonly<Record<string, string>>, name: string): boolean {
  return Object.keys(headers).some((key) => key.toLowerCase() === name);
}

function parseObject(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error('the answer is not a JSON object');
  return value;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
