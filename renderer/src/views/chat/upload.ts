import { FILES_PATH } from '../../../../src/bridge/index.js';

/** Why an upload ended without a token; each has words. */
export type UploadFailure = 'empty' | 'too_large' | 'no_room' | 'unreachable' | 'refused';

export interface Upload {
  /** Resolves with what `local-send` is given for the file. @throws UploadError, also when it was canceled */
  readonly token: Promise<string>;
  cancel(): void;
}

export class UploadError extends Error {
  override readonly name = 'UploadError';
  constructor(readonly code: UploadFailure | 'canceled') {
    super(code);
  }
}

const TOO_LARGE = 413;
const NO_ROOM = 507;

/**
 * Sends a file to the program beside the commands. `XMLHttpRequest`, because only it tells how far an upload is.
 * @param onProgress bytes that have left so far
 */
export function upload(accountId: string, file: File, onProgress: (bytes: number) => void): Upload {
  const request = new XMLHttpRequest();
  const token = new Promise<string>((resolve, reject) => {
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(Math.min(loaded, file.size)));
    request.addEventListener('abort', () => reject(new UploadError('canceled')));
    request.addEventListener('error', () => reject(new UploadError('unreachable')));
    request.addEventListener('load', () => {
      const given = request.status === 200 || request.status === 201 ? tokenIn(request.responseText) : undefined;
      if (given === undefined) reject(new UploadError(failureOf(request.status)));
      else resolve(given);
    });
  });
  request.open('POST', `${FILES_PATH}?${new URLSearchParams({ account: accountId, name: file.name }).toString()}`);
  request.setRequestHeader('Content-Type', file.type === '' ? 'application/octet-stream' : file.type);
  request.send(file);
  return { token, cancel: () => request.abort() };
}

/** Where a file of the chat is fetched. */
export function fileHref(accountId: string, fileRef: string): string {
  return `${FILES_PATH}/${encodeURIComponent(fileRef)}?${new URLSearchParams({ account: accountId }).toString()}`;
}

function tokenIn(text: string): string | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null || !('token' in answer)) return undefined;
    return typeof answer.token === 'string' ? answer.token : undefined;
  } catch {
    return undefined;
  }
}

function failureOf(status: number): UploadFailure {
  if (status === TOO_LARGE) return 'too_large';
  return status === NO_ROOM ? 'no_room' : 'refused';
}
