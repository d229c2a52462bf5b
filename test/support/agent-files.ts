import { authorization } from './agent-socket.js';
import { ask, multipart, type Answer } from './http-client.js';

/** An agent's side of the transfer plane (section 5). */
export class AgentFiles {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;

  constructor(baseUrl: string, apiKey: string | undefined) {
    this.#baseUrl = baseUrl;
    this.#apiKey = apiKey;
  }

  async upload(
    channel: string,
    file: { filename: string; content: Buffer | string; contentType?: string },
  ): Promise<Record<string, unknown>> {
    const answer = await this.uploadRaw(channel, file);
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`upload answered ${answer.status}: ${answer.text}`);
    return answer.json();
  }

  async uploadRaw(
    channel: string,
    file: { filename: string; content: Buffer | string; contentType?: string },
  ): Promise<Answer> {
    const form = multipart([
      {
        name: 'file',
        filename: file.filename,
        contentType: file.contentType ?? 'application/octet-stream',
        content: file.content,
      },
    ]);
    return ask(`${this.#baseUrl}/files/uploads`, {
      method: 'POST',
      headers: {
        ...authorization(this.#apiKey),
        'x-xagent-connector-channel-id': channel,
        'content-type': form.contentType,
      },
      body: form.body,
    });
  }

  /** Both addresses a relative download_url may mean (R36): by RFC 3986 against the base, and joined to it. */
  downloadUrls(file: Record<string, unknown>): string[] {
    const given = String(file['download_url']);
    const base = this.#baseUrl;
    return [new URL(given, base).href, given.startsWith('/') ? `${base}${given}` : given];
  }

  /** Downloads as xAgent does: the URL alone, no header. */
  async download(file: Record<string, unknown>): Promise<Buffer> {
    const url = this.downloadUrls(file)[0] ?? '';
    const answer = await ask(url);
    if (answer.status !== 200) throw new Error(`download answered ${answer.status}`);
    return answer.body;
  }
}
