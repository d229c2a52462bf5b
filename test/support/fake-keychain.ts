import {
  isKeychainRequest,
  type KeychainReply,
  type KeychainRequest,
} from '../../src/store/secrets/keychain-messages.js';
import type { KeychainWorker, SpawnWorker } from '../../src/store/secrets/index.js';

/** A keychain in the test's own process, behind the worker's messages: what it keeps stays from one worker to the next. */
export class FakeKeychain {
  readonly entries = new Map<string, string>();
  /** Called before a secret is kept; what it throws is the keychain's refusal. */
  onSet: (name: string) => Promise<void> = () => Promise.resolve();
  /** As if nobody had unlocked it. */
  locked = false;

  readonly spawn: SpawnWorker = () => {
    let tell: (message: unknown) => void = () => undefined;
    let turn = Promise.resolve();
    const worker: KeychainWorker = {
      post: (message) => {
        if (isKeychainRequest(message)) turn = turn.then(async () => tell(await this.#answer(message)));
      },
      onMessage: (listener) => void (tell = listener),
      onExit: () => undefined,
      kill: () => void (tell = () => undefined),
      keepParentAlive: () => undefined,
    };
    return worker;
  };

  async #answer(request: KeychainRequest): Promise<KeychainReply> {
    const { id } = request;
    // Filed under the data directory's own id.
    const name = request.account.slice(request.account.indexOf('/') + 1);
    if (this.locked) return { id, ok: false, state: 'locked', code: 'keychain_locked' };
    switch (request.call) {
      case 'probe':
        return { id, ok: true, value: null };
      case 'get':
        return { id, ok: true, value: this.entries.get(name) ?? null };
      case 'delete':
        this.entries.delete(name);
        return { id, ok: true, value: null };
      case 'set':
        try {
          await this.onSet(name);
        } catch {
          return { id, ok: false, state: 'failed', code: 'keychain_error' };
        }
        this.entries.set(name, request.value);
        return { id, ok: true, value: null };
    }
  }
}
