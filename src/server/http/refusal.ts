/** Why a request is not served: becomes the status and the body `{"error": code, "message": message}`. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Thrown by route handlers; {@link Refusal} as an error. The message is fit for strangers: no path, no upstream text. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  constructor(readonly refusal: Refusal) {
    super(refusal.code);
  }
}

/** Sent with every answer: nothing here is for embedding, caching or content sniffing. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

export const JSON_TYPE = 'application/json; charset=utf-8';

export function refusalBody(refusal: Refusal): string {
  return JSON.stringify({
    error: refusal.code,
    ...(refusal.message === undefined ? {} : { message: refusal.message }),
  });
}
