import type { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { TargetRefusal, TransportError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import type { WayOut } from '../../base/proxy/way-out.js';
import { fieldsOf, isRecord, numberOf, type Fields } from '../json-fields.js';
import { isTokenCode, refusalOf } from './errors.js';
import { CALL_TIMEOUT_MS, FileAnswer, httpBridge } from './http-bridge.js';
import type { FileForm } from './multipart.js';
import { mutedLogger, type LoadSdk, type Sdk } from './sdk.js';

/** Which app this is, and where it calls. */
export interface AppAccess {
  readonly appId: string;
  readonly appSecret: string;
  readonly apiBaseUrl: string;
}

export interface ClientParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly wayOut: WayOut;
  readonly load: LoadSdk;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/open-apis/`. */
  readonly path: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly data?: Fields;
  readonly form?: FileForm;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly timeoutMs?: number;
}

/** Bodies of refused downloads are read this far to find the code; bytes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Calls of one app at the open platform, with the SDK's client for tokens and addressing. */
export class FeishuClient {
  readonly access: AppAccess;
  readonly #parts: ClientParts;
  readonly #tokens = new TokenCache();
  #client: Promise<InstanceType<Sdk['Client']>> | undefined;

  constructor(access: AppAccess, parts: ClientParts) {
    this.access = access;
    this.#parts = parts;
  }

  /**
   * @returns the answer's `data`, or the whole answer where there is none
   * @throws FeishuRefusal, TransportError
   */
  async call(call: Call): Promise<Fields> {
    const answer = await this.#withToken(call, {}, (value) => codeOf(value));
    const data = fieldsOf(answer)['data'];
    return isRecord(data) ? data : fieldsOf(answer);
  }

  /** Opens a file. @throws FeishuRefusal, TransportError */
  async open(call: Call): Promise<FileAnswer & { readonly body: Readable }> {
    const answer = await this.#withToken(call, { responseType: 'stream' }, async (value) => {
      if (!(value instanceof FileAnswer)) return -1;
      return value.status === 200 ? 0 : await refusedCode(value);
    });
    if (answer instanceof FileAnswer) return answer;
    throw new TransportError('server_error', 'The answer is not what it should be', { effect: 'none' });
  }

  /** A token that the platform does not take, though it should still be good, is renewed once. */
  async #withToken(
    call: Call,
    extra: { readonly responseType?: 'stream' },
    judge: (answer: unknown) => number | Promise<number>,
  ): Promise<unknown> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#request(call, extra);
      const code = await judge(answer);
      if (code === 0) return answer;
      if (!isTokenCode(code) || tries > 1) throw refusalOf(code);
      this.#tokens.clear();
    }
  }

  async #request(call: Call, extra: { readonly responseType?: 'stream' }): Promise<unknown> {
    const client = await this.#loaded();
    try {
      return await client.request<unknown>({
        method: call.method,
        url: `open-apis/${call.path}`,
        params: call.params ?? {},
        data: call.form ? { form: call.form } : call.data,
        timeout: call.timeoutMs ?? CALL_TIMEOUT_MS,
        ...(call.signal && { signal: call.signal }),
        ...extra,
      });
    } catch (error) {
      if (error instanceof TargetRefusal || error instanceof TransportError) throw error;
      // The SDK's own errors: the token answer held no token.
      throw new TransportError('server_error', 'The answer is not what it should be', { effect: 'none' });
    }
  }

  #loaded(): Promise<InstanceType<Sdk['Client']>> {
    const { load, log } = this.#parts;
    this.#client ??= load().then(
      ({ Client }) =>
        new Client({
          appId: this.access.appId,
          appSecret: this.access.appSecret,
          domain: this.access.apiBaseUrl,
          logger: mutedLogger(log),
          cache: this.#tokens,
          httpInstance: httpBridge(this.#parts),
        }),
    );
    return this.#client;
  }
}

/** Tokens of this client alone, so that one can be thrown away; the SDK's own cache is shared by everything. */
class TokenCache {
  readonly #values = new Map<string, { readonly value: unknown; readonly until: number }>();

  async get(key: string | symbol | { toString(): string }): Promise<unknown> {
    const entry = this.#values.get(key.toString());
    // The SDK computes the expiry on the system's clock.
    return entry && Date.now() < entry.until ? entry.value : undefined;
  }

  async set(key: string | symbol | { toString(): string }, value: unknown, expireAt = Infinity): Promise<boolean> {
    this.#values.set(key.toString(), { value, until: expireAt });
    return true;
  }

  clear(): void {
    this.#values.clear();
  }
}

function codeOf(answer: unknown): number {
  return numberOf(fieldsOf(answer)['code']) ?? -1;
}

async function refusedCode({ body, status }: FileAnswer): Promise<number> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_REFUSAL_BYTES) break;
      chunks.push(chunk);
    }
    const code = codeOf(JSON.parse(Buffer.concat(chunks).toString('utf8')));
    if (code !== 0) return code;
  } catch {
    // Not one of the platform's answers.
  }
  throw new TransportError('server_error', `The file was not given (HTTP ${status})`, { effect: 'none' });
}
