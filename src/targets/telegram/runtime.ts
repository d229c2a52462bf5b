import { Spacing } from '../spacing.js';
import type { AccountHandle, SignedIn, SignInAttempt, TargetContext, TargetRuntime, TargetSession } from '../target.js';
import type { BotIdentity } from './addressing.js';
import { bindingFromJson } from './binding.js';
import { Bot } from './bot.js';
import { BotClient, type GrammyModule, type LoadGrammy } from './client.js';
import { TelegramSession } from './session.js';
import { signIn } from './sign-in.js';

/** Telegram's part of a running host: its bots, each shared by the accounts that live on it. */
export class TelegramRuntime implements TargetRuntime {
  readonly #context: TargetContext;
  readonly #apiRoot: string;
  readonly #load: LoadGrammy;
  readonly #spacing: Spacing;
  readonly #bots = new Map<number, Bot>();

  constructor(context: TargetContext, apiRoot: string, load: LoadGrammy) {
    this.#context = context;
    this.#apiRoot = apiRoot;
    let loaded: GrammyModule | undefined;
    // Every call asks for it, and an import puts a bundled library together anew each time.
    this.#load = async () => (loaded ??= await load());
    this.#spacing = new Spacing(context.clock);
  }

  signIn(attempt: SignInAttempt): Promise<SignedIn> {
    return signIn(
      {
        context: this.#context,
        newClient: (token) => this.#newClient(token),
        botOf: (identity, token) => this.#botOf(identity, token),
        renamed: (identity) => {
          const bot = this.#bots.get(identity.id);
          if (bot) bot.identity = identity;
        },
      },
      attempt,
    );
  }

  open(account: AccountHandle): TargetSession {
    const { botId, botUsername } = bindingFromJson(account.binding);
    const token = account.credentials['bot_token'] ?? '';
    const bot = this.#botOf({ id: botId, username: botUsername }, token);
    return new TelegramSession(account, bot, token, this.#spacing, this.#context);
  }

  wake(): void {
    for (const bot of this.#bots.values()) bot.wake();
  }

  async stop(): Promise<void> {
    const bots = Array.from(this.#bots.values());
    this.#bots.clear();
    await Promise.all(bots.map((bot) => bot.close()));
  }

  #botOf(identity: BotIdentity, token: string): Bot {
    const known = this.#bots.get(identity.id);
    if (known) return known;
    const bot = new Bot({
      context: this.#context,
      identity,
      newClient: (text) => this.#newClient(text),
      token,
      unused: () => {
        if (this.#bots.get(identity.id) === bot) this.#bots.delete(identity.id);
        bot.client.transport.close();
      },
    });
    this.#bots.set(identity.id, bot);
    return bot;
  }

  #newClient(token: string): BotClient {
    const { clock, wayOut } = this.#context;
    return new BotClient(this.#load, this.#apiRoot, token, clock, wayOut);
  }
}
