/** What goes wrong with one call. */
export type Fault =
  /** Answered with this JSON, HTTP 200, instead of being carried out. */
  | { readonly kind: 'answer'; readonly body: unknown }
  /** Answered with these bytes and this status as they stand. */
  | {
      readonly kind: 'garbage';
      readonly status?: number;
      readonly body: string;
      readonly headers?: Record<string, string>;
    }
  /** Never answered. */
  | { readonly kind: 'hang' }
  /** The connection is cut before anything happens. */
  | { readonly kind: 'cutBefore' }
  /** Carried out, then the connection is cut before the answer. */
  | { readonly kind: 'cutAfter' }
  /** Carried out, but not answered until {@link IlinkSimulator.release}. */
  | { readonly kind: 'holdAfter' }
  /** Carried out at once, answered after this many milliseconds. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** The answer announces more bytes than come. */
  | { readonly kind: 'truncate' };

export const faults = {
  ret: (ret: number, errmsg = ''): Fault => ({ kind: 'answer', body: { ret, errmsg } }),
  errcode: (errcode: number, errmsg = ''): Fault => ({ kind: 'answer', body: { errcode, errmsg } }),
  status: (status: number): Fault => ({ kind: 'garbage', status, body: 'upstream' }),
  redirect: (location: string): Fault => ({ kind: 'garbage', status: 302, body: '', headers: { location } }),
} as const;

interface Scripted {
  readonly fault: Fault;
  left: number;
}

/** Faults waiting for the calls of an endpoint, first in first out. */
export class FaultScript {
  readonly #byEndpoint = new Map<string, Scripted[]>();

  /** @param endpoint last part of the path, such as `getupdates`; `upload` and `download` for the CDN */
  add(endpoint: string, fault: Fault, times = 1): void {
    this.#byEndpoint.set(endpoint, [...(this.#byEndpoint.get(endpoint) ?? []), { fault, left: times }]);
  }

  clear(): void {
    this.#byEndpoint.clear();
  }

  /** Faults that no call has met yet. */
  waiting(endpoint: string): number {
    return this.#byEndpoint.get(endpoint)?.length ?? 0;
  }

  take(endpoint: string): Fault | undefined {
    const queue = this.#byEndpoint.get(endpoint);
    const head = queue?.[0];
    if (!queue || !head) return undefined;
    head.left -= 1;
    if (head.left <= 0) queue.shift();
    return head.fault;
  }
}
